//! What becomes of the schema of a type.
