//! A call as a model wrote it.

use std::sync::Arc;

/// A call as it came in: an id, a name, and the arguments as JSON text. Nothing is checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawCall {
    id: Arc<str>,
    name: Arc<str>,
    input: String,
}

impl RawCall {
    /// A call with this id of the tool with this name; `input` is JSON text.
    pub fn new(
        id: impl Into<Arc<str>>,
        name: impl Into<Arc<str>>,
        input: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input: input.into(),
        }
    }

    /// The id that the outcome will carry.
    pub fn id(&self) -> &Arc<str> {
        &self.id
    }

    /// The name that the model called.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The arguments as JSON text.
    pub fn input(&self) -> &str {
        &self.input
    }

    pub(crate) fn into_parts(self) -> (Arc<str>, Arc<str>, String) {
        (self.id, self.name, self.input)
    }
}
