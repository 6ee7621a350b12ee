//! The name that was probably meant.

use strsim::{damerau_levenshtein, jaro_winkler};

/// The nearest of `known`, when it is near enough to be worth saying.
pub fn nearest<'k>(said: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // A long text is no misspelled name.
    if said.chars().count() > 64 {
        return None;
    }
    let plain = plain(said);
    let scored = known.into_iter().filter_map(|name| {
        let other = self::plain(name);
        if other == plain {
            return Some((usize::MAX, name));
        }
        let longest = plain.chars().count().max(other.chars().count());
        let edits = damerau_levenshtein(&plain, &other);
        let near = edits * 3 <= longest || jaro_winkler(&plain, &other) > 0.88;
        let part = plain.len() >= 4
            && other.len() >= 4
            && (plain.contains(&other) || other.contains(&plain));
        (near || part).then(|| (longest.saturating_sub(edits), name))
    });
    // The first of equals.
    scored
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
}

/// As people confuse names: `filePath`, `file-path` and `file_path` are one.
fn plain(name: &str) -> String {
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}
