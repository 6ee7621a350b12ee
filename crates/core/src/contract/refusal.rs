//! Why a text is no input, said to the model that wrote it.

use std::fmt;

use serde::Serialize;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// JSON pointer to the place in the input; empty for the input as a whole. A missing or
    /// unknown field is pointed at itself.
    pub pointer: String,
    /// What is wrong, where, and what would be right.
    pub message: String,
}

impl Problem {
    /// A problem of the input or output as a whole.
    pub(crate) fn of_all(message: impl Into<String>) -> Self {
        Self {
            pointer: String::new(),
            message: message.into(),
        }
    }
}

/// Why a text was not read. Its text is meant for a model: it says what to change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is not the JSON it has to be.
    InvalidJson(Problem),
    /// The input breaks the schema, in these places.
    InvalidInput(Vec<Problem>),
    /// The input keeps the schema and the tool's type still does not take it: the definition of
    /// the tool is wrong, not the input.
    Drift(Problem),
}

impl Refusal {
    /// What is wrong, whatever the kind.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        match self {
            Self::InvalidJson(problem) | Self::Drift(problem) => std::slice::from_ref(problem),
            Self::InvalidInput(problems) => problems,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidJson(problem) => {
                write!(f, "the arguments are not valid JSON: {}", problem.message)
            }
            Self::Drift(problem) => write!(
                f,
                "a fault of the tool's definition, not of your input: {}; the same call will fail again",
                problem.message
            ),
            Self::InvalidInput(problems) => match problems.as_slice() {
                [problem] => write!(f, "invalid arguments: {}", problem.message),
                problems => {
                    write!(f, "invalid arguments:")?;
                    problems
                        .iter()
                        .try_for_each(|problem| write!(f, "\n- {}", problem.message))
                }
            },
        }
    }
}

impl std::error::Error for Refusal {}
