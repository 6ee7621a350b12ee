//! What comes back from a call: exactly one outcome, whatever happened.
//!
//! An outcome is data that a model reads, not a Rust error that climbs the stack. What only the
//! operator may read is kept apart and never serialized.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::call::RawCall;
use crate::content::Content;
use crate::contract::{Problem, Repair};
use crate::effects::Effects;
use crate::footprint::{Claim, Footprint};
use crate::policy::Decision;

mod record;
mod text;

pub(crate) use record::Record;
pub use record::Stop;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// The tool ran and gave its result.
    Done,
    /// A dry run: it would have run.
    Planned,
    /// The tool ran and failed, or its definition is at fault.
    Failed,
    /// The call was not one: unknown tool, broken JSON, or an input that the schema forbids.
    Invalid,
    /// It was not permitted.
    Denied,
    /// A person has been asked and has not answered.
    Pending,
    /// It was told to stop.
    Cancelled,
    /// It was not begun, because an earlier call failed.
    Skipped,
    /// It took longer than it may.
    TimedOut,
    /// It had begun when the host went down; nobody knows how far it came.
    Unknown,
}

/// What kind of error an outcome carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ErrorKind {
    /// No tool has this name.
    UnknownTool,
    /// The arguments are not JSON, or not strictly.
    InvalidJson,
    /// The schema forbids the arguments.
    InvalidInput,
    /// Another call of the session has this id.
    DuplicateId,
    /// The line is not a call.
    BadLine,
    /// A rule, a mode, a hook, the tool or a person said no.
    Denied,
    /// A person would have been asked, and nobody could answer.
    NotAnswered,
    /// A person has been asked and has not answered.
    Pending,
    /// The tool raised an error.
    ToolFailed,
    /// The tool panicked.
    Panicked,
    /// The output does not fit the output schema.
    InvalidOutput,
    /// The schema took an input that the type refused: a fault of the tool's definition.
    Drift,
    /// The definition has no command to run.
    NoCommand,
    /// It took longer than it may.
    TimedOut,
    /// It was told to stop.
    Cancelled,
    /// It was not begun.
    Skipped,
    /// Nobody knows how far it came.
    Unknown,
}

/// What went wrong, for the model that made the call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OutcomeError {
    /// What kind of error it is.
    pub kind: ErrorKind,
    /// The tool's own code, where it raised the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<Cow<'static, str>>,
    /// What was wrong and what would be right.
    pub message: String,
    /// Each problem of an input or output with its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<Problem>,
    /// Whether the tool had begun, where that is in doubt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<bool>,
    /// What only the operator may read.
    #[serde(skip)]
    pub operator_text: Option<String>,
}

impl OutcomeError {
    /// An error of this kind with its message.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            code: None,
            message: message.into(),
            problems: Vec::new(),
            started: None,
            operator_text: None,
        }
    }
}

/// When things happened, in milliseconds since the session began.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Time {
    /// When the call got its place.
    pub admitted_ms: f64,
    /// When the tool began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_ms: Option<f64>,
    /// When the outcome was there.
    pub ended_ms: f64,
    /// Ids of the calls that it waited for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waited_for: Vec<Arc<str>>,
    /// In a plan, why it would wait for each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<Wait>,
}

/// Why one call waits for an earlier one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wait {
    /// The id of the earlier call.
    #[serde(rename = "for")]
    pub call: Arc<str>,
    /// The first claim of this call that meets one of the earlier call; nothing where it is not
    /// known yet whether they meet, since what one of them touches depends on calls before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
    /// The claim that it meets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meets: Option<Claim>,
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, claim, meets } = self;
        match (claim, meets) {
            (Some(claim), Some(meets)) => {
                write!(f, "it {claim}, and {call} {meets}")
            }
            _ => f.write_str("whether they meet is not known before then"),
        }
    }
}

/// The version of the outcome's form, written as `"v":1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FormVersion;

impl Serialize for FormVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(1)
    }
}

/// What came of one call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Always `1`.
    pub v: FormVersion,
    /// The call's id; none where the line was not a call.
    pub id: Option<Arc<str>>,
    /// The line that was not a call, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The tool's name as it was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Arc<str>>,
    /// How it ended.
    pub status: Status,
    /// What the model reads of the result.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub content: Vec<Content>,
    /// The result as data that fits the output schema.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Box<OutcomeError>>,
    /// What was decided about the call, where it came that far.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// What was mended in the arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repairs: Vec<Repair>,
    /// What the call may do to the world.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effects: Option<Effects>,
    /// What the call touches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub footprint: Option<Footprint>,
    /// When things happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<Box<Time>>,
}

impl Outcome {
    /// Whether the call was done.
    pub fn is_done(&self) -> bool {
        self.status == Status::Done
    }

    /// The outcome of a line that is not a call; lines count from 1.
    pub fn bad_line(line: u64, message: impl Into<String>) -> Self {
        let error = OutcomeError::new(ErrorKind::BadLine, message);
        Self {
            line: Some(line),
            error: Some(error.into()),
            ..Self::empty(Status::Invalid)
        }
    }

    /// The outcome of a call that was refused before it was one, for this error.
    pub fn invalid(id: &Arc<str>, name: &str, error: OutcomeError) -> Self {
        Self {
            id: Some(Arc::clone(id)),
            name: Some(name.into()),
            error: Some(error.into()),
            ..Self::empty(Status::Invalid)
        }
    }

    /// The outcome of a call whose driver went away, begun or not.
    pub fn cancelled(id: &Arc<str>, name: &str, started: bool) -> Self {
        let mut error = OutcomeError::new(ErrorKind::Cancelled, Stop::Cancelled.message(started));
        error.started = Some(started);
        Self {
            status: Status::Cancelled,
            ..Self::invalid(id, name, error)
        }
    }

    /// What a call that was told to stop came to: done when it got there all the same, and
    /// otherwise stopped for this reason.
    #[must_use]
    pub fn stopped(self, why: &Stop) -> Self {
        if self.is_done() {
            return self;
        }
        let (status, kind) = why.status();
        let mut error = OutcomeError::new(kind, why.message(true));
        error.started = Some(true);
        error.operator_text = self.error.map(|error| error.message);
        Self {
            status,
            error: Some(error.into()),
            ..self
        }
    }

    pub(crate) fn no_dispatch(call: RawCall) -> Self {
        let error = OutcomeError::new(
            ErrorKind::Denied,
            "this host does not let tools call other tools; do without the nested call",
        );
        Self {
            status: Status::Denied,
            ..Self::invalid(call.id(), call.name(), error)
        }
    }

    fn empty(status: Status) -> Self {
        Self {
            v: FormVersion,
            id: None,
            line: None,
            name: None,
            status,
            content: Vec::new(),
            structured: None,
            error: None,
            decision: None,
            repairs: Vec::new(),
            effects: None,
            footprint: None,
            time: None,
        }
    }
}
