//! A call that waits for a person's word.

use std::sync::Arc;

use super::permitted::PermittedCall;
use super::raw::RawCall;
use super::validated::{ValidatedCall, denial};
use crate::outcome::{ErrorKind, Outcome, OutcomeError, Status, Stop};
use crate::policy::{DecidedBy, Decision, Verdict};

/// A call that a person must be asked about. Only an [`Answer`] takes it further.
#[derive(Debug)]
pub struct AskedCall {
    call: ValidatedCall,
    decision: Decision,
    is_asked_by_hook: bool,
}

/// What came of asking.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Yes, this once.
    Yes,
    /// No, with words for the model where the person gave some.
    No(Option<String>),
    /// Run this input instead. It starts over from validation.
    Edit(String),
    /// Nobody could be asked.
    Nobody,
    /// The question is kept and will be answered later.
    Later,
}

/// What an answer makes of a call.
#[derive(Debug)]
pub enum Answered {
    /// It may run.
    Permitted(PermittedCall),
    /// It will not run; this is its outcome.
    Ended(Box<Outcome>),
    /// Its input was changed, so it starts over.
    Revised(RawCall),
}

impl AskedCall {
    pub(super) const fn new(
        call: ValidatedCall,
        decision: Decision,
        is_asked_by_hook: bool,
    ) -> Self {
        Self {
            call,
            decision,
            is_asked_by_hook,
        }
    }

    /// The call that is asked about.
    pub const fn call(&self) -> &ValidatedCall {
        &self.call
    }

    /// Why it is asked.
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// Whether a hook wants a person to be asked, whatever the policy says. No rule settles that.
    pub const fn is_asked_by_hook(&self) -> bool {
        self.is_asked_by_hook
    }

    /// Takes the answer.
    pub fn answer(self, answer: Answer) -> Answered {
        let Self { call, decision, .. } = self;
        match answer {
            Answer::Yes => {
                let yes = Decision::new(Verdict::Allow, DecidedBy::Person, "a person said yes");
                Answered::Permitted(PermittedCall::new(call, yes).asked(&decision))
            }
            Answer::No(words) => {
                let reason = words.unwrap_or_else(|| "a person said no".to_owned());
                let no = Decision::new(Verdict::Deny, DecidedBy::Person, reason);
                let message = denial(&no);
                end(call, no, Status::Denied, ErrorKind::Denied, message)
            }
            Answer::Edit(input) => {
                let name = Arc::clone(&call.record.name);
                Answered::Revised(RawCall::new(call.record.id, name, input))
            }
            Answer::Nobody => {
                let message = format!(
                    "not run: it needs a person's permission ({}), and nobody can be asked here; \
                     go on without it, or ask for it to be allowed",
                    decision.reason
                );
                end(
                    call,
                    decision,
                    Status::Denied,
                    ErrorKind::NotAnswered,
                    message,
                )
            }
            Answer::Later => {
                let message = format!(
                    "not run yet: it waits for a person's permission ({}); the same call picks the \
                     answer up when it is there",
                    decision.reason
                );
                end(call, decision, Status::Pending, ErrorKind::Pending, message)
            }
        }
    }

    /// Its outcome when it is ended before it was answered.
    pub fn stop(mut self, why: Stop) -> Outcome {
        self.call.record.decision = Some(self.decision);
        self.call.record.ended(why, false)
    }
}

fn end(
    mut call: ValidatedCall,
    decision: Decision,
    status: Status,
    kind: ErrorKind,
    message: String,
) -> Answered {
    call.record.decision = Some(decision);
    Answered::Ended(Box::new(
        call.record.failed(status, OutcomeError::new(kind, message)),
    ))
}
