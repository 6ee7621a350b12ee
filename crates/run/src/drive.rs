//! One admitted call from its place in the order to its outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use toolpost_core::{
    Answered, BoxFuture, CancellationToken, Context, Decided, Dispatch, ErrorKind, Event,
    EventSink, Footprint, Outcome, OutcomeError, PermittedCall, RawCall, RunningCall, Status, Stop,
    Surroundings, Time, ValidatedCall,
};

use crate::events::EventQueue;
use crate::session::Inner;
use crate::turns::Turn;

/// Deeper than this, a call that calls itself is stopped.
const MAX_DEPTH: u32 = 16;

/// A call that has its place.
pub(crate) struct Admitted {
    inner: Arc<Inner>,
    call: ValidatedCall,
    footprint: Footprint,
    turn: Turn,
    watch: Arc<Watch>,
    cancel: CancellationToken,
    admitted_ms: f64,
}

impl Admitted {
    pub(crate) fn new(
        inner: Arc<Inner>,
        call: ValidatedCall,
        footprint: Footprint,
        turn: Turn,
        queue: EventQueue,
        cancel: CancellationToken,
        admitted_ms: f64,
    ) -> Self {
        let watch = Arc::new(Watch::new(queue, inner.events.clone()));
        Self {
            inner,
            call,
            footprint,
            turn,
            watch,
            cancel,
            admitted_ms,
        }
    }

    /// Set when the tool has begun.
    pub(crate) fn started(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.watch.started)
    }

    pub(crate) async fn drive(self) -> Outcome {
        let Self {
            inner,
            call,
            footprint,
            mut turn,
            watch,
            cancel,
            admitted_ms,
        } = self;
        let id = Arc::clone(call.id());
        let limits = call.limits();
        let mut time = Time {
            admitted_ms,
            ..Time::default()
        };
        let mut footprint = footprint;
        let mut revised = |call: &ValidatedCall| {
            footprint = call.footprint(&inner.facts);
            turn.revise(footprint.clone());
        };
        let mut outcome = match permit(&inner, call, &cancel, &mut revised).await {
            Ok(call) => turn_and_run(&inner, call, turn, &watch, &cancel, &mut time).await,
            // The turn is dropped here: a call that does not run still keeps the order.
            Err(outcome) => *outcome,
        };
        outcome.footprint.get_or_insert(footprint);
        let mut outcome = inner.budget.fit(outcome, limits.result_chars);
        time.ended_ms = inner.clock.ms();
        outcome.time = Some(Box::new(time));
        watch.send(&id, Event::Ended);
        outcome
    }
}

/// Decides, and asks where that must be. Input that was edited starts over.
async fn permit(
    inner: &Inner,
    mut call: ValidatedCall,
    cancel: &CancellationToken,
    revised: &mut (dyn FnMut(&ValidatedCall) + Send),
) -> Result<PermittedCall, Box<Outcome>> {
    loop {
        let asked = match call.decide(&*inner.policy, &inner.facts) {
            Decided::Permitted(call) => return Ok(call),
            Decided::Denied(outcome) => return Err(outcome),
            Decided::Asked(asked) => asked,
        };
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(Box::new(asked.stop(Stop::Cancelled))),
            answer = inner.approver.ask(&asked) => answer,
        };
        call = match asked.answer(answer) {
            Answered::Permitted(call) => return Ok(call),
            Answered::Ended(outcome) => return Err(outcome),
            Answered::Revised(raw) => inner.toolbox.validate(raw, &inner.facts, &inner.read)?,
        };
        revised(&call);
    }
}

async fn turn_and_run(
    inner: &Arc<Inner>,
    call: PermittedCall,
    mut turn: Turn,
    watch: &Arc<Watch>,
    cancel: &CancellationToken,
    time: &mut Time,
) -> Outcome {
    let (waits, mut my_turn) = turn.permit();
    let waited = call.was_asked() || my_turn.try_recv().is_err();
    if !waits.is_empty() {
        watch.send(call.id(), Event::Waiting { on: waits.clone() });
        time.waited_for = waits;
    }
    if waited {
        tokio::select! {
            biased;
            () = cancel.cancelled() => return call.stop(Stop::Cancelled),
            _ = my_turn => {}
        }
    } else if cancel.is_cancelled() {
        return call.stop(Stop::Cancelled);
    }
    let call = match recheck(inner, call, waited) {
        Ok(call) => call,
        Err(outcome) => return *outcome,
    };
    time.started_ms = Some(inner.clock.ms());
    run(inner, call, None, watch, cancel).await
}

/// A verdict that had to wait is taken again: what it rests on may have changed meanwhile.
fn recheck(
    inner: &Inner,
    call: PermittedCall,
    waited: bool,
) -> Result<PermittedCall, Box<Outcome>> {
    if waited {
        call.recheck(&*inner.policy, &inner.facts)
    } else {
        Ok(call)
    }
}

