//! A verdict that had to wait is taken again at the start, and may only become stricter.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Answer, AskedCall, Binding, BoxFuture, DecidedBy, Decision, Facts, Outcome, Policy, RawCall,
    Status, ToolBuilder, Toolbox, ValidatedCall, Verdict,
};
use toolpost_run::{Approver, Session};

#[derive(Deserialize, JsonSchema)]
struct Job {
    /// What to do.
    act: String,
}

/// What the world is like: the number of calls that have run.
type World = Arc<AtomicUsize>;

fn toolbox(world: &World) -> Toolbox {
    let world = Arc::clone(world);
    let act = ToolBuilder::<Job>::new("act", "Do what the input says.").call(
        move |job, _cx: toolpost_core::Context| {
            let world = Arc::clone(&world);
            async move {
                // Until the other call has its verdict and waits.
                for _ in 0..10 {
                    tokio::task::yield_now().await;
                }
                world.fetch_add(1, Ordering::SeqCst);
                Ok(job.act)
            }
        },
    );
    let mut toolbox = Toolbox::new();
    toolbox.add(act).unwrap();
    toolbox
}

/// Says what `of` makes of the world.
struct ByWorld {
    world: World,
    of: fn(usize) -> Decision,
}

impl Policy for ByWorld {
    fn decide(&self, _call: &ValidatedCall, _facts: &Facts) -> Decision {
        (self.of)(self.world.load(Ordering::SeqCst))
    }
}

struct Yes;

impl Approver for Yes {
    fn ask<'a>(&'a self, _call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::Yes })
    }
}

/// Two calls, of which the second waits for the first.
async fn two(of: fn(usize) -> Decision) -> Vec<Outcome> {
    let world = World::default();
    let policy = ByWorld {
        world: Arc::clone(&world),
        of,
    };
    let session = Session::builder(toolbox(&world), "/proj")
        .policy(policy)
        .approver(Yes)
        .build()
        .unwrap();
    let call = |id: &str| RawCall::new(id, "act", r#"{"act":"x"}"#);
    session.run([call("first"), call("second")]).await
}

fn decision(effect: Verdict) -> Decision {
    Decision::new(effect, DecidedBy::Mode, "so says the test")
}

fn leading_to(effect: Verdict, object: &str) -> Decision {
    decision(effect).bound(Binding {
        digest: "d".into(),
        objects: vec![(PathBuf::from("/proj/a"), PathBuf::from(object))],
    })
}

#[tokio::test]
async fn a_stricter_verdict_is_a_denial_that_says_what_changed() {
    let outcomes = two(|ran| {
        decision(if ran == 0 {
            Verdict::Allow
        } else {
            Verdict::Ask
        })
    })
    .await;
    assert_eq!(outcomes[0].status, Status::Done);
    assert_eq!(outcomes[1].status, Status::Denied);
    let message = &outcomes[1].error.as_ref().unwrap().message;
    assert!(
        message.contains("since it was permitted something changed: so says the test"),
        "{message}"
    );
}

#[tokio::test]
async fn another_object_than_a_person_has_seen_is_a_denial() {
    fn led(effect: Verdict, ran: usize) -> Decision {
        leading_to(effect, if ran == 0 { "/proj/a" } else { "/proj/b" })
    }
    // A rule has judged the new one too.
    let outcomes = two(|ran| led(Verdict::Allow, ran)).await;
    assert_eq!(outcomes[1].status, Status::Done);
    let outcomes = two(|ran| led(Verdict::Ask, ran)).await;
    assert_eq!(outcomes[1].status, Status::Denied);
    let message = &outcomes[1].error.as_ref().unwrap().message;
    assert!(
        message.contains("`/proj/a` leads elsewhere than when it was permitted"),
        "{message}"
    );
}

#[tokio::test]
async fn what_a_person_permitted_in_one_folder_is_not_run_in_another() {
    fn standing_in(effect: Verdict, ran: usize) -> Decision {
        let folder = PathBuf::from(if ran == 0 { "/proj" } else { "/proj/sub" });
        decision(effect).bound(Binding {
            digest: "d".into(),
            objects: vec![(folder.clone(), folder)],
        })
    }
    let outcomes = two(|ran| standing_in(Verdict::Ask, ran)).await;
    assert_eq!(outcomes[1].status, Status::Denied);
    let message = &outcomes[1].error.as_ref().unwrap().message;
    assert!(
        message.contains("the shell stands in another folder"),
        "{message}"
    );
    // A rule has judged the new folder too.
    let outcomes = two(|ran| standing_in(Verdict::Allow, ran)).await;
    assert_eq!(outcomes[1].status, Status::Done);
}

#[tokio::test]
async fn what_a_person_permitted_is_not_asked_again() {
    let outcomes = two(|_| decision(Verdict::Ask)).await;
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome.status == Status::Done)
    );
}

#[tokio::test]
async fn what_a_person_permitted_is_denied_when_it_would_be() {
    let outcomes = two(|ran| {
        decision(if ran == 0 {
            Verdict::Ask
        } else {
            Verdict::Deny
        })
    })
    .await;
    assert_eq!(outcomes[1].status, Status::Denied);
}
