//! What checks before permission may know: where the call stands.
//!
//! Facts cannot call, wait or report, so a check that only has facts cannot act.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::state::State;
use crate::working_folder::WorkingFolder;

#[cfg(test)]
mod tests;

/// Facts about the links of a file system. The core asks; the host looks.
pub trait Links: Send + Sync {
    /// The object that an absolute path leads to: links of its longest existing part are followed,
    /// the rest is kept as it is. `..` goes up from where a link leads, as it does in the kernel.
    fn resolve(&self, path: &Path) -> PathBuf;

    /// The path under which this one is compared, where the file system takes names that differ in
    /// case or in the form of their letters for one; nothing where each spelling is a name of its
    /// own.
    fn folded(&self, _path: &Path) -> Option<PathBuf> {
        None
    }
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
pub struct Facts(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    root: PathBuf,
    roots: Vec<PathBuf>,
    working_folder: PathBuf,
    state: State,
    links: Arc<dyn Links>,
}

impl Facts {
    /// Facts with `root` as the root and the working folder.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        let root = root.into();
        Self(Arc::new(Inner {
            working_folder: root.clone(),
            root,
            roots: Vec::new(),
            state: State::new(),
            links: Arc::new(NoLinks),
        }))
    }

    fn with(mut self, change: impl FnOnce(&mut Inner)) -> Self {
        change(Arc::make_mut(&mut self.0));
        self
    }

    /// The same with this state.
    #[must_use]
    pub fn with_state(self, state: State) -> Self {
        self.with(|facts| facts.state = state)
    }

    /// The same with this view of the file system's links.
    #[must_use]
    pub fn with_links(self, links: Arc<dyn Links>) -> Self {
        self.with(|facts| facts.links = links)
    }

    /// The same with further folders that count as inside.
    #[must_use]
    pub fn with_roots(self, roots: Vec<PathBuf>) -> Self {
        self.with(|facts| facts.roots = roots)
    }

    /// The same with another working folder.
    #[must_use]
    pub fn with_working_folder(self, folder: impl Into<PathBuf>) -> Self {
        self.with(|facts| facts.working_folder = folder.into())
    }

    /// The folder that the session is about.
    pub fn root(&self) -> &Path {
        &self.0.root
    }

    /// Further folders that count as inside.
    pub fn roots(&self) -> &[PathBuf] {
        &self.0.roots
    }

    /// The folder that the shell stands in: the one that the state keeps, or the root.
    pub fn working_folder(&self) -> PathBuf {
        let kept = self.0.state.get::<WorkingFolder>();
        kept.map_or_else(|| self.0.working_folder.clone(), WorkingFolder::get)
    }

    /// All the state.
    pub fn state(&self) -> &State {
        &self.0.state
    }

    /// A path as an absolute one without `.` and `..`, taken from the root; links are not followed.
    pub fn absolute(&self, path: &Path) -> PathBuf {
        lexical(&self.0.root.join(path))
    }

    /// The object that a path leads to, links followed.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.0.links.resolve(&self.absolute(path))
    }

    /// The objects that a program may mean by a path, links followed. They are two where the path
    /// has `..` behind a link: the kernel goes up from where the link leads, and a program that
    /// tidies its paths goes up from the link.
    pub fn resolved(&self, path: &Path) -> Vec<PathBuf> {
        let mut objects = vec![self.resolve(path)];
        if path.components().any(|part| part == Component::ParentDir) {
            let walked = lexical(&self.0.links.resolve(&self.0.root.join(path)));
            objects.extend((!objects.contains(&walked)).then_some(walked));
        }
        objects
    }

    /// The path under which a resolved one is compared; see [`Links::folded`].
    pub(crate) fn folded(&self, path: &Path) -> Option<PathBuf> {
        self.0.links.folded(path)
    }

    /// Whether a path lies in the root or in a further folder, both as it is spelled and as it
    /// resolves.
    pub fn is_inside(&self, path: &Path) -> bool {
        let spelled = self.absolute(path);
        let resolved = self.0.links.resolve(&spelled);
        let within = |folder: &Path| {
            let real = self.0.links.resolve(folder);
            (spelled.starts_with(folder) || spelled.starts_with(&real))
                && resolved.starts_with(real)
        };
        within(&self.0.root) || self.0.roots.iter().any(|root| within(root))
    }
}

impl fmt::Debug for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Facts")
            .field("root", &self.0.root)
            .field("working_folder", &self.0.working_folder)
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
