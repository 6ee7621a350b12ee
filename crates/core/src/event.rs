//! What can be seen of a call while it goes on.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

/// Something that a tool reports while it works. Every type that can be serialized and shared is one.
pub trait Progress: Serialize + Send + Sync + 'static {
    /// How far the work is, for a bar: done and total. `None` where the tool cannot tell.
    fn fraction(&self) -> Option<(u64, u64)> {
        None
    }
}

/// The progress of a tool that reports none. It has no values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum NoProgress {}

impl Progress for NoProgress {}

/// Progress that most tools can do with: so much of so much, and a word on what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Steps {
    /// How many are done.
    pub done: u64,
    /// Of how many, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What is being done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl Progress for Steps {
    fn fraction(&self) -> Option<(u64, u64)> {
        Some((self.done, self.total?))
    }
}

trait ErasedProgress: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn to_json(&self) -> Value;
    fn fraction(&self) -> Option<(u64, u64)>;
}

impl<P: Progress> ErasedProgress for P {
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or(Value::Null)
    }
    fn fraction(&self) -> Option<(u64, u64)> {
        Progress::fraction(self)
    }
}

/// One report of progress, of a type that the reader may know.
#[derive(Clone)]
pub struct Report(Arc<dyn ErasedProgress>);

impl Report {
    pub(crate) fn new<P: Progress>(progress: P) -> Self {
        Self(Arc::new(progress))
    }

    /// The report as the type that the tool sent, when it is a `P`.
    pub fn get<P: Progress>(&self) -> Option<&P> {
        self.0.as_any().downcast_ref()
    }

    /// The report as JSON, for readers that do not know the type.
    pub fn to_json(&self) -> Value {
        self.0.to_json()
    }

    /// How far the work is: done and total.
    pub fn fraction(&self) -> Option<(u64, u64)> {
        self.0.fraction()
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Report({})", self.to_json())
    }
}

/// What happened to a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// The call has its place in the order.
    Admitted,
    /// The call waits for these earlier calls to end.
    Waiting {
        /// Ids of the calls that it waits for.
        on: Vec<Arc<str>>,
    },
    /// The tool has begun.
    Started {
        /// What it is doing, such as "Read src/main.rs".
        description: String,
    },
    /// The tool reports how it goes.
    Progress(Report),
    /// The call has its outcome.
    Ended,
}

/// Where events of calls go. The host gives one; it must not block.
pub trait EventSink: Send + Sync {
    /// Takes an event of the call with this id.
    fn send(&self, call: &Arc<str>, event: Event);
}
