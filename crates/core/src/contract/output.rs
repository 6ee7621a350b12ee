//! The schema of what a tool gives back.

use std::{fmt, sync::Arc};

use jsonschema::json::SerdeJson;
use schemars::JsonSchema;
use serde_json::Value;

use super::{
    ContractError, Problem,
    law::{Formats, compile, validator_options},
    problems::problems,
    schema,
};

/// The contract of an output: its schema, compiled.
pub struct OutputContract {
    schema: Arc<Value>,
    validator: jsonschema::Validator,
}

impl OutputContract {
    /// The contract of an output that is a Rust type. Its objects stay open: a tool may say more
    /// than it promised.
    ///
    /// # Errors
    ///
    /// When the schema does not compile.
    pub fn of_type<O: JsonSchema>() -> Result<Self, ContractError> {
        Self::from_schema(schema::of_output::<O>())
    }

    /// The contract of an output whose schema came as data.
    ///
    /// # Errors
    ///
    /// When the schema does not compile.
    pub fn from_schema(schema: Value) -> Result<Self, ContractError> {
        let validator = compile(&validator_options::<SerdeJson>(Formats::Assert), &schema)?;
        Ok(Self {
            schema: Arc::new(schema),
            validator,
        })
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Arc<Value> {
        &self.schema
    }

    /// Whether an output keeps its promise.
    ///
    /// # Errors
    ///
    /// Where it does not.
    pub fn check(&self, output: &Value) -> Result<(), Vec<Problem>> {
        if self.validator.is_valid(output) {
            return Ok(());
        }
        let errors: Vec<_> = self.validator.iter_errors(output).collect();
        Err(problems(&errors, &self.schema))
    }
}

impl fmt::Debug for OutputContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutputContract")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}
