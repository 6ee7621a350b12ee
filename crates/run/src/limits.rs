//! Running a permitted call within its deadlines.
//!
//! The tool runs in a task of its own, so that one which blocks holds up nobody who waits for it. A
//! deadline tells it to stop; then it has its time of grace, and then it is abandoned: the call has
//! its outcome, and what the tool touches stays claimed until it really ends.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, sleep_until, timeout};
use toolpost_core::{
    Abandon, CancellationToken, Context, EventSink, Outcome, PermittedCall, Stop, Surroundings,
};

use crate::drive::Placed;
use crate::nested::Nested;
use crate::session::Inner;
use crate::watch::Watch;

pub(crate) async fn run(
    inner: &Arc<Inner>,
    call: PermittedCall,
    parent: Option<&Context>,
    place: &Placed,
) -> Outcome {
    let Placed { stop, watch, .. } = place;
    // Its own token, so that a deadline stops this call and no other, and so that the tool is told
    // when nobody wants its outcome any more.
    let own = stop.token.child_token();
    let _told = own.clone().drop_guard();
    // The tool's own and the session's: the shorter holds.
    let limits = [call.limits().timeout, inner.deadlines.absolute];
    let absolute = limits.into_iter().flatten().min();
    let mut tool = start(inner, call, parent, place, own.clone());
    let why = tokio::select! {
        biased;
        ended = &mut tool.task => {
            let outcome = tool.outcome_of(ended);
            // A tool may obey in the very moment in which it is told to stop.
            let told = stop.token.is_cancelled();
            return if told { outcome.stopped(&stop.why()) } else { outcome };
        }
        () = stop.token.cancelled() => stop.why(),
        why = deadline(absolute, inner.deadlines.idle, watch) => why,
    };
    own.cancel();
    match timeout(inner.deadlines.grace, &mut tool.task).await {
        Ok(ended) => tool.outcome_of(ended).stopped(&why),
        Err(_) => tool.abandon(why, place).await,
    }
}

/// A tool at work.
struct AtWork {
    task: JoinHandle<Outcome>,
    abandon: Abandon,
}

fn start(
    inner: &Arc<Inner>,
    call: PermittedCall,
    parent: Option<&Context>,
    place: &Placed,
    cancel: CancellationToken,
) -> AtWork {
    let around = Surroundings {
        facts: inner.facts.clone(),
        cancel: Some(cancel),
        events: Some(Arc::clone(&place.watch) as Arc<dyn EventSink>),
        dispatch: Some(Arc::new(Nested::new(
            Arc::clone(inner),
            place.footprint.clone(),
            place.record.key(),
        ))),
    };
    place.watch.start();
    let running = match parent {
        Some(parent) => call.start_within(parent, around),
        None => call.start(around),
    };
    let abandon = running.abandon();
    let held = Arc::clone(&place.turn);
    let task = tokio::spawn(async move {
        let outcome = running.await;
        drop(held);
        outcome
    });
    AtWork { task, abandon }
}

impl AtWork {
    /// The outcome of a task that ended, also where the runtime ended it.
    fn outcome_of(self, ended: Result<Outcome, JoinError>) -> Outcome {
        let nobodys = || Outcome::cancelled(&"".into(), "", true);
        ended.unwrap_or_else(|_| {
            self.abandon
                .outcome(Stop::Cancelled)
                .unwrap_or_else(nobodys)
        })
    }

    async fn abandon(self, why: Stop, place: &Placed) -> Outcome {
        match self.abandon.outcome(why.clone()) {
            Some(outcome) => {
                place.turn.abandon();
                outcome
            }
            // It ended in this very moment, so its own outcome is there.
            None => match self.task.await {
                Ok(outcome) => outcome.stopped(&why),
                Err(_) => Outcome::cancelled(&"".into(), "", true),
            },
        }
    }
}

/// Ends when one of the limits is met; never, where there is none.
async fn deadline(absolute: Option<Duration>, idle: Option<Duration>, watch: &Watch) -> Stop {
    let start = Instant::now();
    loop {
        let heard = watch.last_heard().unwrap_or(start);
        let at_last = absolute.map(|limit| (start + limit, limit));
        let at_idle = idle.map(|limit| (heard + limit, limit));
        let Some((at, limit)) = at_last.into_iter().chain(at_idle).min() else {
            return std::future::pending().await;
        };
        sleep_until(at).await;
        let is_idle = at_idle.is_some_and(|(idle_at, _)| idle_at == at);
        if !is_idle || watch.last_heard().unwrap_or(start) <= heard {
            return Stop::TimedOut {
                after: format!("{limit:?}"),
            };
        }
    }
}
