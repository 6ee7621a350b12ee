//! One admitted call from its place in the order to its outcome.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use toolpost_core::{
    Context, Event, EventSink, Footprint, Outcome, PermittedCall, Status, Time, ValidatedCall,
};

use crate::asking;
use crate::events::EventQueue;
use crate::permit::permit;
use crate::record::Record;
use crate::session::Inner;
use crate::store::CallKey;
use crate::turns::{Stopper, Turn};
use crate::watch::Watch;
use crate::{hook, limits};

/// A call that has its place.
pub(crate) struct Admitted {
    inner: Arc<Inner>,
    call: ValidatedCall,
    place: Placed,
    admitted_ms: f64,
    /// The call that this one is a part of.
    parent: Option<Context>,
}

/// Where a call stands in the order, and how to reach it.
pub(crate) struct Placed {
    pub(crate) turn: Arc<Turn>,
    /// Its place among those that may be asked about, until it is decided.
    pub(crate) asking: Option<asking::Place>,
    pub(crate) footprint: Footprint,
    pub(crate) stop: Stopper,
    pub(crate) watch: Arc<Watch>,
    pub(crate) record: Record,
}

impl Admitted {
    pub(crate) fn new(
        inner: Arc<Inner>,
        call: ValidatedCall,
        footprint: Footprint,
        turn: Turn,
        queue: EventQueue,
        stop: Stopper,
        parent: Option<CallKey>,
    ) -> Self {
        let record = inner.records.admit(&call, parent, &inner.facts);
        let watch = Arc::new(Watch::new(queue, inner.events.clone()));
        watch.send(call.id(), Event::Admitted);
        let admitted_ms = inner.clock.ms();
        let place = Placed {
            turn: Arc::new(turn),
            asking: None,
            footprint,
            stop,
            watch,
            record,
        };
        Self {
            inner,
            call,
            place,
            admitted_ms,
            parent: None,
        }
    }

    /// The same, asked about after those that were admitted earlier.
    pub(crate) fn asked_in_order(mut self, asking: asking::Place) -> Self {
        self.place.asking = Some(asking);
        self
    }

    /// The same as a part of another call.
    pub(crate) fn within(mut self, parent: Context) -> Self {
        self.parent = Some(parent);
        self
    }

    /// Set when the tool has begun.
    pub(crate) fn started(&self) -> Arc<AtomicBool> {
        self.place.watch.started()
    }

    pub(crate) async fn drive(self) -> Outcome {
        let Self {
            inner,
            call,
            mut place,
            admitted_ms,
            parent,
        } = self;
        let id = Arc::clone(call.id());
        let (limits, reach) = (call.limits(), call.failure_reach());
        let mut time = Time {
            admitted_ms,
            ..Time::default()
        };
        let mut outcome = match permit(&inner, call, &mut place).await {
            Ok(call) => turn_and_run(&inner, call, &mut place, &mut time, parent.as_ref()).await,
            Err(outcome) => *outcome,
        };
        if matches!(
            outcome.status,
            Status::Failed | Status::TimedOut | Status::Cancelled
        ) {
            place.turn.fail(reach);
        }
        hook::after(&inner.hooks, &outcome, &inner.facts).await;
        let Placed {
            turn,
            footprint,
            watch,
            mut record,
            ..
        } = place;
        // Later calls go on from here. One that did not run still keeps the order.
        drop(turn);
        outcome.footprint.get_or_insert(footprint);
        let mut outcome = inner.budget.fit(outcome, limits.result_chars);
        time.ended_ms = inner.clock.ms();
        outcome.time = Some(Box::new(time));
        record.end(&outcome).await;
        watch.send(&id, Event::Ended);
        outcome
    }
}

async fn turn_and_run(
    inner: &Arc<Inner>,
    call: PermittedCall,
    place: &mut Placed,
    time: &mut Time,
    parent: Option<&Context>,
) -> Outcome {
    let (waits, mut my_turn) = place.turn.permit();
    if !waits.is_empty() {
        place
            .watch
            .send(call.id(), Event::Waiting { on: waits.clone() });
        time.waited_for = waits;
    }
    let look = place.turn.look();
    let token = place.stop.token.clone();
    let mut has_waited = call.was_asked();
    if my_turn.try_recv().is_ok() {
        if token.is_cancelled() {
            return call.stop(place.stop.why());
        }
    } else {
        has_waited = true;
        loop {
            tokio::select! {
                biased;
                () = token.cancelled() => return call.stop(place.stop.why()),
                _ = &mut my_turn => break,
                () = look.notified() => place.revise(call.footprint(&inner.facts)),
            }
        }
    }
    // What the verdict rests on may have changed while the call waited.
    let call = if has_waited {
        match call.recheck(&*inner.policy, &inner.facts) {
            Ok(call) => call,
            Err(outcome) => return *outcome,
        }
    } else {
        call
    };
    let call = match place.record.start(call).await {
        Ok(call) => call,
        Err(outcome) => return *outcome,
    };
    // Writing that down may have taken a while.
    if token.is_cancelled() {
        return call.stop(place.stop.why());
    }
    time.started_ms = Some(inner.clock.ms());
    limits::run(inner, call, parent, place).await
}

impl Placed {
    pub(crate) fn revise(&mut self, footprint: Footprint) {
        self.footprint = footprint.clone();
        self.turn.revise(footprint);
    }
}
