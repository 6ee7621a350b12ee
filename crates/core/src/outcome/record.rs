//! What is known of a call on its way, so that an outcome can be made at every step.

use std::sync::Arc;

use super::{ErrorKind, Outcome, OutcomeError, Status};
use crate::contract::Repair;
use crate::effects::Effects;
use crate::policy::Decision;

/// What every outcome of a validated call says, however it ends.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) id: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) effects: Effects,
    pub(crate) decision: Option<Decision>,
}

impl Record {
    /// The outcome with this status and nothing in it yet.
    pub(crate) fn outcome(self, status: Status) -> Outcome {
        Outcome {
            id: Some(self.id),
            name: Some(self.name),
            decision: self.decision,
            repairs: self.repairs,
            effects: Some(self.effects),
            ..Outcome::empty(status)
        }
    }

    pub(crate) fn failed(self, status: Status, error: OutcomeError) -> Outcome {
        Outcome {
            error: Some(error.into()),
            ..self.outcome(status)
        }
    }

    /// Ended from outside: told to stop, out of time, or never begun.
    pub(crate) fn ended(self, why: Stop, started: bool) -> Outcome {
        let (status, kind) = why.status();
        let mut error = OutcomeError::new(kind, why.message(started));
        error.started = Some(started);
        self.failed(status, error)
    }
}

/// Why a call was ended from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// It was told to stop.
    Cancelled,
    /// It took longer than this, in words such as `30s`.
    TimedOut {
        /// The limit that it met.
        after: String,
    },
    /// An earlier call failed.
    Skipped {
        /// The id of the call that failed.
        because_of: Arc<str>,
    },
}

impl Stop {
    pub(super) const fn status(&self) -> (Status, ErrorKind) {
        match self {
            Self::Cancelled => (Status::Cancelled, ErrorKind::Cancelled),
            Self::TimedOut { .. } => (Status::TimedOut, ErrorKind::TimedOut),
            Self::Skipped { .. } => (Status::Skipped, ErrorKind::Skipped),
        }
    }

    pub(super) fn message(&self, started: bool) -> String {
        match (self, started) {
            (Self::Cancelled, true) => {
                "cancelled while it ran; part of it may be done, so look before trying again"
                    .to_owned()
            }
            (Self::Cancelled, false) => "cancelled before it began; nothing was done".to_owned(),
            (Self::TimedOut { after }, true) => format!(
                "stopped after its time limit of {after}; part of it may be done, so look before \
                 trying again with less work or a longer limit"
            ),
            (Self::TimedOut { after }, false) => {
                format!("did not begin within its time limit of {after}; nothing was done")
            }
            (Self::Skipped { because_of }, _) => {
                format!(
                    "not begun, because the earlier call `{because_of}` failed; mend that first"
                )
            }
        }
    }
}
