//! Where the driver tells what happens to calls, and who keeps it.
//!
//! A session without a store keeps nothing and pays nothing. The store that comes with this crate
//! is the journal; a host may bring its own.

use std::path::Path;
use std::sync::Arc;

use thiserror::Error;
use toolpost_core::{BoxFuture, Effects, Outcome, PermittedCall, RawCall, Repair, ValidatedCall};

/// One call of a session: a number that the driver gives, since ids are the model's and nested
/// calls may repeat them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallKey(pub u64);

/// Why something could not be kept, for the operator.
#[derive(Debug, Clone, Error)]
#[error("{0}")]
pub struct StoreError(pub String);

/// What is known of a call when it gets its place, or after its input was changed.
#[derive(Debug, Clone, Copy)]
pub struct NotedCall<'a> {
    /// The call's id.
    pub id: &'a str,
    /// The tool's name as it was called.
    pub name: &'a str,
    /// The input as JSON text, after repair; as the model wrote it where it is not valid.
    pub input: &'a str,
    /// What was mended in it.
    pub repairs: &'a [Repair],
    /// What the call may do; nothing where the call is not valid.
    pub effects: Option<Effects>,
    /// The call that this one is a part of.
    pub parent: Option<CallKey>,
    /// The folder that the shell stands in, where that is not the root.
    pub folder: Option<&'a Path>,
}

/// Keeps what happens to calls.
///
/// For each call the driver says `admit`, perhaps `revise`, perhaps `start`, and then either `end`
/// or, where the call was dropped on its way, `abandon`.
pub trait CallStore: Send + Sync {
    /// A call has its place. Nothing has to be kept durably yet.
    fn admit(&self, key: CallKey, call: NotedCall<'_>);

    /// The call is about to begin, and begins only when this says so. What has an effect that
    /// cannot be repeated must be kept durably by then.
    fn start<'a>(
        &'a self,
        key: CallKey,
        call: &'a PermittedCall,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// The call has its outcome. It is taken note of at once; what this gives ends when that is as
    /// durable as it must be, and only then is the outcome given away. A call that never was valid
    /// has had no effect, and for it nobody waits.
    fn end(&self, key: CallKey, outcome: &Outcome) -> BoxFuture<'static, ()>;

    /// The call has another input than it was admitted with.
    fn revise(&self, _key: CallKey, _call: NotedCall<'_>) {}

    /// The call was dropped on its way and will have no outcome.
    fn abandon(&self, _key: CallKey) {}
}

impl<S: CallStore + ?Sized> CallStore for Arc<S> {
    fn admit(&self, key: CallKey, call: NotedCall<'_>) {
        (**self).admit(key, call);
    }

    fn start<'a>(
        &'a self,
        key: CallKey,
        call: &'a PermittedCall,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        (**self).start(key, call)
    }

    fn end(&self, key: CallKey, outcome: &Outcome) -> BoxFuture<'static, ()> {
        (**self).end(key, outcome)
    }

    fn revise(&self, key: CallKey, call: NotedCall<'_>) {
        (**self).revise(key, call);
    }

    fn abandon(&self, key: CallKey) {
        (**self).abandon(key);
    }
}

impl<'a> NotedCall<'a> {
    /// What is known of a call that is valid. `folder` is the one that the shell stands in, where
    /// that is not the root.
    pub fn valid(
        call: &'a ValidatedCall,
        parent: Option<CallKey>,
        folder: Option<&'a Path>,
    ) -> Self {
        Self {
            id: call.id(),
            name: call.name(),
            input: call.input(),
            repairs: call.repairs(),
            effects: Some(call.effects()),
            parent,
            folder,
        }
    }

    /// What is known of a call that may not be valid.
    pub fn raw(call: &'a RawCall, parent: Option<CallKey>) -> Self {
        Self {
            id: call.id(),
            name: call.name(),
            input: call.input(),
            repairs: &[],
            effects: None,
            parent,
            folder: None,
        }
    }
}
