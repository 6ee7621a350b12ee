//! The core's ledger with somebody to wake when a turn comes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use toolpost_core::{Footprint, Ledger, Place};

struct Book {
    ledger: Ledger,
    ids: HashMap<Place, Arc<str>>,
    waiting: HashMap<Place, oneshot::Sender<()>>,
}

/// Hands out turns.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Mutex<Book>>);

impl Turns {
    pub(crate) fn new(slots: usize) -> Self {
        let book = Book {
            ledger: Ledger::new(slots),
            ids: HashMap::new(),
            waiting: HashMap::new(),
        };
        Self(Arc::new(Mutex::new(book)))
    }

    /// Takes the next place for a call. The place is given back when the turn is dropped.
    pub(crate) fn admit(&self, id: &Arc<str>, footprint: Footprint) -> Turn {
        let mut book = self.book();
        let place = book.ledger.admit(footprint);
        book.ids.insert(place, Arc::clone(id));
        Turn {
            turns: self.clone(),
            place,
            state: TurnState::Held,
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn wake(&mut self) {
        for place in self.ledger.start() {
            match self.waiting.remove(&place) {
                // A waiter that went away gives its place back when its turn is dropped.
                Some(waiter) => drop(waiter.send(())),
                None => self.ledger.end(place),
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TurnState {
    Held,
    Permitted,
}

/// One call's place in the order.
pub(crate) struct Turn {
    turns: Turns,
    place: Place,
    state: TurnState,
}

impl Turn {
    /// The input was edited, so the call touches something else than what was admitted.
    pub(crate) fn revise(&mut self, footprint: Footprint) {
        self.turns.book().ledger.revise(self.place, footprint);
    }

    /// Says that the call may run, and gives the ids of the calls that it waits for with a signal
    /// for when its turn has come.
    pub(crate) fn permit(&mut self) -> (Vec<Arc<str>>, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        let mut book = self.turns.book();
        self.state = TurnState::Permitted;
        let waits = book.ledger.waits_for(self.place);
        let ids = waits
            .iter()
            .filter_map(|place| book.ids.get(place).cloned())
            .collect();
        book.waiting.insert(self.place, sender);
        book.ledger.permit(self.place);
        book.wake();
        (ids, receiver)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut book = self.turns.book();
        book.waiting.remove(&self.place);
        book.ids.remove(&self.place);
        match self.state {
            // It never got to run, so it still takes its turn in the order.
            TurnState::Held => book.ledger.void(self.place),
            TurnState::Permitted => book.ledger.end(self.place),
        }
        book.wake();
    }
}
