//! Who answers when a call must be asked about.

use std::sync::Arc;

use toolpost_core::{Answer, AskedCall, BoxFuture};

mod once;

pub use once::OnceEach;

/// Answers questions about calls. Asked before the call takes a slot, so others run meanwhile.
pub trait Approver: Send + Sync {
    /// Answers about one call. Where several calls wait with the same tool and the very same
    /// input, this is asked about one of them, and the answer is for all.
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer>;

    /// Whether answers are counted here, so that this must be asked about each of several equal
    /// calls.
    fn counts_answers(&self) -> bool {
        false
    }
}

impl<A: Approver + ?Sized> Approver for Arc<A> {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        (**self).ask(call)
    }

    fn counts_answers(&self) -> bool {
        (**self).counts_answers()
    }
}

/// Nobody is there to be asked, so nothing that needs asking runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Nobody;

impl Approver for Nobody {
    fn ask<'a>(&'a self, _call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::Nobody })
    }
}
