//! The one list of the built-in tools.

use toolpost_core::{Toolbox, ToolboxError};

use crate::{ApplyPatch, Bash, Edit, Glob, Grep, Ls, MultiEdit, NotebookEdit, Read, Write};

/// One built-in tool.
#[derive(Debug, Clone, Copy)]
pub struct Builtin {
    /// What a model calls it by.
    pub name: &'static str,
    /// The source of its module; the comment at its top is the tool's page.
    source: &'static str,
    add: fn(&mut Toolbox) -> Result<(), ToolboxError>,
}

impl Builtin {
    /// Adds the tool to a toolbox.
    ///
    /// # Errors
    ///
    /// When the toolbox has a tool of this name.
    pub fn add(&self, toolbox: &mut Toolbox) -> Result<(), ToolboxError> {
        (self.add)(toolbox)
    }

    /// The tool's page, in Markdown.
    pub fn page(&self) -> String {
        let lines = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = lines
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.join("\n")
    }
}

macro_rules! builtin {
    ($tool:ident, $source:literal) => {
        Builtin {
            name: stringify!($tool),
            source: include_str!($source),
            add: |toolbox| toolbox.add($tool).map(drop),
        }
    };
}

static BUILTINS: [Builtin; 10] = [
    builtin!(Read, "read/mod.rs"),
    builtin!(Write, "write.rs"),
    builtin!(Edit, "edit/mod.rs"),
    builtin!(MultiEdit, "multi_edit.rs"),
    builtin!(ApplyPatch, "apply_patch/mod.rs"),
    builtin!(NotebookEdit, "notebook_edit.rs"),
    builtin!(Glob, "glob/mod.rs"),
    builtin!(Grep, "grep/mod.rs"),
    builtin!(Ls, "ls/mod.rs"),
    builtin!(Bash, "bash.rs"),
];

/// All built-in tools, in the order in which they are listed.
pub fn builtins() -> &'static [Builtin] {
    &BUILTINS
}

/// Adds all built-in tools to a toolbox.
///
/// # Errors
///
/// When the toolbox has a tool of one of their names.
pub fn add_builtins(toolbox: &mut Toolbox) -> Result<(), ToolboxError> {
    builtins()
        .iter()
        .try_for_each(|builtin| builtin.add(toolbox))
}
