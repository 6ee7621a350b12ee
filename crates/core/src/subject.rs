//! What a rule can be about: the commands, paths and hosts that a call names.

use std::path::PathBuf;

use crate::footprint::Access;

/// One thing that a call names and that a policy may have a rule about.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// A file or folder, as the call spelled it (not yet resolved).
    Path {
        /// The path, relative to the working folder when it is not absolute.
        path: PathBuf,
        /// Whether the call reads or writes it.
        access: Access,
    },
    /// A command line.
    Command(String),
    /// A host on the network.
    Host(String),
}

impl Subject {
    /// A path that the call reads.
    pub fn reads(path: impl Into<PathBuf>) -> Self {
        Self::Path {
            path: path.into(),
            access: Access::Read,
        }
    }

    /// A path that the call writes.
    pub fn writes(path: impl Into<PathBuf>) -> Self {
        Self::Path {
            path: path.into(),
            access: Access::Write,
        }
    }
}
