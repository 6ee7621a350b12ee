//! Equal questions that wait at the same time are asked once; the one answer is for all of them.
//!
//! Two questions are equal when they are about the same tool and the very same bytes of input, and
//! a hook wants both to be asked or neither. The first asks, the others wait for its answer. Where the first is stopped before it has one, the
//! next takes its place. A question that comes after the answer was given is asked anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Mutex as AsyncMutex;
use toolpost_core::{Answer, AskedCall, BoxFuture};

use super::Approver;

/// A tool, the bytes of an input, and whether a hook asks.
type Question = (Box<str>, Box<str>, bool);
/// The answer, once it is there. Whoever holds the lock is the one who asks.
type Shared = Arc<AsyncMutex<Option<Answer>>>;

/// Asks equal questions that wait at the same time once. A session puts this around its approver.
pub struct OnceEach<A> {
    approver: A,
    waiting: Mutex<HashMap<Question, Shared>>,
}

impl<A: Approver> OnceEach<A> {
    /// Asks this approver.
    pub fn new(approver: A) -> Self {
        let waiting = Mutex::default();
        Self { approver, waiting }
    }

    async fn ask_once(&self, call: &AskedCall) -> Answer {
        let place = Place::new(&self.waiting, call);
        let mut answer = place.shared.lock().await;
        if let Some(answer) = &*answer {
            return answer.clone();
        }
        let given = self.approver.ask(call).await;
        // Who comes from here on asks anew.
        place.leave();
        *answer = Some(given.clone());
        given
    }
}

impl<A: Approver> Approver for OnceEach<A> {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        if self.approver.counts_answers() {
            self.approver.ask(call)
        } else {
            Box::pin(self.ask_once(call))
        }
    }

    fn counts_answers(&self) -> bool {
        self.approver.counts_answers()
    }
}

impl<A> std::fmt::Debug for OnceEach<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnceEach")
    }
}

/// One call's place among those that wait for the same answer.
struct Place<'w> {
    waiting: &'w Mutex<HashMap<Question, Shared>>,
    question: Question,
    shared: Shared,
}

impl<'w> Place<'w> {
    fn new(waiting: &'w Mutex<HashMap<Question, Shared>>, call: &AskedCall) -> Self {
        let question = (
            call.call().name().into(),
            call.call().input().into(),
            call.is_asked_by_hook(),
        );
        let shared = Arc::clone(lock(waiting).entry(question.clone()).or_default());
        Self {
            waiting,
            question,
            shared,
        }
    }

    fn leave(&self) {
        let mut waiting = lock(self.waiting);
        let is_mine = |shared: &Shared| Arc::ptr_eq(shared, &self.shared);
        if waiting.get(&self.question).is_some_and(is_mine) {
            waiting.remove(&self.question);
        }
    }
}

impl Drop for Place<'_> {
    /// The last one who waited and was stopped leaves nothing behind.
    fn drop(&mut self) {
        let mut waiting = lock(self.waiting);
        let is_last =
            |shared: &Shared| Arc::ptr_eq(shared, &self.shared) && Arc::strong_count(shared) == 2;
        if waiting.get(&self.question).is_some_and(is_last) {
            waiting.remove(&self.question);
        }
    }
}

fn lock(waiting: &Mutex<HashMap<Question, Shared>>) -> MutexGuard<'_, HashMap<Question, Shared>> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner)
}
