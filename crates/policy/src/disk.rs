//! What the policy must be told of the disk, since it looks at nothing itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use toolpost_core::Links;

#[cfg(test)]
mod tests;

/// Facts about the disk and the home folder.
///
/// What is not known makes a verdict stricter, never looser.
pub trait Disk: Links {
    /// The names in a folder, or nothing if they are not known.
    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let _ = folder;
        None
    }

    /// How names are compared where `path` lies.
    fn folding(&self, path: &Path) -> Folding {
        let _ = path;
        Folding::default()
    }

    /// The home folder of whoever runs this.
    fn home(&self) -> Option<&Path> {
        None
    }
}

/// Which names a file system takes for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Folding {
    /// Upper and lower case are one.
    pub case: bool,
    /// The composed and the decomposed form of a letter are one.
    pub form: bool,
}

/// A disk without links, of which nothing else is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NoDisk;

impl Links for NoDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
}

impl Disk for NoDisk {}

/// A disk that is told in full: links, files, folding and home. For tests and for cases.
#[derive(Debug, Clone, Default)]
pub struct ToldDisk {
    links: BTreeMap<PathBuf, PathBuf>,
    names: BTreeMap<PathBuf, BTreeSet<String>>,
    folding: Folding,
    home: Option<PathBuf>,
}

/// More links than this on the way to one file is a circle.
const MOST_LINKS: usize = 40;

impl ToldDisk {
    /// Nothing is on it.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a home folder.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// The same with a link at `path` that leads to `target`.
    #[must_use]
    pub fn with_link(mut self, path: impl Into<PathBuf>, target: impl Into<PathBuf>) -> Self {
        let path = path.into();
        self.note(&path);
        self.links.insert(path, target.into());
        self
    }

    /// The same with a file at `path`, and the folders above it.
    #[must_use]
    pub fn with_file(mut self, path: impl AsRef<Path>) -> Self {
        self.note(path.as_ref());
        self
    }

    /// The same, comparing names in this way.
    #[must_use]
    pub fn with_folding(mut self, folding: Folding) -> Self {
        self.folding = folding;
        self
    }

    fn note(&mut self, path: &Path) {
        for folder in path.ancestors() {
            let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else {
                break;
            };
            self.names
                .entry(parent.to_path_buf())
                .or_default()
                .insert(name.to_string_lossy().into_owned());
        }
    }
}

impl Links for ToldDisk {
    fn resolve(&self, path: &Path) -> PathBuf {
        if self.links.is_empty() {
            return path.to_path_buf();
        }
        let mut rest: Vec<PathBuf> = parts(path);
        let mut real = PathBuf::from("/");
        let mut followed = 0;
        while let Some(part) = rest.pop() {
            if part.as_os_str() == ".." {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            let Some(target) = self.links.get(&next) else {
                real = next;
                continue;
            };
            followed += 1;
            if followed > MOST_LINKS {
                return path.to_path_buf();
            }
            if target.is_absolute() {
                real = PathBuf::from("/");
            }
            rest.extend(parts(target));
        }
        real
    }
}

/// The parts of a path, the last first.
fn parts(path: &Path) -> Vec<PathBuf> {
    path.components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
        .map(|part| PathBuf::from(part.as_os_str()))
        .collect()
}

impl Disk for ToldDisk {
    fn names(&self, folder: &Path) -> Option<Vec<String>> {
        let names = self.names.get(folder);
        Some(names.map_or_else(Vec::new, |names| names.iter().cloned().collect()))
    }

    fn folding(&self, _path: &Path) -> Folding {
        self.folding
    }

    fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }
}
