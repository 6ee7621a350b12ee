//! The contract of a tool: one schema, shown to models and held by every call.
//!
//! A [`Contract`] is made once for a tool, from the type of its input or from a schema that
//! came as data. [`Contract::read`] is the only way from the text of a call to a typed input:
//!
//! ```text
//! text ─▶ parse ─▶ validate ─────────────────▶ type ─▶ Reading
//!           │         └─▶ repair ─▶ validate ──▶ │
//!           ▼                          ▼         ▼
//!      InvalidJson               InvalidInput   Drift        (Refusal)
//! ```
//!
//! The schema that validates is the very value that is listed; nothing is checked that a model
//! was not told, and nothing told is left unchecked. The text of a [`Refusal`] is written for
//! the model that has to try again.
//!
//! What is not here: which tool a call means, and everything that happens after its input is
//! known to be good.

mod error;
mod law;
mod output;
mod problems;
mod refusal;
mod repair;
mod schema;
mod wording;

use std::{fmt, marker::PhantomData, sync::Arc};

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

#[doc(hidden)]
pub use self::law::{Formats, validator_options};
use self::law::{Law, Read};
pub use self::{
    error::ContractError,
    output::OutputContract,
    problems::nearest,
    refusal::{Problem, Refusal},
    repair::Repair,
};
pub use crate::json::Limits;

/// The contract of one tool: the schema of its input, compiled.
///
/// Making one costs some hundred microseconds, reading with it about one, so keep it
/// with the tool.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolpost_core::contract::{Contract, ReadOptions};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Lines {
///     /// File to read.
///     file_path: String,
///     /// Lines at most.
///     #[schemars(range(min = 1))]
///     limit: Option<u32>,
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let contract = Contract::<Lines>::of_type()?;
/// let reading = contract.read(r#"{"file_path":"a.rs","limit":"5"}"#, &ReadOptions::default())?;
/// assert_eq!(reading.input.limit, Some(5));
/// assert_eq!(reading.repairs.len(), 1);
///
/// let refusal = contract.read(r#"{"file_pth":"a.rs"}"#, &ReadOptions::default()).err();
/// let text = refusal.map(|refusal| refusal.to_string()).unwrap_or_default();
/// assert!(text.contains("did you mean `file_path`?"));
/// # Ok(())
/// # }
/// ```
pub struct Contract<I> {
    law: Law,
    input: PhantomData<fn() -> I>,
}

/// How a text is read.
#[derive(Debug, Clone)]
pub struct ReadOptions {
    /// Whether an input that does not fit is repaired where the schema leaves no doubt what was
    /// meant. On when nothing else is said.
    pub repair: bool,
    /// How large and how deep the text may be.
    pub limits: Limits,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            repair: true,
            limits: Limits::default(),
        }
    }
}

/// An input that fits the schema, and what was done to make it fit.
#[derive(Debug, Clone)]
pub struct Reading<I> {
    /// The input.
    pub input: I,
    /// What was repaired; empty for an input that came right.
    pub repairs: Vec<Repair>,
    /// The JSON that was read instead of the text that came: there when something was repaired,
    /// and `{}` when nothing came.
    pub text: Option<String>,
}

impl<I: DeserializeOwned + JsonSchema> Contract<I> {
    /// The contract of a tool whose input is a Rust type.
    ///
    /// The schema says more than the type's own: objects are closed, every integer has the
    /// bounds of its width, formats have force.
    ///
    /// # Errors
    ///
    /// When the type is no object, or its schema does not compile.
    pub fn of_type() -> Result<Self, ContractError> {
        Self::with_schema(schema::of_input::<I>()?)
    }
}

impl Contract<Value> {
    /// The contract of a tool whose schema came as data. The schema is taken as it is given; its
    /// draft is the one that `$schema` names, 2020-12 when it names none.
    ///
    /// # Errors
    ///
    /// When the schema does not compile, or needs another that is not inside it: nothing is
    /// fetched.
    pub fn from_schema(schema: Value) -> Result<Self, ContractError> {
        Self::with_schema(schema)
    }
}

impl<I> Contract<I> {
    pub(crate) fn with_schema(schema: Value) -> Result<Self, ContractError> {
        Ok(Self {
            law: Law::new(schema)?,
            input: PhantomData,
        })
    }

    /// The schema that validates every call; list this one.
    #[must_use]
    pub fn schema(&self) -> &Arc<Value> {
        self.law.schema()
    }
}

impl<I: DeserializeOwned> Contract<I> {
    /// Reads the arguments of a call.
    ///
    /// No text, white space and `null` are taken as `{}`; anything else that is no object is
    /// refused.
    ///
    /// # Errors
    ///
    /// Why the text was refused, in words for the model that wrote it.
    pub fn read(&self, text: &str, options: &ReadOptions) -> Result<Reading<I>, Refusal> {
        let Read {
            input,
            repairs,
            text,
        } = self.law.read(text, options, law::typed::<I>)?;
        Ok(Reading {
            input,
            repairs,
            text,
        })
    }
}

impl<I> fmt::Debug for Contract<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contract")
            .field("schema", self.law.schema())
            .finish_non_exhaustive()
    }
}
