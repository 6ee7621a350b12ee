//! Questions are put in program order, whichever call comes first to where it must be asked.
//!
//! A call takes its place here when it is admitted and leaves it when it is decided or its question
//! was put. A question waits for all earlier places, so at most for what hooks say to earlier calls,
//! and never for an answer.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use tokio::sync::Notify;
use toolpost_core::{Answer, BoxFuture};

#[derive(Default)]
pub(crate) struct Asking {
    undecided: Mutex<Undecided>,
    changed: Notify,
}

#[derive(Default)]
struct Undecided {
    next: u64,
    numbers: BTreeSet<u64>,
}

/// One call's place. It is left when this is dropped.
pub(crate) struct Place {
    asking: Arc<Asking>,
    number: u64,
}

impl Asking {
    /// Takes the next place.
    pub(crate) fn admit(self: &Arc<Self>) -> Place {
        let mut undecided = self.undecided();
        let number = undecided.next;
        undecided.next += 1;
        undecided.numbers.insert(number);
        Place {
            asking: Arc::clone(self),
            number,
        }
    }

    fn undecided(&self) -> MutexGuard<'_, Undecided> {
        self.undecided
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Puts a question when it is its turn, and leaves the place as soon as it is put.
    pub(crate) async fn put<'a>(self, ask: impl FnOnce() -> BoxFuture<'a, Answer>) -> Answer {
        loop {
            let mut changed = std::pin::pin!(self.asking.changed.notified());
            changed.as_mut().enable();
            if self.is_first() {
                break;
            }
            changed.await;
        }
        let mut answer = ask();
        // Whoever is asked has the question with the first poll.
        let first = poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await;
        drop(self);
        match first {
            Poll::Ready(answer) => answer,
            Poll::Pending => answer.await,
        }
    }

    fn is_first(&self) -> bool {
        self.asking.undecided().numbers.first() == Some(&self.number)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.asking.undecided().numbers.remove(&self.number);
        self.asking.changed.notify_waiters();
    }
}
