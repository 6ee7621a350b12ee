//! Running a permitted call within its deadlines.
//!
//! A deadline stops the call; then it has its time of grace, and then it is given up where it is.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use toolpost_core::{
    Context, EventSink, Footprint, Outcome, PermittedCall, RunningCall, Stop, Surroundings,
};

use crate::nested::Nested;
use crate::session::Inner;
use crate::store::CallKey;
use crate::turns::Stopper;
use crate::watch::Watch;

pub(crate) async fn run(
    inner: &Arc<Inner>,
    call: PermittedCall,
    (parent, key): (Option<&Context>, Option<CallKey>),
    footprint: &Footprint,
    watch: &Arc<Watch>,
    stop: &Stopper,
) -> Outcome {
    // Its own token, so that a deadline stops this call and no other.
    let own = stop.token.child_token();
    let absolute = call.limits().timeout.or(inner.deadlines.absolute);
    let around = Surroundings {
        facts: inner.facts.clone(),
        cancel: Some(own.clone()),
        events: Some(Arc::clone(watch) as Arc<dyn EventSink>),
        dispatch: Some(Arc::new(Nested::new(
            Arc::clone(inner),
            footprint.clone(),
            key,
        ))),
    };
    watch.start();
    let mut running = match parent {
        Some(parent) => call.start_within(parent, around),
        None => call.start(around),
    };
    let why = tokio::select! {
        biased;
        outcome = &mut running => {
            // A tool may obey in the very moment in which it is told to stop.
            let told = stop.token.is_cancelled();
            return if told { outcome.stopped(&stop.why()) } else { outcome };
        }
        () = stop.token.cancelled() => stop.why(),
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
