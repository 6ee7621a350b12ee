//! Where a rule comes from.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Whose settings a rule stands in. The order is that of standing: the first has the last word
/// where only one value can hold, such as the mode. For deny and ask all layers are a union.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The machine's administrator.
    Managed,
    /// The command line.
    Cli,
    /// The workspace, not shared.
    Local,
    /// The workspace, shared.
    Project,
    /// The person's own settings.
    User,
}

impl Layer {
    /// All layers, the one with the last word first.
    pub const ALL: [Self; 5] = [
        Self::Managed,
        Self::Cli,
        Self::Local,
        Self::Project,
        Self::User,
    ];

    /// The layer as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Cli => "cli",
            Self::Local => "local",
            Self::Project => "project",
            Self::User => "user",
        }
    }

    /// Whether it lies in the workspace, so that what it allows needs trust.
    pub const fn is_of_workspace(self) -> bool {
        matches!(self, Self::Local | Self::Project)
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A place in the settings: a file and a line, or the command line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source {
    /// Whose settings they are.
    pub layer: Layer,
    /// The file as a person names it.
    pub file: Arc<str>,
    /// The line, from 1; 0 where there are no lines.
    pub line: usize,
}

impl Source {
    /// The place `line` in `file`.
    pub fn new(layer: Layer, file: impl Into<Arc<str>>, line: usize) -> Self {
        Self {
            layer,
            file: file.into(),
            line,
        }
    }

    /// The command line.
    pub fn command_line() -> Self {
        Self::new(Layer::Cli, "command line", 0)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            f.write_str(&self.file)
        } else {
            write!(f, "{}:{}", self.file, self.line)
        }
    }
}
