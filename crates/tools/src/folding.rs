//! Which names a file system takes for one: those that differ in case, or in the form of their
//! letters.
//!
//! No system call says so for each kind of file system, so it is tried: where a name that is there
//! is also found under another spelling, and is the same file, names are folded. A second name that
//! was made as a hard link looks the same, which only makes calls wait that need not.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toolpost_policy::Folding;
use unicode_normalization::UnicodeNormalization;

#[cfg(test)]
mod tests;

/// So many names of a folder are tried.
const TRIED: usize = 8;

/// How names are compared at this place, as far as some name on the way to it tells.
pub(crate) fn folding_at(path: &Path) -> Folding {
    Folding {
        case: is_same_when(path, other_case),
        form: is_same_when(path, other_form),
    }
}

/// The path as its file system compares it; nothing where each spelling is a name of its own.
pub(crate) fn folded(path: &Path) -> Option<PathBuf> {
    let there = path
        .ancestors()
        .find(|part| part.symlink_metadata().is_ok())?;
    // What is not there yet is compared as the folder that it will be in compares its names.
    let names = if there == path { None } else { Some(there) };
    let folding = Folding {
        case: tells(there, names, other_case),
        form: tells(there, names, other_form),
    };
    if !folding.case && !folding.form {
        return None;
    }
    let names = path.iter().map(|name| match name.to_str() {
        Some(name) => fold(name, folding).into(),
        None => name.to_owned(),
    });
    Some(names.collect())
}

/// A name as such a file system compares it.
fn fold(name: &str, folding: Folding) -> String {
    let one_form = |name: &str| -> String {
        if folding.form {
            name.nfc().collect()
        } else {
            name.to_owned()
        }
    };
    if folding.case {
        one_form(&one_form(name).to_lowercase())
    } else {
        one_form(name)
    }
}

/// What the names in a folder tell, or else those on the way to it.
fn tells(there: &Path, folder: Option<&Path>, other: fn(&str) -> Option<String>) -> bool {
    let inside = folder.and_then(|folder| folder.read_dir().ok());
    let tried = inside
        .into_iter()
        .flatten()
        .take(TRIED)
        .filter_map(|entry| is_same(&entry.ok()?.path(), other));
    let mut tried = tried.peekable();
    if tried.peek().is_some() {
        return tried.any(|same| same);
    }
    // The deepest name that has another spelling tells most.
    there.ancestors().find_map(|path| is_same(path, other)) == Some(true)
}

/// Whether some name on the way to `path` is also found under another spelling.
fn is_same_when(path: &Path, other: fn(&str) -> Option<String>) -> bool {
    path.ancestors()
        .any(|path| is_same(path, other) == Some(true))
}

/// Whether the other spelling leads to the same file; nothing where there is no other spelling.
fn is_same(path: &Path, other: fn(&str) -> Option<String>) -> Option<bool> {
    let respelled = path.with_file_name(other(path.file_name().and_then(OsStr::to_str)?)?);
    let same = match (path.symlink_metadata(), respelled.symlink_metadata()) {
        (Ok(here), Ok(there)) => here.dev() == there.dev() && here.ino() == there.ino(),
        _ => false,
    };
    Some(same)
}

fn other_case(name: &str) -> Option<String> {
    let upper = name.to_uppercase();
    let other = if upper == name {
        name.to_lowercase()
    } else {
        upper
    };
    (other != name).then_some(other)
}

fn other_form(name: &str) -> Option<String> {
    let apart: String = name.nfd().collect();
    let other: String = if apart == name {
        name.nfc().collect()
    } else {
        apart
    };
    (other != name).then_some(other)
}
