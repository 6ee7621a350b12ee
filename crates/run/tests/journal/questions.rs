//! Questions that are kept: to whom an answer is good, and how often.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use toolpost_core::{Answer, AskedCall, BoxFuture, Outcome, RawCall, Status};
use toolpost_run::journal::{JournalError, Recording};
use toolpost_run::{Approver, Session};

use crate::support::{Place, Workshop, act, begin, recording, run};

fn statuses(outcomes: &[Outcome]) -> Vec<Status> {
    outcomes.iter().map(|outcome| outcome.status).collect()
}

fn equal(count: usize) -> Vec<RawCall> {
    (0..count)
        .map(|n| act(&format!("c{n}"), json!({ "act": "a" })))
        .collect()
}

/// Lets the one question that is open be answered with yes.
fn allow(place: &Place) -> u64 {
    let journal = place.open();
    let [question] = &journal.questions().unwrap()[..] else {
        panic!("not one question");
    };
    journal.allow(question.id, "me").unwrap().calls
}

#[tokio::test]
async fn an_answer_is_picked_up_by_the_same_call_once() {
    let (place, shop) = (Place::new(), Workshop::new());
    let again = || run(&place, recording(&shop), equal(1));
    assert_eq!(statuses(&again().await), [Status::Pending]);
    assert_eq!(allow(&place), 1);
    assert_eq!(statuses(&again().await), [Status::Done]);
    assert_eq!(statuses(&again().await), [Status::Pending]);
    assert_eq!(shop.done(), ["a"]);
    let calls = place.calls();
    assert_eq!(calls[0].question, calls[1].question);
    assert_ne!(calls[1].question, calls[2].question);
    let decision = calls[1].decision.as_ref().unwrap();
    assert!(decision.contains(r#""by":"person""#), "{decision}");
}

#[tokio::test]
async fn one_answer_settles_all_that_one_run_had_waiting_and_no_more() {
    let (place, shop) = (Place::new(), Workshop::new());
    // Tried again before anybody has answered, it does not ask for more.
    for _ in 0..3 {
        let outcomes = run(&place, recording(&shop), equal(20)).await;
        assert!(
            outcomes
                .iter()
                .all(|outcome| outcome.status == Status::Pending)
        );
    }
    let questions = place.open().questions().unwrap();
    assert_eq!((questions.len(), questions[0].calls), (1, 20));
    assert_eq!(allow(&place), 20);
    let outcomes = run(&place, recording(&shop), equal(22)).await;
    let done = outcomes.iter().filter(|outcome| outcome.is_done()).count();
    assert_eq!(done, 20);
    assert_eq!(shop.done().len(), 20);
    // The two that were too many wait for an answer of their own.
    assert_eq!(allow(&place), 2);
}

#[tokio::test]
async fn an_answer_is_for_the_exact_input_the_definition_the_root_and_the_session() {
    let (place, shop) = (Place::new(), Workshop::new());
    let named = |name: &str| Recording {
        name: Some(name.to_owned()),
        ..recording(&shop)
    };
    run(&place, named("one"), equal(1)).await;
    allow(&place);
    let others = [
        (named("two"), r#"{"act":"a"}"#),
        (recording(&shop), r#"{"act":"a"}"#),
        (named("one"), r#"{"act": "a"}"#),
        (
            Recording {
                toolbox: shop.toolbox("Do something else."),
                ..named("one")
            },
            r#"{"act":"a"}"#,
        ),
        (
            Recording {
                root: "/elsewhere".into(),
                ..named("one")
            },
            r#"{"act":"a"}"#,
        ),
    ];
    for (recording, input) in others {
        let outcomes = run(&place, recording, [RawCall::new("c0", "act", input)]).await;
        assert_eq!(statuses(&outcomes), [Status::Pending], "{input}");
    }
    let outcomes = run(&place, named("one"), equal(1)).await;
    assert_eq!(statuses(&outcomes), [Status::Done]);
    assert_eq!(shop.done(), ["a"]);
}

#[tokio::test]
async fn a_no_has_words_and_takes_back_a_yes_that_is_not_used() {
    let (place, shop) = (Place::new(), Workshop::new());
    run(&place, recording(&shop), equal(1)).await;
    allow(&place);
    let journal = place.open();
    let id = journal.questions().unwrap()[0].id;
    assert_eq!(journal.questions().unwrap()[0].answer, Some(true));
    journal.deny(id, "me", Some("use the other one")).unwrap();
    let outcomes = run(&place, recording(&shop), equal(1)).await;
    assert_eq!(statuses(&outcomes), [Status::Denied]);
    assert!(outcomes[0].model_text().contains("use the other one"));
    assert_eq!(shop.done(), [] as [&str; 0]);
    for question in [id, 77] {
        let none = journal.allow(question, "me").unwrap_err();
        assert!(matches!(none, JournalError::NoQuestion(_)));
    }
}

#[tokio::test]
async fn a_question_and_its_answer_are_forgotten_in_time() {
    let (place, shop) = (Place::new(), Workshop::new());
    let short = || Recording {
        questions_last: Duration::ZERO,
        ..recording(&shop)
    };
    run(&place, short(), equal(1)).await;
    assert_eq!(place.open().questions().unwrap(), []);
    assert!(place.open().allow(1, "me").is_err());
    run(&place, recording(&shop), equal(1)).await;
    let journal = place.open();
    journal
        .allow(journal.questions().unwrap()[0].id, "me")
        .unwrap();
    let database = rusqlite::Connection::open(place.file()).unwrap();
    database
        .execute("UPDATE questions SET expires = 1 WHERE uses > 0", ())
        .unwrap();
    let outcomes = run(&place, recording(&shop), equal(1)).await;
    assert_eq!(statuses(&outcomes), [Status::Pending]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_that_race_for_answers_get_each_once() {
    let (place, shop) = (Place::new(), Workshop::new());
    for _ in 0..10 {
        run(&place, recording(&shop), equal(3)).await;
        allow(&place);
        let before = shop.done().len();
        let mut sessions = Vec::new();
        for _ in 0..2 {
            let (recorder, builder) = begin(&place, recording(&shop));
            sessions.push((recorder, builder.build().unwrap()));
        }
        let (one, two) = tokio::join!(sessions[0].1.run(equal(5)), sessions[1].1.run(equal(5)));
        let done = one.iter().chain(&two).filter(|outcome| outcome.is_done());
        assert_eq!(done.count(), 3);
        assert_eq!(shop.done().len() - before, 3);
        drop(sessions);
        for question in place.open().questions().unwrap() {
            place.open().deny(question.id, "me", None).unwrap();
        }
        // The noes are used up, so that the next round begins anew.
        while run(&place, recording(&shop), equal(1)).await[0].status != Status::Pending {}
        let journal = place.open();
        let last = journal.questions().unwrap()[0].id;
        journal.deny(last, "me", None).unwrap();
        run(&place, recording(&shop), equal(1)).await;
    }
}

/// Waits until it is let, notes each question, and says no to odd ones.
struct Clerk {
    may_answer: Arc<Semaphore>,
    asked: Arc<Mutex<Vec<String>>>,
    waiting: Arc<AtomicUsize>,
}

impl Approver for Clerk {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            self.waiting.fetch_add(1, Ordering::SeqCst);
            drop(self.may_answer.acquire().await.unwrap());
            let act = call.call().describe();
            self.asked.lock().unwrap().push(act.clone());
            if act.ends_with(['1', '3', '5', '7', '9']) {
                Answer::No(None)
            } else {
                Answer::Yes
            }
        })
    }
}

#[tokio::test]
async fn equal_questions_are_asked_once_and_hold_up_nothing_that_needs_no_answer() {
    let shop = Workshop::new();
    let (may_answer, asked, waiting) =
        (Arc::new(Semaphore::new(0)), Arc::default(), Arc::default());
    let clerk = Clerk {
        may_answer: Arc::clone(&may_answer),
        asked: Arc::clone(&asked),
        waiting: Arc::clone(&waiting),
    };
    let session = Session::builder(shop.toolbox("Do what the input says."), "/proj")
        .approver(clerk)
        .max_parallel(2)
        .build()
        .unwrap();
    let submit = |n: usize, input| session.submit(act(&format!("c{n}"), input));
    let mut asking = Vec::new();
    for n in 0..20 {
        asking.push(submit(2 * n, json!({ "act": "same" })));
        asking.push(submit(2 * n + 1, json!({ "act": format!("other {n}") })));
    }
    let free = submit(99, json!({ "act": "free", "kind": "reads" }));
    assert!(free.outcome().await.is_done());
    assert_eq!(waiting.load(Ordering::SeqCst), 21);
    may_answer.add_permits(1);
    let mut statuses = Vec::new();
    for handle in asking {
        statuses.push(handle.outcome().await.status);
    }
    assert_eq!(asked.lock().unwrap().len(), 21);
    for n in 0..20 {
        let other = if n % 2 == 0 {
            Status::Done
        } else {
            Status::Denied
        };
        assert_eq!(statuses[2 * n..2 * n + 2], [Status::Done, other], "{n}");
    }
    assert_eq!(shop.done().iter().filter(|act| *act == "same").count(), 20);
}

#[tokio::test]
async fn when_the_one_who_asked_is_stopped_the_next_asks() {
    let shop = Workshop::new();
    let (may_answer, asked, waiting) = (
        Arc::new(Semaphore::new(0)),
        Arc::default(),
        Arc::<AtomicUsize>::default(),
    );
    let clerk = Clerk {
        may_answer: Arc::clone(&may_answer),
        asked: Arc::clone(&asked),
        waiting: Arc::clone(&waiting),
    };
    let session = Session::builder(shop.toolbox("Do what the input says."), "/proj")
        .approver(clerk)
        .build()
        .unwrap();
    let first = session.submit(act("c1", json!({ "act": "same" })));
    let second = session.submit(act("c2", json!({ "act": "same" })));
    while waiting.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    first.cancel();
    assert_eq!(first.outcome().await.status, Status::Cancelled);
    may_answer.add_permits(1);
    assert!(second.outcome().await.is_done());
    assert_eq!(asked.lock().unwrap().len(), 1);
}
