//! The kit for authors of tools: what a tool says of itself, held against what is so.
//!
//! A model is shown a schema, permission believes the effects, the order of calls believes the
//! footprint, and everybody believes that a call is its input and nothing else. Where one of these
//! is not so, nothing fails at once; a call goes wrong later, and somewhere else. A tool has these
//! tests, then, and one file:
//!
//! | what to write | what it finds |
//! |---|---|
//! | [`assert_no_drift`]`::<Input>()` | serde reads another input than the schema shows: aliases, `other`, untagged choices, flattened options, integer keys, bounds that only one of the two has |
//! | [`assert_honest_claims`]`(&tool, examples)` | `read_only` with a write in the footprint; a claim that is the same for every input of a tool whose effects are not; a path or host for the rules that effects and footprint do not know; answers that change or panic |
//! | [`assert_opens_what_it_claims`]`(tool, input, facts)` | a file that is really opened, by the tool or a process of its, and not claimed (Linux) |
//! | [`assert_no_environment`]`(names, closure)` | an outcome that depends on an environment variable, on the folder the process stands in, or on the call before |
//! | [`CLIPPY_TOML`] | the same in the source, and what else is the host's: its streams, its threads, its end |
//!
//! Three of them for one tool, as they stand in its tests:
//!
//! ```
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//! use serde_json::json;
//! use toolpost_core::{Context, Effects, Facts, Footprint, Scope, Subject, Tool, ToolBuilder};
//! use toolpost_test::{
//!     assert_honest_claims, assert_no_drift, assert_no_environment, outcome_of,
//! };
//!
//! #[derive(Deserialize, JsonSchema)]
//! struct Count {
//!     /// The file whose lines are counted.
//!     file: String,
//! }
//!
//! fn count() -> impl Tool<Input = Count> {
//!     ToolBuilder::<Count>::new("count", "Count the lines of a file.")
//!         .effects(|_| Effects::READ_ONLY)
//!         .footprint(|input, facts| {
//!             Footprint::nothing().reading(Scope::file(&facts.resolve(input.file.as_ref())))
//!         })
//!         .subjects(|input, _| vec![Subject::reads(&input.file)])
//!         .call(|input, cx: Context| async move {
//!             let text = std::fs::read_to_string(cx.root().join(input.file))?;
//!             Ok(text.lines().count())
//!         })
//! }
//!
//! # fn main() {
//! #     the_schema_is_what_is_read();
//! #     what_it_says_of_itself_is_so();
//! # }
//! # const _: &str = stringify! {
//! #[test]
//! # };
//! fn the_schema_is_what_is_read() {
//!     assert_no_drift::<Count>();
//! }
//!
//! # const _: &str = stringify! {
//! #[test]
//! # };
//! fn what_it_says_of_itself_is_so() {
//!     assert_honest_claims(&count(), [json!({ "file": "src/lib.rs" })]);
//! }
//!
//! # const _: &str = stringify! {
//! #[tokio::test]
//! # };
//! async fn it_is_the_same_everywhere() {
//!     assert_no_environment(&[], async |folder| {
//!         std::fs::write(folder.join("a.txt"), "one\ntwo\n").unwrap();
//!         outcome_of(count(), json!({ "file": "a.txt" }), Facts::new(folder)).await
//!     })
//!     .await;
//! }
//! ```
//!
//! Each has a form that gives its findings back as values: [`drift_of`], [`claims_of`] (and
//! [`claims_of_at`], for claims that need state or a real folder), [`opened_beyond_claims`] and
//! [`dependence_of`].
//! [`outcome_of`] runs one call without a session.
//!
//! Inputs are made from the schema, one field varied at a time. Where a schema cannot tell what an
//! input looks like, as with a command line, give examples; `#[schemars(extend("examples" = […]))]`
//! on a field serves all of the kit.
//!
//! What is not here: checks of a definition as data, for which no code is needed. Those are
//! `toolpost tools lint`.

#![allow(
    clippy::test_attr_in_doctest,
    reason = "the tests of the example are run by its hidden main"
)]

mod call;
mod claims;
mod drift;
mod environment;
#[cfg(target_os = "linux")]
mod opened;

pub use call::outcome_of;
pub use claims::{ClaimFault, ClaimFaultKind, assert_honest_claims, claims_of, claims_of_at};
pub use drift::{Drift, DriftKind, assert_no_drift, drift_of};
pub use environment::{Dependence, DependenceKind, assert_no_environment, dependence_of};
#[cfg(target_os = "linux")]
pub use opened::{Unclaimed, assert_opens_what_it_claims, opened_beyond_claims};

/// A `clippy.toml` for crates of tools: no environment, no globals, nothing that is the host's.
///
/// Copy it to `clippy.toml` beside the crate's `Cargo.toml`, together with what the workspace's own
/// says (clippy reads only the nearest). The lints are on by default; a line that is right all the
/// same says why: `#[expect(clippy::disallowed_methods, reason = "…")]`; integration tests, which
/// are no tools, allow it as a whole: `#![allow(clippy::disallowed_methods, …)]`. It is the file
/// `clippy-for-tools.toml` of this crate, and a test keeps a copy from growing old:
///
/// ```
/// # let copy = toolpost_test::CLIPPY_TOML; let _ = stringify! {
/// let copy = include_str!("../clippy.toml");
/// # };
/// assert!(copy.contains(toolpost_test::CLIPPY_TOML));
/// ```
pub const CLIPPY_TOML: &str = include_str!("../clippy-for-tools.toml");
