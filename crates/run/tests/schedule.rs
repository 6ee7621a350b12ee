//! What runs together, what waits, and how far a failure reaches.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Answer, AskedCall, BoxFuture, Context, FailureReach, Footprint, Outcome, RawCall, Scope,
    SimplePolicy, Status, ToolBuilder, ToolError, Toolbox,
};
use toolpost_run::{Approver, Session, SessionBuilder};

#[derive(Deserialize, JsonSchema)]
struct Job {
    /// What to read.
    #[serde(default)]
    reads: Vec<String>,
    /// What to write.
    #[serde(default)]
    writes: Vec<String>,
    /// Whether to fail.
    #[serde(default)]
    fails: bool,
    /// How far a failure reaches.
    #[serde(default)]
    reach: FailureReachName,
    /// Milliseconds to take.
    #[serde(default)]
    ms: u64,
}

#[derive(Default, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FailureReachName {
    #[default]
    Own,
    Dependents,
    Later,
}

/// A name that stands for another, as a link does.
type Links = Mutex<Vec<(String, String)>>;

fn meant(links: &Links, name: &str) -> String {
    let links = links.lock().unwrap();
    let link = links.iter().find(|(from, _)| from == name);
    link.map_or_else(|| name.to_owned(), |(_, to)| to.clone())
}

fn open() -> SessionBuilder {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&most);
    let job = ToolBuilder::<Job>::new("job", "Do a job.")
        .pool("jobs")
        .footprint(|job, facts| {
            let links = facts.state().get::<Links>().unwrap();
            let node = |name: &String| Scope::node(meant(links, name));
            let reads = job.reads.iter().map(node);
            let footprint = reads.fold(Footprint::nothing(), Footprint::reading);
            job.writes
                .iter()
                .map(node)
                .fold(footprint, Footprint::writing)
        })
        .failure_reach(|job| match job.reach {
            FailureReachName::Own => FailureReach::Own,
            FailureReachName::Dependents => FailureReach::Dependents,
            FailureReachName::Later => FailureReach::Later,
        })
        .call(move |job, _cx: Context| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(job.ms)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                if job.fails {
                    Err(ToolError::new("failed", "no"))
                } else {
                    Ok("ok".to_owned())
                }
            }
        });
    let link = ToolBuilder::<Job>::new("link", "Make a link from the first to the second.").call(
        |job, cx: Context| async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            let [from, to] = &job.writes[..] else {
                return Err(ToolError::new("two", "give two"));
            };
            cx.state::<Links>()
                .unwrap()
                .lock()
                .unwrap()
                .push((from.clone(), to.clone()));
            Ok("linked".to_owned())
        },
    );
    let nest = ToolBuilder::<Job>::new("nest", "Do jobs as a part of this one.")
        .footprint(|job, _| {
            let scopes = job.writes.iter().map(|name| Scope::node(name.clone()));
            scopes.fold(Footprint::nothing(), Footprint::writing)
        })
        .call(|job, cx: Context| async move {
            let call = |n: usize, name: &String| {
                let input = serde_json::json!({ "writes": [name], "ms": 50 }).to_string();
                cx.call(RawCall::new(format!("{}/{n}", cx.id()), "job", input))
            };
            let calls: Vec<_> = job
                .reads
                .iter()
                .enumerate()
                .map(|(n, name)| call(n, name))
                .collect();
            let mut statuses = String::new();
            for call in calls {
                let outcome = call.await;
                statuses += &format!("{:?} ", outcome.status);
            }
            Ok(statuses)
        });
    let mut toolbox = Toolbox::new();
    toolbox
        .add(job)
        .unwrap()
        .add(link)
        .unwrap()
        .add(nest)
        .unwrap();
    Session::builder(toolbox, "/")
        .policy(SimplePolicy::new().bypass())
        .state(Links::default())
        .state(Most(seen))
}

/// The most jobs that ran at once.
struct Most(Arc<AtomicUsize>);

fn job(id: &str, input: serde_json::Value) -> RawCall {
    RawCall::new(id, "job", input.to_string())
}

fn statuses(outcomes: &[Outcome]) -> Vec<Status> {
    outcomes.iter().map(|outcome| outcome.status).collect()
}

