//! The tools through the public face: validated, permitted, run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod bfcl;
mod builtins;
mod commands;
mod common;
mod faults_edit;
mod read;
mod search;
mod stopping;
