//! The tools that a session can call, by name.

use std::collections::HashMap;
use std::sync::Arc;

use thiserror::Error;

use crate::call::{RawCall, ValidatedCall};
use crate::contract::{ContractError, ReadOptions, nearest};
use crate::definition::Definition;
use crate::erased::{AnyTool, Typed};
use crate::event::Progress;
use crate::facts::Facts;
use crate::outcome::{ErrorKind, Outcome, OutcomeError};
use crate::tool::Tool;

/// Why a tool cannot be in a toolbox.
#[derive(Debug, Clone, Error)]
#[non_exhaustive]
pub enum ToolboxError {
    /// The name has other characters than letters, digits, `_`, `.` and `-`, or is empty or too long.
    #[error("`{0}` cannot be a tool's name; use 1 to 128 of `A-Z a-z 0-9 _ . -`")]
    BadName(String),
    /// Another tool has the name.
    #[error("there is a tool `{0}` already; leave one of the two out or rename it")]
    NameTaken(String),
    /// The schema does not compile, so nothing could be validated with it.
    #[error("the schema of `{name}` cannot be used: {error}")]
    BadSchema {
        /// The tool's name.
        name: String,
        /// What is wrong with the schema.
        error: ContractError,
    },
    /// State that a tool needs is not there.
    #[error("`{tool}` needs the state `{state}`; give it when the session is made")]
    MissingState {
        /// The tool's name.
        tool: String,
        /// The Rust type of the state.
        state: &'static str,
    },
}

/// A set of tools with different names, in the order in which they were added.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<dyn AnyTool>>,
    by_name: HashMap<Arc<str>, Arc<dyn AnyTool>>,
}

impl Toolbox {
    /// An empty toolbox.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool. Its schema is made when it is first needed.
    ///
    /// # Errors
    ///
    /// When the name cannot be one, or is taken.
    pub fn add<P: Progress, T: Tool<P>>(&mut self, tool: T) -> Result<&mut Self, ToolboxError> {
        let tool: Arc<dyn AnyTool> = Arc::new(Typed::<P, T>::new(tool));
        let name = Arc::clone(tool.name());
        if !is_name(&name) {
            return Err(ToolboxError::BadName(name.chars().take(128).collect()));
        }
        if self.by_name.contains_key(&name) {
            return Err(ToolboxError::NameTaken(name.to_string()));
        }
        self.by_name.insert(name, Arc::clone(&tool));
        self.tools.push(tool);
        Ok(self)
    }

    /// Adds a tool and makes its contract at once, for schemas that come as data: one that does
    /// not compile is refused here.
    ///
    /// # Errors
    ///
    /// As [`Toolbox::add`], and when a schema does not compile.
    pub fn add_checked<P: Progress, T: Tool<P>>(
        &mut self,
        tool: T,
    ) -> Result<&mut Self, ToolboxError> {
        let name = tool.name().to_owned();
        tool.contract().map_err(|error| ToolboxError::BadSchema {
            name: name.clone(),
            error,
        })?;
        tool.output_contract()
            .map_err(|error| ToolboxError::BadSchema { name, error })?;
        self.add(tool)
    }

    /// Keeps only the tools whose name passes.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.tools.retain(|tool| keep(tool.name()));
        self.by_name.retain(|name, _| keep(name));
    }

    /// How many tools there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The names in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| &**tool.name())
    }

    /// Whether there is a tool of this name.
    pub fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// The definition of one tool.
    pub fn definition(&self, name: &str) -> Option<Result<Definition, ToolboxError>> {
        self.by_name.get(name).map(|tool| define(&**tool))
    }

    /// The definitions of the tools that can be used where `facts` stand, in order.
    pub fn definitions<'a>(
        &'a self,
        facts: &'a Facts,
    ) -> impl Iterator<Item = Result<Definition, ToolboxError>> + 'a {
        self.tools
            .iter()
            .filter(|tool| tool.is_enabled(facts))
            .map(|tool| define(&**tool))
    }

    /// Whether all the state that the tools need is there.
    ///
    /// # Errors
    ///
    /// The first tool with a piece of state that is missing.
    pub fn check_needs(&self, facts: &Facts) -> Result<(), ToolboxError> {
        for tool in &self.tools {
            if let Some(state) = facts.state().missing(&tool.needs()) {
                return Err(ToolboxError::MissingState {
                    tool: tool.name().to_string(),
                    state,
                });
            }
        }
        Ok(())
    }

    /// Reads a call: finds its tool, parses, mends and validates its input.
    ///
    /// # Errors
    ///
    /// The outcome of a call that is not valid.
    pub fn validate(
        &self,
        call: RawCall,
        facts: &Facts,
        options: &ReadOptions,
    ) -> Result<ValidatedCall, Box<Outcome>> {
        match self.by_name.get(call.name()) {
            Some(tool) if tool.is_enabled(facts) => {
                ValidatedCall::read(call, Arc::clone(tool), options)
            }
            _ => Err(Box::new(self.unknown(&call, facts))),
        }
    }

    fn unknown(&self, call: &RawCall, facts: &Facts) -> Outcome {
        let enabled = self.tools.iter().filter(|tool| tool.is_enabled(facts));
        let names: Vec<&str> = enabled.map(|tool| &**tool.name()).collect();
        let asked: String = call.name().chars().take(64).collect();
        let message = match nearest(call.name(), names.iter().copied()) {
            Some(name) => format!("there is no tool `{asked}`; did you mean `{name}`?"),
            None if names.is_empty() => format!("there is no tool `{asked}`, and no other"),
            None if names.len() <= 20 => {
                format!(
                    "there is no tool `{asked}`; there are `{}`",
                    names.join("`, `")
                )
            }
            None => format!("there is no tool `{asked}`, nor one of a similar name"),
        };
        Outcome::invalid(
            call.id(),
            call.name(),
            OutcomeError::new(ErrorKind::UnknownTool, message),
        )
    }
}

fn define(tool: &dyn AnyTool) -> Result<Definition, ToolboxError> {
    let bad = |error| ToolboxError::BadSchema {
        name: tool.name().to_string(),
        error,
    };
    tool.definition().map_err(bad)
}

fn is_name(name: &str) -> bool {
    (1..=128).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
}

impl std::fmt::Debug for Toolbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
