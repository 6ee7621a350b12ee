//! A call that may run, once; and a call that runs.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, ready};

use super::validated::ValidatedCall;
use crate::context::{BoxFuture, Context, Surroundings};
use crate::definition::{FailureReach, ToolLimits};
use crate::effects::Effects;
use crate::erased::{Raised, Returned};
use crate::event::Event;
use crate::facts::Facts;
use crate::footprint::Footprint;
use crate::outcome::{ErrorKind, Outcome, OutcomeError, Record, Status, Stop};
use crate::policy::{self, Binding, DecidedBy, Decision, Policy, Verdict};

/// A permit to run one call once. It is made only by a decision or an answer, cannot be copied,
/// and is used up by running.
#[must_use = "a permitted call that is not run has no outcome"]
#[derive(Debug)]
pub struct PermittedCall {
    call: ValidatedCall,
    /// What the policy had said, before a person did.
    basis: Verdict,
    binding: Option<Arc<Binding>>,
}

impl PermittedCall {
    pub(super) fn new(mut call: ValidatedCall, decision: Decision) -> Self {
        let (basis, binding) = (decision.effect, decision.binding.clone());
        call.record.decision = Some(decision);
        Self {
            call,
            basis,
            binding,
        }
    }

    /// The same, permitted by a person after the policy had said this.
    pub(super) fn asked(mut self, by_policy: &Decision) -> Self {
        self.basis = by_policy.effect;
        self.binding.clone_from(&by_policy.binding);
        self
    }

    /// The same, where the policy alone had said this.
    pub(super) const fn resting_on(mut self, basis: Verdict) -> Self {
        self.basis = basis;
        self
    }

    /// Whether a person was asked, or a hook spoke for one.
    pub fn was_asked(&self) -> bool {
        self.basis == Verdict::Ask
    }

    /// Takes the verdict again at the start of execution. What it rests on may have changed while
    /// the call waited: a link, the working folder. It may only become stricter, and a stricter
    /// one is a denial that says what changed.
    ///
    /// # Errors
    ///
    /// The outcome of the denied call.
    pub fn recheck(self, policy: &dyn Policy, facts: &Facts) -> Result<Self, Box<Outcome>> {
        let now = policy::decide(policy, &self.call, facts);
        // Rules judge the new place by themselves; a person has only seen the old one.
        if self.was_asked()
            && let (Some(before), Some(found)) = (&self.binding, &now.binding)
            && before.is_elsewhere(found)
        {
            let reason = "the shell stands in another folder than when it was permitted; call it \
                          again, so that it is asked for there";
            let denied = Decision::new(Verdict::Deny, DecidedBy::Tool, reason);
            return Err(self.call.denied(denied));
        }
        match now.against(self.basis, self.binding.as_deref()) {
            None => Ok(self),
            Some(denied) => Err(self.call.denied(denied)),
        }
    }

    /// Why it may run.
    pub const fn decision(&self) -> Option<&Decision> {
        self.call.record.decision.as_ref()
    }

    /// The id that the outcome will carry.
    pub fn id(&self) -> &Arc<str> {
        self.call.id()
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        self.call.name()
    }

    /// The input that was permitted and will run.
    pub fn input(&self) -> &str {
        self.call.input()
    }

    /// What the call does, for a person.
    pub fn describe(&self) -> String {
        self.call.describe()
    }

    /// What the call may do to the world.
    pub fn effects(&self) -> Effects {
        self.call.effects()
    }

    /// What the call touches.
    pub fn footprint(&self, facts: &Facts) -> Footprint {
        self.call.footprint(facts)
    }

    /// Whether a failure reaches later calls.
    pub fn failure_reach(&self) -> FailureReach {
        self.call.failure_reach()
    }

    /// The tool's own limits.
    pub fn limits(&self) -> ToolLimits {
        self.call.limits()
    }

    /// Begins the call at the top of the tree of calls.
    pub fn start(self, around: Surroundings) -> RunningCall {
        self.start_at(0, around)
    }

    /// Begins the call as a part of the call that `parent` belongs to.
    pub fn start_within(self, parent: &Context, around: Surroundings) -> RunningCall {
        self.start_at(parent.depth().saturating_add(1), around)
    }

    fn start_at(self, depth: u32, around: Surroundings) -> RunningCall {
        let ValidatedCall {
            record, prepared, ..
        } = self.call;
        let cx: Context = Context::new(Arc::clone(&record.id), depth, around);
        if cx.is_watched() {
            cx.send(Event::Started {
                description: prepared.describe(),
            });
        }
        // Even making the future is the tool's code, which may panic.
        let future = catch_unwind(AssertUnwindSafe(|| prepared.run(cx)))
            .unwrap_or_else(|panic| Box::pin(async move { Err(Raised::Panic(panic)) }));
        RunningCall {
            record: Arc::new(Mutex::new(Some(record))),
            future,
        }
    }

