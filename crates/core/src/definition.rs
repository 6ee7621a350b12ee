//! A tool's definition as data: what is listed to models, linted and sent to providers.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a model gets to know of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Exposure {
    /// Listed with every request.
    #[default]
    Direct,
    /// Found by a tool search.
    Deferred,
    /// Never shown to a model; other tools may call it.
    Hidden,
}

/// Whether a failure of a call reaches later calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailureReach {
    /// Only the call itself.
    #[default]
    Own,
    /// Later calls that would have waited for it are skipped.
    Dependents,
    /// All later calls are skipped.
    Later,
}

/// Limits of one tool; what is left out is the session's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolLimits {
    /// The longest that a call may run, waiting not counted. Where the session has a limit too, the
    /// shorter one holds.
    pub timeout: Option<Duration>,
    /// The longest result in characters before it is spilled.
    pub result_chars: Option<usize>,
    /// The pool whose slots its calls take, besides the session's. Without slots set for it in the
    /// session, a pool has no cap.
    pub pool: Option<Arc<str>>,
}

/// A tool's definition as data.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Definition {
    /// What a model calls it by.
    pub name: Arc<str>,
    /// What it is for.
    pub description: Arc<str>,
    /// The very schema that inputs are validated against.
    pub input_schema: Arc<Value>,
    /// The schema of its structured output, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Arc<Value>>,
    /// How a model gets to know of it.
    pub exposure: Exposure,
    /// Words that a tool search matches besides the name and the description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search_hint: Option<Arc<str>>,
    /// Whether a provider's strict mode is asked for, where the schema fits it.
    pub strict: bool,
    /// What stands behind the definition, such as the command that runs. It is not listed; what
    /// was approved of a tool with one origin is not approved of a tool with another.
    #[serde(skip)]
    pub origin: Option<Arc<str>>,
}
