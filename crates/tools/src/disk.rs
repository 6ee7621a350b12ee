//! The real disk, for the policy.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toolpost_core::Links;
use toolpost_policy::{Disk, Folding};
use unicode_normalization::UnicodeNormalization;

use crate::links::DiskLinks;

#[cfg(test)]
mod tests;

/// More names than this in a folder are not listed: what depends on them stays undecided.
const MOST_NAMES: usize = 10_000;

/// Looks at the disk each time anew. How names are compared is looked up once, at the root.
#[derive(Debug, Clone)]
pub struct HostDisk {
    home: Option<PathBuf>,
    folding: Folding,
}

impl HostDisk {
    /// The disk that `root` lies on, for whoever has this home folder.
    pub fn new(root: &Path, home: Option<PathBuf>) -> Self {
        Self {
            home,
            folding: Folding {
                case: is_same_when(root, other_case),
                form: is_same_when(root, other_form),
            },
        }
    }
}

/// Whether some folder on the way to `root` is also found under another spelling of its name.
fn is_same_when(root: &Path, other: fn(&str) -> Option<String>) -> bool {
    root.ancestors().any(|folder| {
        let respelled = folder
            .file_name()
            .and_then(|name| other(name.to_str()?))
            .map(|name| folder.with_file_name(name));
        let here = folder.metadata();
        let there = respelled.map(|path| path.metadata());
        match (here, there) {
            (Ok(here), Some(Ok(there))) => here.dev() == there.dev() && here.ino() == there.ino(),
            _ => false,
        }
    })
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

impl Links for HostDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        DiskLinks.resolve(path)
    }
}

impl Disk for HostDisk {
    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let entries = match folder.read_dir() {
            Ok(entries) => entries,
            // What is not there holds nothing.
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Some(Vec::new()),
            Err(_) => return None,
        };
        let mut names = Vec::new();
        for entry in entries {
            if names.len() == MOST_NAMES {
                return None;
            }
            names.push(entry.ok()?.file_name().into_string().ok()?);
        }
        Some(names)
    }

    fn folding(&self, _path: &Path) -> Folding {
        self.folding
    }

    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }
}