/// Runs a permitted call within its deadlines.
async fn run(
    inner: &Arc<Inner>,
    call: PermittedCall,
    parent: Option<&Context>,
    watch: &Arc<Watch>,
    cancel: &CancellationToken,
) -> Outcome {
    // Its own token, so that a deadline stops this call and no other.
    let own = cancel.child_token();
    let absolute = call.limits().timeout.or(inner.deadlines.absolute);
    let around = Surroundings {
        facts: inner.facts.clone(),
        cancel: Some(own.clone()),
        events: Some(Arc::clone(watch) as Arc<dyn EventSink>),
        dispatch: Some(Arc::new(Nested(Arc::clone(inner)))),
    };
    watch.started.store(true, Ordering::Release);
    let mut running = match parent {
        Some(parent) => call.start_within(parent, around),
        None => call.start(around),
    };
    let why = tokio::select! {
        biased;
        outcome = &mut running => {
            // A tool may obey in the very moment in which it is told to stop.
            let told = cancel.is_cancelled();
            return if told { outcome.stopped(&Stop::Cancelled) } else { outcome };
        }
        () = cancel.cancelled() => Stop::Cancelled,
        why = deadline(absolute, inner.deadlines.idle, watch) => why,
    };
    own.cancel();
    end(running, why, inner.deadlines.grace).await
}

/// Gives the tool its time of grace, then drops it.
async fn end(mut running: RunningCall, why: Stop, grace: Duration) -> Outcome {
    match timeout(grace, &mut running).await {
        Ok(outcome) => outcome.stopped(&why),
        Err(_) => running.give_up(why),
    }
}

/// Ends when one of the limits is met; never, where there is none.
async fn deadline(absolute: Option<Duration>, idle: Option<Duration>, watch: &Watch) -> Stop {
    let start = Instant::now();
    let stop = |limit: Duration| Stop::TimedOut {
        after: format!("{limit:?}"),
    };
    loop {
        let heard = watch.last_heard().unwrap_or(start);
        let ends = [
            absolute.map(|limit| (start + limit, limit)),
            idle.map(|limit| (heard + limit, limit)),
        ];
        let Some((at, limit)) = ends.into_iter().flatten().min() else {
            return std::future::pending().await;
        };
        sleep_until(at).await;
        if Some(limit) != idle || watch.last_heard().unwrap_or(start) <= heard {
            return stop(limit);
        }
    }
}

/// Passes a call's events on, and remembers when the tool was last heard of.
pub(crate) struct Watch {
    queue: EventQueue,
    session: Option<Arc<dyn EventSink>>,
    started: Arc<AtomicBool>,
    heard: std::sync::Mutex<Option<Instant>>,
}

impl Watch {
    fn new(queue: EventQueue, session: Option<Arc<dyn EventSink>>) -> Self {
        Self {
            queue,
            session,
            started: Arc::default(),
            heard: std::sync::Mutex::default(),
        }
    }

    fn last_heard(&self) -> Option<Instant> {
        *self
            .heard
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl EventSink for Watch {
    fn send(&self, call: &Arc<str>, event: Event) {
        if matches!(event, Event::Progress(_)) {
            *self
                .heard
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Instant::now());
        }
        if let Some(session) = &self.session {
            session.send(call, event.clone());
        }
        self.queue.push(event);
    }
}

/// Sends calls that tools make through the whole pipeline.
struct Nested(Arc<Inner>);

impl Dispatch for Nested {
    fn dispatch(&self, call: RawCall, parent: Context) -> BoxFuture<'static, Outcome> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            if parent.depth() >= MAX_DEPTH {
                let error = OutcomeError::new(
                    ErrorKind::Denied,
                    "calls are nested too deep; do the rest in calls of its own",
                );
                let (id, name) = (call.id(), call.name());
                return Outcome {
                    status: Status::Denied,
                    ..Outcome::invalid(id, name, error)
                };
            }
            let cancel = parent.cancel().clone();
            let valid = match inner.toolbox.validate(call, &inner.facts, &inner.read) {
                Ok(valid) => valid,
                Err(outcome) => return *outcome,
            };
            let limits = valid.limits();
            let outcome = match permit(&inner, valid, &cancel, &mut |_| {}).await {
                Ok(call) => {
                    let was_asked = call.was_asked();
                    let call = match recheck(&inner, call, was_asked) {
                        Ok(call) => call,
                        Err(outcome) => return *outcome,
                    };
                    let watch = Arc::new(Watch::new(EventQueue::default(), inner.events.clone()));
                    run(&inner, call, Some(&parent), &watch, &cancel).await
                }
                Err(outcome) => *outcome,
            };
            inner.budget.fit(outcome, limits.result_chars)
        })
    }
}
