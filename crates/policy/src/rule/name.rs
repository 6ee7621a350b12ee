//! Names of tools in rules, and the families of tools that share rules.

use super::glob;

/// A tool's name, or a pattern of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamePattern {
    /// This name.
    Exact(String),
    /// Names like this; `*` is any text. Only in deny and ask rules.
    Wild(String),
}

impl NamePattern {
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Wild(pattern) => glob::matches(pattern, name),
        }
    }
}

/// A family of tools: rules of the one that it is named for cover all of them, and what a
/// command line is found to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Family {
    /// `Read(…)` covers what looks.
    Read,
    /// `Edit(…)` covers what writes.
    Edit,
}

impl Family {
    /// The tool whose rules cover the family.
    pub(crate) const fn head(self) -> &'static str {
        match self {
            Self::Read => "Read",
            Self::Edit => "Edit",
        }
    }

    /// The family that a tool belongs to.
    pub(crate) fn of(tool: &str) -> Option<Self> {
        match tool {
            "Read" | "Grep" | "Glob" | "Ls" => Some(Self::Read),
            "Edit" | "Write" | "MultiEdit" | "ApplyPatch" | "NotebookEdit" => Some(Self::Edit),
            _ => None,
        }
    }
}
