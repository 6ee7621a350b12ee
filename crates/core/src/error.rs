//! The error that a tool raises.
//!
//! It has two readers, so it has two texts: the message goes to the model, the operator text
//! only to the person who runs the host. What the model must not see (paths of the host, keys,
//! addresses) belongs in the second.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

/// Why a tool did not do what it was asked to.
///
/// Tools raise it with `?` or make it with [`ToolError::new`]; the framework words the outcome.
/// It does not implement [`std::error::Error`] itself, so that every error that does can become
/// one: the error's own sentence goes to the model, its chain of causes to the operator.
///
/// ```
/// use toolpost_core::ToolError;
///
/// let error = ToolError::new("not_found", "no file `REDME.md`; did you mean `README.md`?");
/// assert_eq!(error.code(), "not_found");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    code: Cow<'static, str>,
    message: String,
    operator: Option<String>,
}

impl ToolError {
    /// An error with a code that programs can match on (`not_found`, `stale`, …) and one sentence
    /// for the model that says what to do next.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            operator: None,
        }
    }

    /// The same error with a text that only the operator sees.
    #[must_use]
    pub fn with_operator_text(mut self, text: impl Into<String>) -> Self {
        self.operator = Some(text.into());
        self
    }

    /// The code that programs match on.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// The sentence that the model reads.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The text that only the operator reads.
    pub fn operator_text(&self) -> Option<&str> {
        self.operator.as_deref()
    }

    pub(crate) fn into_parts(self) -> (Cow<'static, str>, String, Option<String>) {
        (self.code, self.message, self.operator)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut causes = String::new();
        let mut cause = error.source();
        while let Some(source) = cause {
            if !causes.is_empty() {
                causes.push_str(": ");
            }
            causes.push_str(&source.to_string());
            cause = source.source();
        }
        let new = Self::new("failed", error.to_string());
        if causes.is_empty() {
            new
        } else {
            new.with_operator_text(causes)
        }
    }
}
