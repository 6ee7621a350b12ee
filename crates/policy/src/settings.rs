//! Settings as text: rules with their lines, tests of the policy, and what later parts read.
//!
//! Reading is pure and never stops at the first mistake. What could be read counts, so that a
//! mistake in one place takes no deny rule away in another; that there was a mistake makes every
//! verdict at least ask.

use std::sync::Arc;

use serde_json::Value;
use thiserror::Error;
use toolpost_core::Verdict;

use crate::layer::{Layer, Source};
use crate::mode::Mode;
use crate::rule::Rule;

mod json;
mod permissions;
mod reader;
mod sections;

#[cfg(test)]
mod tests;

use reader::Reader;

/// What one file of settings says.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Whose settings they are.
    pub layer: Layer,
    /// The file as a person names it.
    pub file: Arc<str>,
    /// `[permissions]`.
    pub permissions: Permissions,
    /// `[limits]`.
    pub limits: Limits,
    /// `[journal]`.
    pub journal: Journal,
    /// `[[hooks.before]]` and `[[hooks.after]]`.
    pub hooks: Hooks,
    /// `[servers.*]`, in the order of their names.
    pub servers: Vec<Server>,
    /// `[[tool]]`, each as JSON, with its place.
    pub tools: Vec<(Value, Source)>,
    /// All that is wrong with the file.
    pub errors: Vec<SettingsError>,
}

/// Rules and what belongs to them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Permissions {
    /// The mode, with its place.
    pub mode: Option<(Mode, Source)>,
    /// Whether nobody may set `bypass`; managed settings only.
    pub disable_bypass: bool,
    /// The rules that could be read.
    pub rules: Vec<Rule>,
    /// Further protected paths.
    pub protected: Vec<(String, Source)>,
    /// Further folders that count as inside.
    pub roots: Vec<(String, Source)>,
    /// Tests of the policy.
    pub tests: Vec<PolicyTest>,
}

/// `[[permissions.test]]`: a call and the verdict that it must have.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyTest {
    /// The tool that is called.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
    /// The verdict that is right.
    pub expect: Verdict,
    /// The mode to test in; the settings' own when left out.
    pub mode: Option<Mode>,
    /// Where it stands.
    pub source: Source,
}

/// Limits of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Limits {
    /// How many calls may run at a time.
    pub max_parallel: Option<usize>,
    /// The longest that a call may run, as it is written (`30s`).
    pub timeout: Option<String>,
    /// The longest that a call may run without progress, as it is written.
    pub idle_timeout: Option<String>,
}

/// What the journal keeps.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Journal {
    /// Regular expressions of what is masked.
    pub mask: Vec<String>,
    /// How long a call is kept, as it is written (`90d`).
    pub max_age: Option<String>,
    /// How many bytes are kept.
    pub max_bytes: Option<u64>,
    /// How long a question waits, and its answer to be taken up, as it is written.
    pub questions_last: Option<String>,
}

/// Hooks around calls.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hooks {
    /// Run before permission.
    pub before: Vec<Hook>,
    /// Run after the outcome.
    pub after: Vec<Hook>,
}

/// A command that is run around calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// The tools that it is about; all when empty.
    pub tools: Vec<String>,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The longest that it may take, as it is written.
    pub timeout: Option<String>,
    /// Where it stands.
    pub source: Source,
}

/// An MCP server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The name that rules use.
    pub name: String,
    /// The program and its arguments; empty for a server that is reached by `url`.
    pub command: Vec<String>,
    /// The address of a server that is reached over the network.
    pub url: Option<String>,
    /// Environment variables that it is given, by name.
    pub env: Vec<(String, String)>,
    /// Whether what it says of its tools is believed.
    pub trust_annotations: bool,
    /// Where it stands.
    pub source: Source,
}

/// Something wrong in the settings, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{source_place}: {problem}")]
pub struct SettingsError {
    /// Where it stands.
    pub source_place: Source,
    /// What is wrong and what would be right.
    pub problem: String,
}

impl Settings {
    /// Settings that say nothing.
    pub fn empty(layer: Layer, file: impl Into<Arc<str>>) -> Self {
        Self {
            layer,
            file: file.into(),
            permissions: Permissions::default(),
            limits: Limits::default(),
            journal: Journal::default(),
            hooks: Hooks::default(),
            servers: Vec::new(),
            tools: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Reads a file's text. All mistakes are in [`Settings::errors`].
    pub fn parse(text: &str, file: impl Into<Arc<str>>, layer: Layer) -> Self {
        let mut settings = Self::empty(layer, file);
        let file = Arc::clone(&settings.file);
        let mut reader = Reader::new(text, file, layer);
        reader.read(&mut settings);
        settings.errors = reader.into_errors();
        settings
    }

    /// Settings of a file that cannot be read.
    pub fn unreadable(layer: Layer, file: impl Into<Arc<str>>, problem: impl Into<String>) -> Self {
        let mut settings = Self::empty(layer, file);
        settings.errors.push(SettingsError {
            source_place: Source::new(layer, Arc::clone(&settings.file), 0),
            problem: problem.into(),
        });
        settings
    }
}