    /// Runs the call to its end.
    pub async fn run(self, around: Surroundings) -> Outcome {
        self.start(around).await
    }

    /// Its outcome in a dry run.
    pub fn plan(self) -> Outcome {
        self.call.record.outcome(Status::Planned)
    }

    /// Its outcome when it is ended before it began.
    pub fn stop(self, why: Stop) -> Outcome {
        self.call.record.ended(why, false)
    }

    /// Its outcome when the host could not begin it for this reason.
    pub fn fail(self, mut error: OutcomeError) -> Outcome {
        error.started = Some(false);
        self.call.record.failed(Status::Failed, error)
    }
}

/// A call that has begun. Await it for its outcome.
///
/// Dropped, the tool's work stops where it is, and there is no outcome.
#[must_use = "a call that has begun does nothing unless it is awaited"]
pub struct RunningCall {
    record: TheRecord,
    future: BoxFuture<'static, Result<Returned, Raised>>,
}

/// Whoever takes it makes the call's one outcome.
type TheRecord = Arc<Mutex<Option<Record>>>;

/// Gives an outcome to a call that does not stop when it is told to. Its tool may be at work still.
#[derive(Debug)]
pub struct Abandon(TheRecord);

impl Abandon {
    /// The call's outcome; nothing if the call has ended meanwhile and has its own.
    pub fn outcome(self, why: Stop) -> Option<Outcome> {
        let mut outcome = take(&self.0)?.ended(why, true);
        if let Some(error) = &mut outcome.error {
            error.message.push_str(
                "; it did not stop when it was told to and may be at work still, so later calls \
                 that touch the same wait for it",
            );
        }
        Some(outcome)
    }
}

fn take(record: &TheRecord) -> Option<Record> {
    record.lock().unwrap_or_else(PoisonError::into_inner).take()
}

impl RunningCall {
    /// The way to an outcome that does not wait for the tool. Of this outcome and the call's own
    /// there is only ever one.
    pub fn abandon(&self) -> Abandon {
        Abandon(Arc::clone(&self.record))
    }
}

impl Future for RunningCall {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> Poll<Outcome> {
        let this = self.get_mut();
        let polled = catch_unwind(AssertUnwindSafe(|| this.future.as_mut().poll(cx)));
        let result = match polled {
            Ok(poll) => ready!(poll),
            Err(panic) => Err(Raised::Panic(panic)),
        };
        // A tool's destructors are its code too. Polling again is a misuse that waits for ever.
        let done = std::mem::replace(&mut this.future, Box::pin(std::future::pending()));
        let result = catch_unwind(AssertUnwindSafe(move || drop(done)))
            .map_or_else(|panic| Err(Raised::Panic(panic)), |()| result);
        let Some(record) = take(&this.record) else {
            // Whoever abandoned the call has its outcome; this one is nobody's.
            return Poll::Ready(Outcome::cancelled(&"".into(), "", true));
        };
        Poll::Ready(match result {
            Ok(returned) => Outcome {
                content: returned.content,
                structured: returned.structured,
                ..record.outcome(Status::Done)
            },
            Err(raised) => record.failed(Status::Failed, raised.into_error()),
        })
    }
}

impl fmt::Debug for RunningCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningCall")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

impl Raised {
    fn into_error(self) -> OutcomeError {
        match self {
            Self::Tool(error) => {
                let (code, message, operator_text) = error.into_parts();
                let kind = if code == crate::NO_COMMAND {
                    ErrorKind::NoCommand
                } else {
                    ErrorKind::ToolFailed
                };
                let mut out = OutcomeError::new(kind, message);
                out.code = Some(code);
                out.operator_text = operator_text;
                out
            }
            Self::Output(problems) => {
                let mut out = OutcomeError::new(
                    ErrorKind::InvalidOutput,
                    "the tool ran, but its output does not fit its output schema: a fault of the \
                     tool, not of the call; its effects may have happened",
                );
                out.problems = problems;
                out
            }
            Self::Panic(panic) => panicked(&*panic),
        }
    }
}

/// The panic's own text may hold anything of the host, so only the operator reads it.
fn panicked(panic: &(dyn Any + Send)) -> OutcomeError {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    let mut out = OutcomeError::new(
        ErrorKind::Panicked,
        "the tool broke down while it ran: a fault of the tool, not of the call; part of it may be \
         done",
    );
    out.operator_text = text;
    out
}
