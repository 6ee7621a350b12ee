//! Why no contract could be made. These are faults of a tool's definition, for its author.

/// A definition that makes no contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// The input of a tool is not an object.
    #[error(
        "the input must be an object with named fields, but its schema is for {found}; wrap it in a struct"
    )]
    NotAnObject {
        /// What the schema is for, worded.
        found: String,
    },
    /// The schema is no valid schema, or names another that is not inside it.
    #[error("the schema does not compile: {message} (at `{pointer}` in the schema)")]
    Compile {
        /// What is wrong.
        message: String,
        /// JSON pointer into the schema.
        pointer: String,
    },
}
