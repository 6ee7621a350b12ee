//! What checks before permission may know: where the call stands.
//!
//! Facts cannot call, wait or report, so a check that only has facts cannot act.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::state::State;

#[cfg(test)]
mod tests;

/// Facts about the links of a file system. The core asks; the host looks.
pub trait Links: Send + Sync {
    /// The object that an absolute, lexically clean path leads to: links of its longest existing
    /// part are followed, the rest is kept as it is.
    fn resolve(&self, path: &Path) -> PathBuf;
}

/// A file system without links, for tests and for hosts without files.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLinks;

impl Links for NoLinks {
    fn resolve(&self, path: &Path) -> PathBuf {
        path.to_path_buf()
    }
}

/// Where a call stands: the root, the working folder, the state and the links.
#[derive(Clone)]
pub struct Facts {
    root: Arc<Path>,
    roots: Arc<[PathBuf]>,
    working_folder: Arc<Path>,
    state: Arc<State>,
    links: Arc<dyn Links>,
}

impl Facts {
    /// Facts with `root` as the root and the working folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root: Arc<Path> = root.into().into();
        Self {
            working_folder: Arc::clone(&root),
            root,
            roots: Arc::new([]),
            state: Arc::default(),
            links: Arc::new(NoLinks),
        }
    }

    /// The same with this state.
    #[must_use]
    pub fn with_state(mut self, state: State) -> Self {
        self.state = Arc::new(state);
        self
    }

    /// The same with this view of the file system's links.
    #[must_use]
    pub fn with_links(mut self, links: Arc<dyn Links>) -> Self {
        self.links = links;
        self
    }

    /// The same with further folders that count as inside.
    #[must_use]
    pub fn with_roots(mut self, roots: Vec<PathBuf>) -> Self {
        self.roots = roots.into();
        self
    }

    /// The same with another working folder.
    #[must_use]
    pub fn with_working_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.working_folder = folder.into().into();
        self
    }

    /// The folder that the session is about.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Further folders that count as inside.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The folder that the shell stands in.
    pub fn working_folder(&self) -> &Path {
        &self.working_folder
    }

    /// All the state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// A path as an absolute one without `.` and `..`, taken from the root; links are not followed.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        lexical(&self.root.join(path))
    }

    /// The object that a path leads to, links followed.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.links.resolve(&self.absolute(path))
    }

    /// Whether a path lies in the root or in a further folder, both as it is spelled and as it
    /// resolves.
    pub fn is_inside(&self, path: &Path) -> bool {
        let spelled = self.absolute(path);
        let resolved = self.links.resolve(&spelled);
        let within = |folder: &Path| {
            let real = self.links.resolve(folder);
            (spelled.starts_with(folder) || spelled.starts_with(&real))
                && resolved.starts_with(real)
        };
        within(&self.root) || self.roots.iter().any(|root| within(root))
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts")
            .field("root", &self.root)
            .field("working_folder", &self.working_folder)
            .finish_non_exhaustive()
    }
}

fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}
