//! Where notes wait for the thread that writes.
//!
//! Waking a thread for every note would cost more than the note. So the thread sleeps for a while
//! over what needs no haste, and is woken at once by what something waits for.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::note::{Durability, Entry};

/// How long a note that nothing waits for may lie.
const LINGER: Duration = Duration::from_millis(10);

#[derive(Default)]
struct Pile {
    entries: Vec<Entry>,
    is_urgent: bool,
    is_closed: bool,
}

/// The pile of notes, shared by those who take them and the one who writes them.
#[derive(Clone, Default)]
pub(super) struct Inbox(Arc<(Mutex<Pile>, Condvar)>);

impl Inbox {
    /// Puts a note on the pile; gives it back where nobody writes any more.
    pub(super) fn put(&self, entry: Entry) -> Result<(), Box<Entry>> {
        let mut pile = self.pile();
        if pile.is_closed {
            return Err(Box::new(entry));
        }
        let was_empty = pile.entries.is_empty();
        let hurries = entry.durability > Durability::Soon && !pile.is_urgent;
        pile.is_urgent |= hurries;
        pile.entries.push(entry);
        drop(pile);
        if was_empty || hurries {
            self.0.1.notify_one();
        }
        Ok(())
    }

    /// The notes that are there, once it is time to write them; nothing after the end.
    pub(super) fn take(&self) -> Option<Vec<Entry>> {
        let mut pile = self.pile();
        while pile.entries.is_empty() {
            if pile.is_closed {
                return None;
            }
            pile = self.0.1.wait(pile).unwrap_or_else(PoisonError::into_inner);
        }
        let must_linger = |pile: &mut Pile| !pile.is_urgent && !pile.is_closed;
        let (mut pile, _) = self
            .0
            .1
            .wait_timeout_while(pile, LINGER, must_linger)
            .unwrap_or_else(PoisonError::into_inner);
        pile.is_urgent = false;
        Some(std::mem::take(&mut pile.entries))
    }

    /// Takes no more notes. What is there is still written.
    pub(super) fn close(&self) {
        self.pile().is_closed = true;
        self.0.1.notify_one();
    }

    fn pile(&self) -> MutexGuard<'_, Pile> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
