//! Times as people write them: `30s`, `1m30s`, `500ms`.

use std::time::Duration;

/// Reads a time; nothing when it is none.
pub(super) fn parse(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut total = Duration::ZERO;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (number, after) = rest.split_at_checked(digits)?;
        let number: u64 = number.parse().ok()?;
        let letters = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(letters)?;
        let part = match unit {
            "ms" => Duration::from_millis(number),
            "s" | "sec" => Duration::from_secs(number),
            "m" | "min" => Duration::from_secs(number.checked_mul(60)?),
            "h" => Duration::from_secs(number.checked_mul(3600)?),
            _ => return None,
        };
        total = total.checked_add(part)?;
        rest = after.trim_start();
    }
    Some(total)
}
