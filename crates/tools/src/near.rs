//! Names that are nearly the one asked for.
//!
//! Some names look the same and are not: composed and decomposed accents, a narrow no-break space
//! for a space, curly quotes for straight ones. A model cannot type the difference, so where
//! exactly one name only looks like the one asked for, it is that name that was meant.

use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization;

/// More entries than this are not looked through.
const MOST_ENTRIES: usize = 20_000;

/// The existing path that looks the same as the missing `path`, when there is exactly one. Folders
/// on the way may only look the same as well.
pub(crate) fn look_alike(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let parent = path.parent()?;
    let parent = if parent.is_dir() {
        parent.to_path_buf()
    } else {
        look_alike(parent)?
    };
    let exact = parent.join(name);
    if exact.symlink_metadata().is_ok() {
        return Some(exact);
    }
    let looks = look(name);
    let mut same = names(&parent).filter(|other| look(other) == looks);
    match (same.next(), same.next()) {
        (Some(only), None) => Some(parent.join(only)),
        _ => None,
    }
}

/// Whether other spellings could look the same as a name on the way to `path`. A hyphen has
/// look-alikes too, but they are so rare in names that none is looked for.
pub(crate) fn has_look_alikes(path: &Path) -> bool {
    path.iter()
        .map(|name| name.to_string_lossy())
        .any(|name| !name.is_ascii() || name.contains([' ', '\'', '"']))
}

/// Up to three names in the folder of the missing `path` that are near its own, nearest first.
pub(crate) fn near_names(path: &Path) -> Vec<String> {
    let (Some(name), Some(parent)) = (
        path.file_name().and_then(|name| name.to_str()),
        path.parent(),
    ) else {
        return Vec::new();
    };
    near_among(name, names(parent))
}

/// Up to three of `names` that are near `name`, nearest first.
pub(crate) fn near_among(name: &str, names: impl Iterator<Item = String>) -> Vec<String> {
    let wanted = look(name).to_lowercase();
    let mut near: Vec<(f64, String)> = names
        .filter_map(|other| {
            let look = look(&other).to_lowercase();
            let part = look.len().min(wanted.len()) >= 4
                && (look.starts_with(&wanted) || wanted.starts_with(&look));
            let likeness = strsim::jaro_winkler(&wanted, &look);
            let is_slip = look.len() >= 3 && strsim::osa_distance(&wanted, &look) <= 1;
            let likeness = if part || is_slip {
                likeness.max(0.9)
            } else {
                likeness
            };
            (likeness >= 0.8).then_some((likeness, other))
        })
        .collect();
    near.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| x.cmp(y)));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// ``; did you mean `a` or `b`?``, or nothing.
pub(crate) fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", quoted.join(" or "))
}

fn names(folder: &Path) -> impl Iterator<Item = String> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .take(MOST_ENTRIES)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
}

/// One spelling for all texts that look the same.
pub(crate) fn look(text: &str) -> String {
    text.nfc()
        .map(|c| match c {
            '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}' | '\u{3000}' => ' ',
            '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => '"',
            '\u{2010}' | '\u{2011}' | '\u{2012}' | '\u{2013}' | '\u{2212}' => '-',
            other => other,
        })
        .collect()
}