fn waited(outcome: &Outcome) -> Vec<String> {
    let time = outcome.time.as_ref().unwrap();
    time.waited_for.iter().map(|id| id.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_does_not_conflict_runs_together() {
    let session = open().build().unwrap();
    let start = tokio::time::Instant::now();
    let calls = (0..8).map(|n| {
        job(
            &format!("c{n}"),
            serde_json::json!({ "writes": [format!("f{}", n % 4)], "ms": 50 }),
        )
    });
    let outcomes = session.run(calls).await;
    assert!(outcomes.iter().all(Outcome::is_done));
    assert_eq!(start.elapsed().as_millis(), 100);
    assert_eq!(waited(&outcomes[5]), ["c1"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_behind_everything_waits_for_what_its_paths_mean_then() {
    let session = open().build().unwrap();
    let start = tokio::time::Instant::now();
    let outcomes = session
        .run([
            RawCall::new("link", "link", r#"{"writes":["a","b"]}"#),
            job("write", serde_json::json!({ "writes": ["a"], "ms": 50 })),
            job("read", serde_json::json!({ "reads": ["b"], "ms": 50 })),
            job("other", serde_json::json!({ "reads": ["c"], "ms": 50 })),
        ])
        .await;
    // The write goes to `b` now, so the read waits for it; the other does not.
    assert!(outcomes.iter().all(Outcome::is_done));
    assert_eq!(start.elapsed().as_millis(), 150);
    let scope = |outcome: &Outcome| {
        outcome.footprint.as_ref().unwrap().claims()[0]
            .scope
            .path()
            .to_owned()
    };
    assert_eq!(scope(&outcomes[1]), "b");
    let ended = |index: usize| outcomes[index].time.as_ref().unwrap().ended_ms;
    assert!(ended(3) < ended(2));
}

#[tokio::test(start_paused = true)]
async fn a_failure_reaches_only_itself_unless_the_tool_says_more() {
    let batch = |reach: &str| {
        [
            job(
                "bad",
                serde_json::json!({ "writes": ["a"], "fails": true, "reach": reach, "ms": 10 }),
            ),
            job("runs", serde_json::json!({ "reads": ["z"], "ms": 5000 })),
            job(
                "depends",
                serde_json::json!({ "reads": ["a"], "writes": ["b"] }),
            ),
            job("further", serde_json::json!({ "reads": ["b"] })),
            job("waits", serde_json::json!({ "writes": ["z"] })),
        ]
    };
    use Status::{Cancelled, Done, Failed, Skipped};
    let own = open().build().unwrap().run(batch("own")).await;
    assert_eq!(statuses(&own), [Failed, Done, Done, Done, Done]);
    let dependents = open().build().unwrap().run(batch("dependents")).await;
    assert_eq!(
        statuses(&dependents),
        [Failed, Done, Skipped, Skipped, Done]
    );
    let later = open().build().unwrap().run(batch("later")).await;
    assert_eq!(
        statuses(&later),
        [Failed, Cancelled, Skipped, Skipped, Skipped]
    );
    let error = |index: usize| later[index].error.as_ref().unwrap();
    assert_eq!(
        (error(1).started, error(2).started),
        (Some(true), Some(false))
    );
    assert!(
        error(2).message.contains("`bad` failed"),
        "{}",
        error(2).message
    );
}

#[tokio::test(start_paused = true)]
async fn a_pool_and_the_session_have_caps() {
    let calls = || {
        (0..6).map(|n| {
            job(
                &format!("c{n}"),
                serde_json::json!({ "reads": ["a"], "ms": 10 }),
            )
        })
    };
    for (session, most) in [
        (open().build().unwrap(), 6),
        (open().max_parallel(4).build().unwrap(), 4),
        (open().pool("jobs", 2).build().unwrap(), 2),
    ] {
        assert!(session.run(calls()).await.iter().all(Outcome::is_done));
        let seen = session.facts().state().get::<Most>().unwrap();
        assert_eq!(seen.0.load(Ordering::SeqCst), most);
    }
}

#[tokio::test(start_paused = true)]
async fn nested_calls_need_no_slot_and_stay_within_their_parents_claims() {
    let session = open().max_parallel(1).build().unwrap();
    let nest = |id: &str, input: &str| RawCall::new(id, "nest", input);
    let outcomes = session
        .run([
            nest("n1", r#"{"writes":["a","b"],"reads":["a","b","a"]}"#),
            nest("n2", r#"{"writes":["a"],"reads":["a","c"]}"#),
        ])
        .await;
    assert_eq!(outcomes[0].model_text(), "Done Done Done ");
    assert_eq!(outcomes[1].model_text(), "Done Denied ");
}

/// Keeps the question about `link` after a while, and says yes to all else.
struct Slow;

impl Approver for Slow {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async move {
            if call.call().name() != "link" {
                return Answer::Yes;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
            Answer::Later
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_behind_one_that_touched_everything_and_never_ran_gets_its_turn() {
    let session = open()
        .policy(SimplePolicy::new())
        .approver(Slow)
        .build()
        .unwrap();
    let calls = [
        RawCall::new("link", "link", r#"{"writes":["a","b"]}"#),
        job("read", serde_json::json!({ "reads": ["b"] })),
    ];
    let outcomes = tokio::time::timeout(Duration::from_secs(9), session.run(calls)).await;
    assert_eq!(
        statuses(&outcomes.unwrap()),
        [Status::Pending, Status::Done]
    );
}
