//! The approver that keeps a question instead of asking anybody.

use std::panic::{AssertUnwindSafe, catch_unwind};

use toolpost_core::{Answer, AskedCall, BoxFuture};

use super::Recorder;
use crate::Approver;

/// Keeps each question in the journal, and answers with what was answered there before: see
/// [`Recorder::queue`]. A call whose question is new ends `pending`.
#[derive(Debug, Clone)]
pub struct Queue(pub(super) Recorder);

impl Approver for Queue {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            // The words are the tool's own code, which may break down.
            let description = catch_unwind(AssertUnwindSafe(|| call.call().describe()))
                .unwrap_or_else(|_| call.call().name().to_owned());
            match self.0.ask(call, description).await {
                Ok(answer) => answer,
                Err(_) => Answer::Nobody,
            }
        })
    }

    /// Each call takes up an answer of its own.
    fn counts_answers(&self) -> bool {
        true
    }
}
