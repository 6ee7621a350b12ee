//! Which names the providers take.

use crate::dialect::Dialect;

/// Why a provider refuses a tool of this name, if it does.
pub(crate) fn refused(dialect: Dialect, name: &str) -> Option<String> {
    let (longest, signs, is_letter_first) = match dialect {
        Dialect::Native => return None,
        // The published pattern says 64; some servers take 128.
        Dialect::Anthropic | Dialect::Openai | Dialect::OpenaiStrict => (64, "_-", false),
        Dialect::Gemini => (128, "_.:-", true),
        Dialect::Mcp => (128, "_.-", false),
    };
    let fits = |c: char| c.is_ascii_alphanumeric() || signs.contains(c);
    if name.is_empty() || name.chars().count() > longest {
        Some(format!(
            "{dialect} takes names of 1 to {longest} characters"
        ))
    } else if let Some(c) = name.chars().find(|c| !fits(*c)) {
        Some(format!(
            "{dialect} takes no `{}` in a name",
            c.escape_default()
        ))
    } else if is_letter_first && !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        Some(format!(
            "{dialect} wants a name to begin with a letter or `_`"
        ))
    } else {
        None
    }
}

/// Why some provider refuses a field of this name, if one does.
pub(crate) fn refused_field(name: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || name.chars().count() > 64 {
        Some("Anthropic and Gemini take field names of 1 to 64 characters")
    } else if !name.chars().all(|c| fits(c) || c == '.' || c == '-') {
        Some("Anthropic takes only `A-Z a-z 0-9 _ . -` in a field name")
    } else if !name.chars().all(fits) || name.starts_with(|c: char| c.is_ascii_digit()) {
        Some("Gemini takes only `A-Z a-z 0-9 _` in a field name, and no digit first")
    } else {
        None
    }
}
