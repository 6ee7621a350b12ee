//! What searches leave out of their results, since a rule is about reading it.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// Tells which paths a search from a folder above them may not show. Without this state nothing
/// is left out.
#[derive(Clone)]
pub struct ReadGuard(Arc<dyn Fn(&Path) -> bool + Send + Sync>);

impl ReadGuard {
    /// Leaves out the paths that `hides` says; it is given resolved ones, from several threads.
    pub fn new(hides: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(hides))
    }

    pub(crate) fn hides(&self, path: &Path) -> bool {
        (self.0)(path)
    }
}

/// What is said of the paths that were left out.
pub(crate) fn note(hidden: u64) -> Option<String> {
    match hidden {
        0 => None,
        1 => Some("1 path was left out, since a rule is about reading it".to_owned()),
        many => Some(format!(
            "{many} paths were left out, since rules are about reading them"
        )),
    }
}

impl fmt::Debug for ReadGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadGuard").finish_non_exhaustive()
    }
}
