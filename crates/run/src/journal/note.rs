//! What the driver's side hands to the thread that writes.

use std::sync::Arc;

use tokio::sync::oneshot;
use toolpost_core::{Answer, Binding, Decision, Effects, ErrorKind, Repair, Status};

use crate::store::{CallKey, StoreError};

/// How durable a note must be before what waits for it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Durability {
    /// Written soon; nothing waits.
    Soon,
    /// In the file, so that it outlives the process.
    Committed,
    /// On the disk, so that it outlives the machine.
    Synced,
}

impl Durability {
    /// Of the start and the end of a call that may do this.
    pub(super) const fn of(effects: Effects) -> Self {
        if effects.read_only {
            Self::Soon
        } else if effects.idempotent {
            Self::Committed
        } else {
            Self::Synced
        }
    }
}

/// Whether doing it twice is no worse than doing it once.
pub(super) const fn is_repeatable(effects: Effects) -> bool {
    effects.read_only || effects.idempotent
}

/// A note with what waits for it.
pub(super) struct Entry {
    pub(super) note: Note,
    pub(super) durability: Durability,
    pub(super) done: Option<oneshot::Sender<Result<(), StoreError>>>,
}

/// Something that happened. Times are microseconds since 1970.
pub(super) enum Note {
    Admitted(Box<Call>),
    Revised(Box<Call>),
    Started {
        key: CallKey,
        at: i64,
        decision: Option<Decision>,
        effects: Effects,
    },
    Ended(Box<End>),
    Abandoned {
        key: CallKey,
        at: i64,
    },
    Asked(Box<Asked>),
}

/// A call as it was admitted or revised.
pub(super) struct Call {
    pub(super) key: CallKey,
    pub(super) at: i64,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: String,
    pub(super) repairs: Vec<Repair>,
    pub(super) effects: Option<Effects>,
    pub(super) parent: Option<CallKey>,
    /// The folder that the shell stood in, where that is not the root.
    pub(super) folder: Option<String>,
}

/// How a call ended.
pub(super) struct End {
    pub(super) key: CallKey,
    pub(super) at: i64,
    pub(super) status: Status,
    pub(super) error: Option<(ErrorKind, String)>,
    pub(super) decision: Option<Decision>,
    pub(super) digest: String,
}

/// A question about a call.
pub(super) struct Asked {
    pub(super) at: i64,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: String,
    pub(super) description: String,
    pub(super) effects: Effects,
    pub(super) decision: Decision,
    pub(super) binding: Option<Arc<Binding>>,
    /// Taken when the answer is known, and sent when it is kept.
    pub(super) answer: Option<oneshot::Sender<Result<Answer, StoreError>>>,
}
