//! The tools through the public face: validated, permitted, run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]
#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "what tools may not do, a test of them may"
)]

mod apply_patch;
mod bash;
mod bfcl;
mod builtins;
mod cancel;
mod commands;
mod common;
mod faults_edit;
mod faults_more;
#[cfg(feature = "media")]
mod media;
mod multi_edit;
mod notebooks;
mod parallel;
mod read;
mod search;
mod stopping;
