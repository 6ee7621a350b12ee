//! The built-in tools of toolpost, and commands from a tool file as tools.
//!
//! This is the only crate that touches files and processes on a model's behalf. Each tool is one
//! file or folder here, and the comment at its top is its page. All of them are in one slice,
//! [`builtins()`], from which listings, pages and toolboxes are made.
//!
//! Unix only: modes, links, process groups and the ways to open a file are those of Unix.
//!
//! What they need of the host: a [`FileState`] in the state (what the session has seen of which
//! files), [`DiskLinks`] as the links of the facts, where `~` is to work, a [`Home`], and where
//! the user's own ignore file is to be heeded, [`UserIgnores`].

pub mod apply_patch;
pub mod bash;
pub mod command;
pub mod edit;
pub mod glob;
pub mod grep;
pub mod hook;
pub mod ls;
pub mod multi_edit;
pub mod notebook_edit;
pub mod read;
pub mod tool_file;
pub mod write;

mod builtins;
mod change;
mod disk;
mod draft;
mod failure;
mod file_state;
mod folding;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzzing;
mod guard;
mod links;
mod near;
mod newest;
mod notebook;
mod open;
#[cfg(feature = "media")]
mod picture;
mod place;
mod save;
mod schema;
mod text;
mod walk;
mod work;

pub use apply_patch::ApplyPatch;
pub use bash::Bash;
pub use builtins::{Builtin, add_builtins, builtins};
pub use command::{CALL_MARK, Environment, Orphans, Printed, add_commands, command_tool};
pub use disk::HostDisk;
pub use edit::Edit;
pub use file_state::{FileRecord, FileState, Part, Seen, Stamp};
pub use glob::Glob;
pub use grep::Grep;
pub use guard::ReadGuard;
pub use hook::CommandHook;
pub use links::DiskLinks;
pub use ls::Ls;
pub use multi_edit::MultiEdit;
pub use notebook_edit::NotebookEdit;
pub use place::Home;
pub use read::Read;
pub use tool_file::{ToolFileEntry, ToolFileError};
pub use walk::UserIgnores;
pub use write::Write;
