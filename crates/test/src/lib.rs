//! The kit for authors of tools.
//!
//! [`assert_no_drift`] holds a type against its own schema: a model is shown the schema, and
//! `serde` reads the call. Where the two disagree, a model is told something that is not so.
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Lines {
//!     file_path: String,
//!     limit: Option<u32>,
//! }
//!
//! toolpost_test::assert_no_drift::<Lines>();
//! ```

mod drift;

pub use drift::{Drift, DriftKind, assert_no_drift, drift_of};
