//! What the analysis must be told of the machine, since it looks at nothing itself.

use std::path::{Path, PathBuf};

/// Facts about the machine that a command line would run on.
///
/// All of them are optional: what is not known makes words undecidable, never harmless.
pub trait ShellFacts {
    /// The home folder that the shell will be given, for `~` and `$HOME`.
    fn home(&self) -> Option<&Path> {
        None
    }

    /// The paths that an absolute pattern (`*`, `?`, `[…]` as in bash, without dot files unless
    /// the pattern names the dot) matches now, or nothing if that is not known.
    fn glob(&self, _pattern: &str) -> Option<Vec<PathBuf>> {
        None
    }
}

/// Knows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoShellFacts;

impl ShellFacts for NoShellFacts {}
