//! Rules: what may be said of calls in the settings and on the command line.
//!
//! `Tool`, `Tool(pattern)`, `mcp__server__tool`, `mcp__server`, `WebFetch(domain:…)`,
//! `Bash(words:*)`. A rule keeps its text and its place, so that a decision can name it. What a
//! rule matches is said twice: narrow for allow, broad for deny and ask.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;
use toolpost_core::Verdict;

use crate::layer::Source;

pub(crate) mod command;
pub(crate) mod glob;
pub(crate) mod host;
pub(crate) mod name;
mod parse;
pub(crate) mod path;

#[cfg(test)]
mod tests;

pub(crate) use command::{CommandPattern, unquoted};
pub(crate) use host::HostPattern;
pub(crate) use name::{Family, NamePattern};
pub(crate) use path::PathPattern;

/// One rule with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    effect: Verdict,
    text: Arc<str>,
    source: Source,
    pub(crate) matcher: Matcher,
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Matcher {
    /// All calls of the tools with such a name.
    Tool(NamePattern),
    /// All tools of an MCP server.
    Server(String),
    /// A tool of an MCP server, as its name is joined.
    McpTool(String),
    /// Paths that the tool, or a family of tools, touches.
    Path { tool: String, pattern: PathPattern },
    /// Commands of a shell.
    Command(CommandPattern),
    /// Hosts that the tool reaches.
    Host { tool: String, pattern: HostPattern },
}

/// What is wrong with a rule, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{source_place}: rule `{text}`: {problem}")]
pub struct RuleError {
    /// The rule as it is written.
    pub text: String,
    /// Where it stands.
    pub source_place: Source,
    /// What is wrong and what would be right.
    pub problem: String,
}

impl Rule {
    /// Reads a rule that gives `effect`.
    ///
    /// # Errors
    ///
    /// When the text is no rule, or one that may not stand in `allow`.
    pub fn parse(text: &str, effect: Verdict, source: Source) -> Result<Self, RuleError> {
        match parse::matcher(text, effect) {
            Ok(matcher) => Ok(Self {
                effect,
                text: text.into(),
                source,
                matcher,
            }),
            Err(problem) => Err(RuleError {
                text: text.to_owned(),
                source_place: source,
                problem,
            }),
        }
    }

    /// What it gives.
    pub const fn effect(&self) -> Verdict {
        self.effect
    }

    /// The rule as it is written.
    pub const fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// Where it stands.
    pub const fn source(&self) -> &Source {
        &self.source
    }

    /// Whether it is matched broadly: deny and ask rules are.
    pub(crate) const fn is_broad(&self) -> bool {
        !matches!(self.effect, Verdict::Allow)
    }

    /// Whether it is about paths and spells this name.
    pub(crate) fn names_path(&self, name: &str) -> bool {
        match &self.matcher {
            Matcher::Path { pattern, .. } => pattern.spelled().any(|own| own == name),
            _ => false,
        }
    }

    /// The name of the tool that it is about, if it names one.
    pub fn tool(&self) -> Option<&str> {
        match &self.matcher {
            Matcher::Tool(NamePattern::Exact(tool))
            | Matcher::Path { tool, .. }
            | Matcher::Host { tool, .. } => Some(tool),
            Matcher::Command(_) => Some("Bash"),
            Matcher::Tool(NamePattern::Wild(_)) | Matcher::Server(_) | Matcher::McpTool(_) => None,
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
