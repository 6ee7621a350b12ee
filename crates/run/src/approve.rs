//! Who answers when a call must be asked about.

use toolpost_core::{Answer, AskedCall, BoxFuture};

/// Answers questions about calls. Asked before the call takes a slot, so others run meanwhile.
pub trait Approver: Send + Sync {
    /// Answers about one call.
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer>;
}

/// Nobody is there to be asked, so nothing that needs asking runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask<'a>(&'a self, _call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::Nobody })
    }
}
