//! The core's ledger with somebody to wake when a turn comes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, oneshot};
use toolpost_core::{
    CancellationToken, FailureReach, Footprint, Ledger, Place, Scope, Stop, WorkingFolder,
};

/// What the book knows of a call besides what the ledger does.
struct Caller {
    id: Arc<str>,
    /// Told when its turn has come.
    waiting: Option<oneshot::Sender<()>>,
    /// Told when its footprint must be looked at again.
    look: Arc<Notify>,
    stop: Stopper,
}

struct Book {
    ledger: Ledger,
    /// Told of every change.
    changed: Arc<Notify>,
    callers: HashMap<Place, Caller>,
}

/// Tells a call to stop, and why.
#[derive(Clone, Default)]
pub(crate) struct Stopper {
    pub(crate) token: CancellationToken,
    why: Arc<Mutex<Option<Stop>>>,
}

impl Stopper {
    pub(crate) fn new(token: CancellationToken) -> Self {
        Self {
            token,
            why: Arc::default(),
        }
    }

    /// Why the call was told to stop.
    pub(crate) fn why(&self) -> Stop {
        let why = self.why.lock().unwrap_or_else(PoisonError::into_inner);
        why.clone().unwrap_or(Stop::Cancelled)
    }

    fn stop(&self, why: Stop) {
        self.why
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(why);
        self.token.cancel();
    }
}

/// Hands out turns.
#[derive(Clone)]
pub(crate) struct Turns(Arc<Mutex<Book>>);

impl Turns {
    pub(crate) fn new(slots: usize, pools: &[(Arc<str>, usize)]) -> Self {
        let mut ledger = Ledger::new(slots);
        for (pool, slots) in pools {
            ledger.set_pool(Arc::clone(pool), *slots);
        }
        Self(Arc::new(Mutex::new(Book {
            ledger,
            changed: Arc::default(),
            callers: HashMap::new(),
        })))
    }

    /// Takes the next place for a call. The place is given back when the turn is dropped.
    pub(crate) fn admit(
        &self,
        id: &Arc<str>,
        footprint: Footprint,
        pool: Option<Arc<str>>,
        stop: Stopper,
    ) -> Turn {
        let mut book = self.book();
        let place = book.ledger.admit(footprint, pool);
        let look = Arc::new(Notify::new());
        let caller = Caller {
            id: Arc::clone(id),
            waiting: None,
            look: Arc::clone(&look),
            stop,
        };
        book.callers.insert(place, caller);
        Turn {
            turns: self.clone(),
            place,
            look,
            is_permitted: AtomicBool::new(false),
        }
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn wake(&mut self) {
        self.changed.notify_waiters();
        loop {
            let started = self.ledger.start();
            if started.is_empty() {
                break;
            }
            for place in started {
                let waiting = self
                    .callers
                    .get_mut(&place)
                    .and_then(|caller| caller.waiting.take());
                match waiting {
                    // A waiter that went away gives its place back when its turn is dropped.
                    Some(waiting) => drop(waiting.send(())),
                    None => self.ledger.end(place),
                }
            }
        }
        // Only now: a call that will not run has left the ledger with that, and may have hidden
        // what others touch.
        let dim = self.ledger.dim();
        if let Some(caller) = dim.and_then(|place| self.callers.get(&place)) {
            caller.look.notify_one();
        }
    }
}

/// One call's place in the order. It is given back when the last hold of it is dropped.
pub(crate) struct Turn {
    turns: Turns,
    place: Place,
    look: Arc<Notify>,
    is_permitted: AtomicBool,
}

impl Turn {
    /// Ends when the footprint must be looked at again, since an earlier call that touched
    /// everything has ended.
    pub(crate) fn look(&self) -> Arc<Notify> {
        Arc::clone(&self.look)
    }

    /// Waits until no earlier call that says that it moves the shell is still to run, where this one
    /// has to wait for it anyhow. Nothing at once where there is none.
    pub(crate) fn before_the_shell_stands(&self) -> Option<impl Future<Output = ()> + '_> {
        let folder = Scope::node(WorkingFolder::NODE);
        let changed = Arc::clone(&self.turns.book().changed);
        let must_wait = move || {
            let book = self.turns.book();
            book.ledger.waits_for_change(self.place, &folder)
        };
        must_wait().then_some(async move {
            loop {
                let mut told = std::pin::pin!(changed.notified());
                told.as_mut().enable();
                if !must_wait() {
                    return;
                }
                told.await;
            }
        })
    }

    /// The call touches this instead.
    pub(crate) fn revise(&self, footprint: Footprint) {
        let mut book = self.turns.book();
        book.ledger.revise(self.place, footprint);
        book.wake();
    }

    /// Says that the call may run, and gives the ids of the calls that it waits for with a signal
    /// for when its turn has come.
    pub(crate) fn permit(&self) -> (Vec<Arc<str>>, oneshot::Receiver<()>) {
        let (sender, receiver) = oneshot::channel();
        let mut book = self.turns.book();
        self.is_permitted.store(true, Ordering::Relaxed);
        let waits = book.ledger.waits_for(self.place);
        let id = |place| book.callers.get(place).map(|caller| Arc::clone(&caller.id));
        let ids = waits.iter().filter_map(id).collect();
        if let Some(caller) = book.callers.get_mut(&self.place) {
            caller.waiting = Some(sender);
        }
        book.ledger.permit(self.place);
        book.wake();
        (ids, receiver)
    }

    /// The call runs on and is not waited for: others take its slot, and what it touches stays its
    /// own until the last of its turn is dropped.
    pub(crate) fn abandon(&self) {
        let mut book = self.turns.book();
        book.ledger.abandon(self.place);
        book.wake();
    }

    /// The call failed: later calls that this reaches are skipped, and stopped where they run.
    pub(crate) fn fail(&self, reach: FailureReach) {
        let book = self.turns.book();
        let Some(me) = book.callers.get(&self.place) else {
            return;
        };
        for place in book.ledger.reached(self.place, reach) {
            let Some(caller) = book.callers.get(&place) else {
                continue;
            };
            caller.stop.stop(if book.ledger.is_running(place) {
                Stop::Cancelled
            } else {
                Stop::Skipped {
                    because_of: Arc::clone(&me.id),
                }
            });
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut book = self.turns.book();
        book.callers.remove(&self.place);
        if self.is_permitted.load(Ordering::Relaxed) {
            book.ledger.end(self.place);
        } else {
            // It never got to run, so it still takes its turn in the order.
            book.ledger.void(self.place);
        }
        book.wake();
    }
}
