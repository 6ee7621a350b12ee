//! What the caller holds of a call that was admitted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::oneshot;
use toolpost_core::{CancellationToken, Outcome};

use crate::events::{CallEvents, EventQueue};

/// A call on its way. Await [`CallHandle::outcome`]; dropping the handle does not stop the call.
#[derive(Debug)]
pub struct CallHandle {
    pub(crate) id: Arc<str>,
    pub(crate) name: Arc<str>,
    pub(crate) cancel: CancellationToken,
    pub(crate) started: Arc<AtomicBool>,
    pub(crate) outcome: oneshot::Receiver<Box<Outcome>>,
    pub(crate) events: CallEvents,
}

impl CallHandle {
    /// The handle of a call that ended before it was admitted.
    pub(crate) fn ended(id: Arc<str>, name: Arc<str>, outcome: Box<Outcome>) -> Self {
        let (sender, receiver) = oneshot::channel();
        // The receiver is held right here, so this cannot fail.
        drop(sender.send(outcome));
        let queue = EventQueue::default();
        queue.push(toolpost_core::Event::Ended);
        Self {
            id,
            name,
            cancel: CancellationToken::new(),
            started: Arc::default(),
            outcome: receiver,
            events: queue.reader(),
        }
    }

    /// The call's id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Tells the call to stop. It still has an outcome.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// The events of the call as they happen.
    pub fn events(&mut self) -> &mut CallEvents {
        &mut self.events
    }

    /// The call's one outcome. Where the runtime went down with the call, it is a cancelled one.
    pub async fn outcome(self) -> Outcome {
        match self.outcome.await {
            Ok(outcome) => *outcome,
            Err(_) => {
                Outcome::cancelled(&self.id, &self.name, self.started.load(Ordering::Acquire))
            }
        }
    }
}
