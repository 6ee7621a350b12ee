//! The folder that a session's shell stands in.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLock};

/// A working folder that is kept from one command to the next. Put into the state of a session, it
/// is what [`Facts::working_folder`](crate::Facts::working_folder) answers.
///
/// It is the resource [`WorkingFolder::NODE`]: a call whose input means something else in another
/// folder rests on it, and one that may leave the shell elsewhere writes it.
#[derive(Debug)]
pub struct WorkingFolder(RwLock<PathBuf>);

impl WorkingFolder {
    /// Its node in the tree of resources.
    pub const NODE: &'static str = "shell/cwd";

    /// A shell that stands in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(RwLock::new(folder.into()))
    }

    /// Where the shell stands.
    pub fn get(&self) -> PathBuf {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The shell stands here now.
    pub fn set(&self, folder: impl Into<PathBuf>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = folder.into();
    }
}
