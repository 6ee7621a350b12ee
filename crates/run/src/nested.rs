//! Calls that a tool makes: the whole pipeline, as a part of the call that makes them.
//!
//! What a nested call touches must lie within what its parent claimed, since the parent's place in
//! the order is all that keeps it apart from others. So it needs no slot of the session, and cannot
//! wait for a call that waits for its parent. The nested calls of one parent keep an order of their
//! own.

use std::sync::{Arc, OnceLock};

use toolpost_core::{
    BoxFuture, Context, Dispatch, ErrorKind, Footprint, Outcome, OutcomeError, RawCall, Status,
};

use crate::drive::Admitted;
use crate::events::EventQueue;
use crate::session::Inner;
use crate::store::CallKey;
use crate::turns::{Stopper, Turns};

/// Deeper than this, a call that calls itself is stopped.
const MAX_DEPTH: u32 = 16;

/// Takes the calls that one call makes.
pub(crate) struct Nested {
    inner: Arc<Inner>,
    /// What the parent claimed.
    footprint: Footprint,
    /// The parent's, where calls are kept.
    key: Option<CallKey>,
    /// Made with the first nested call; most calls make none.
    turns: OnceLock<Turns>,
}

impl Nested {
    pub(crate) fn new(inner: Arc<Inner>, footprint: Footprint, key: Option<CallKey>) -> Self {
        let turns = OnceLock::new();
        Self {
            inner,
            footprint,
            key,
            turns,
        }
    }

    fn admit(&self, call: RawCall, parent: &Context) -> Result<Admitted, Box<Outcome>> {
        if parent.depth() >= MAX_DEPTH {
            let message = "calls are nested too deep; do the rest in calls of its own";
            return Err(Box::new(refused(&call, message)));
        }
        let inner = &self.inner;
        let (id, name) = (Arc::clone(call.id()), Arc::clone(call.name()));
        let call = inner.toolbox.validate(call, &inner.facts, &inner.read)?;
        let footprint = call.footprint(&inner.facts);
        if !footprint.is_within(&self.footprint) {
            let message = "it touches more than the call that makes it has claimed: a fault of \
                           that tool's footprint";
            let raw = RawCall::new(id, name, "");
            return Err(Box::new(refused(&raw, message)));
        }
        let stop = Stopper::new(parent.cancel().clone());
        let pool = call.limits().pool;
        let turn = self
            .turns
            .get_or_init(|| Turns::new(inner.slots, &inner.pools))
            .admit(call.id(), footprint.clone(), pool, stop.clone());
        let queue = EventQueue::default();
        let admitted = Admitted::new(
            Arc::clone(inner),
            call,
            footprint,
            turn,
            queue,
            stop,
            self.key,
        );
        Ok(admitted.within(parent.clone()))
    }
}

impl Dispatch for Nested {
    fn dispatch(&self, call: RawCall, parent: Context) -> BoxFuture<'static, Outcome> {
        // The place is taken now, so that nested calls keep the order in which they were made.
        let records = &self.inner.records;
        let raw = records.raw(&call);
        match self.admit(call, &parent) {
            Ok(admitted) => Box::pin(admitted.drive()),
            Err(outcome) => {
                if let Some(raw) = raw {
                    records.refused(&raw, self.key, &outcome);
                }
                Box::pin(async move { *outcome })
            }
        }
    }
}

fn refused(call: &RawCall, message: &str) -> Outcome {
    let error = OutcomeError::new(ErrorKind::Denied, message);
    Outcome {
        status: Status::Denied,
        ..Outcome::invalid(call.id(), call.name(), error)
    }
}
