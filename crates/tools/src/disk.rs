//! The real disk, for the policy.

use std::path::{Path, PathBuf};

use toolpost_core::Links;
use toolpost_policy::{Disk, Folding};

use crate::folding::folding_at;
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
            folding: folding_at(root),
        }
    }
}

impl Links for HostDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        DiskLinks.resolve(path)
    }

    fn folded(&self, path: &Path) -> Option<PathBuf> {
        DiskLinks.folded(path)
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
