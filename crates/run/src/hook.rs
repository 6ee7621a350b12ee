//! Hooks: what else has a word in permission, and what is told of outcomes.
//!
//! A hook can only make a verdict stricter, with one exception: its consent lifts an ask that
//! nothing but the mode made. What breaks, hangs or cannot be understood is never consent: then a
//! person must be asked. Input that a hook changes starts over, from validation and with all hooks.

use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use toolpost_core::{BoxFuture, Check, Facts, Outcome, ValidatedCall};

/// So often hooks may change the input of one call before a person must look.
const MOST_ROUNDS: u8 = 5;

/// What a hook says to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookAnswer {
    /// Nothing.
    Pass,
    /// It has nothing against it, for this reason: lifts an ask that nothing but the mode made.
    Allow(String),
    /// A person must be asked, for this reason.
    Ask(String),
    /// It must not run, for this reason.
    Deny(String),
    /// It runs with this input instead, JSON text, which starts over.
    Rewrite(String),
}

/// Has a word before permission and hears of each outcome. Nested calls pass it like others.
pub trait Hook: Send + Sync {
    /// What it says to this call. Asked before the call waits for a turn or takes a slot.
    fn before<'a>(
        &'a self,
        call: &'a ValidatedCall,
        facts: &'a Facts,
    ) -> BoxFuture<'a, HookAnswer> {
        let _ = (call, facts);
        Box::pin(async { HookAnswer::Pass })
    }

    /// Told of the outcome of a call that had its place, whatever it is, while what the call
    /// touched is still its own. It can change nothing about the outcome.
    fn after<'a>(&'a self, outcome: &'a Outcome, facts: &'a Facts) -> BoxFuture<'a, ()> {
        let _ = (outcome, facts);
        Box::pin(async {})
    }

    /// The longest that it may take; 10 seconds unless it says more. One that takes longer before
    /// permission has not consented, and one that does after the outcome is not waited for.
    fn limit(&self) -> Duration {
        Duration::from_secs(10)
    }
}

impl<H: Hook + ?Sized> Hook for Arc<H> {
    fn before<'a>(
        &'a self,
        call: &'a ValidatedCall,
        facts: &'a Facts,
    ) -> BoxFuture<'a, HookAnswer> {
        (**self).before(call, facts)
    }

    fn after<'a>(&'a self, outcome: &'a Outcome, facts: &'a Facts) -> BoxFuture<'a, ()> {
        (**self).after(outcome, facts)
    }

    fn limit(&self) -> Duration {
        (**self).limit()
    }
}

/// The hooks of a session, in the order in which they are asked.
pub(crate) type Hooks = Vec<Arc<dyn Hook>>;

/// What came of asking all hooks.
pub(crate) enum Said {
    /// What they say to the call as it is.
    Checks(Vec<Check>),
    /// One of them wants this input instead.
    Rewrite(String),
}

/// Asks all hooks about a call that hooks have changed `rounds` times.
pub(crate) async fn before(hooks: &Hooks, call: &ValidatedCall, facts: &Facts, rounds: u8) -> Said {
    let mut checks = Vec::new();
    for hook in hooks {
        checks.push(
            match bounded(&**hook, |hook| hook.before(call, facts)).await {
                Err(fault) => Check::Ask(format!("a hook {fault}, which is no consent")),
                Ok(HookAnswer::Pass) => Check::Defer,
                Ok(HookAnswer::Allow(reason)) => Check::Allow(reason),
                Ok(HookAnswer::Ask(reason)) => Check::Ask(reason),
                Ok(HookAnswer::Deny(reason)) => Check::Deny(reason),
                Ok(HookAnswer::Rewrite(input)) if is_same(&input, call.input()) => Check::Defer,
                Ok(HookAnswer::Rewrite(_)) if rounds >= MOST_ROUNDS => {
                    Check::Ask("hooks keep changing the input".to_owned())
                }
                // What is denied already is denied, whatever else it could have become.
                Ok(HookAnswer::Rewrite(_)) if is_denied(&checks) => Check::Defer,
                Ok(HookAnswer::Rewrite(input)) => return Said::Rewrite(input),
            },
        );
    }
    Said::Checks(checks)
}

fn is_denied(checks: &[Check]) -> bool {
    checks.iter().any(|check| matches!(check, Check::Deny(_)))
}

/// Tells all hooks of an outcome.
pub(crate) async fn after(hooks: &Hooks, outcome: &Outcome, facts: &Facts) {
    for hook in hooks {
        // There is nobody to be told that a hook broke; one that wants to can say so itself.
        let _ = bounded(&**hook, |hook| hook.after(outcome, facts)).await;
    }
}

/// Runs one hook within its limit; a panic stays inside.
async fn bounded<'h, T>(
    hook: &'h dyn Hook,
    run: impl FnOnce(&'h dyn Hook) -> BoxFuture<'h, T>,
) -> Result<T, String> {
    let broke = || "broke".to_owned();
    let caught = catch_unwind(AssertUnwindSafe(|| (hook.limit(), run(hook))));
    let (limit, future) = caught.map_err(|_| broke())?;
    match tokio::time::timeout(limit, unpanicked(future)).await {
        Ok(Some(value)) => Ok(value),
        Ok(None) => Err(broke()),
        Err(_) => Err(format!("took longer than {limit:?}")),
    }
}

/// The value of a future; nothing when it panics.
fn unpanicked<T>(mut future: BoxFuture<'_, T>) -> impl Future<Output = Option<T>> {
    poll_fn(move |cx| {
        let future: Pin<&mut _> = future.as_mut();
        match catch_unwind(AssertUnwindSafe(|| future.poll(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
            Err(_) => Poll::Ready(None),
        }
    })
}

fn is_same(text: &str, other: &str) -> bool {
    let read = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    text == other || read(text).is_some_and(|value| read(other) == Some(value))
}
