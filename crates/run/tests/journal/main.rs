//! The journal from outside: what it keeps, what a crash leaves, and what questions come to.

#![cfg(feature = "journal")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod kept;
mod property;
mod questions;
mod sessions;
mod support;
