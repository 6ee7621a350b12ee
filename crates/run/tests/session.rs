//! Every call that goes in comes out as exactly one outcome, whatever happens on the way.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Answer, AskedCall, BoxFuture, Context, DecidedBy, ErrorKind, Event, Footprint, RawCall, Scope,
    SimplePolicy, Status, Steps, ToolBuilder, ToolError, Toolbox, Verdict,
};
use toolpost_run::{Approver, Deadlines, Planner, Session, SessionBuilder};

#[derive(Deserialize, JsonSchema)]
struct Job {
    /// What to do.
    act: String,
}

/// A tool that does what its input says, on one resource.
fn toolbox() -> Toolbox {
    let act = ToolBuilder::<Job>::new("act", "Do what the input says.")
        .footprint(|_, _| Footprint::nothing().writing(Scope::node("thing")))
        .describe(|job| format!("Act: {}", job.act))
        .call(|job, cx: Context<Steps>| async move {
            match job.act.as_str() {
                "panic" => panic!("secret of the host"),
                "fail" => Err(ToolError::new("bad_luck", "no luck").with_operator_text("dice: 1")),
                "sleep" => {
                    tokio::time::sleep(Duration::from_secs(3600)).await;
                    Ok("slept".to_owned())
                }
                "obey" => {
                    cx.cancel().cancelled().await;
                    Err(ToolError::new("cancelled", "stopped by myself"))
                }
                "report" => {
                    for done in 0..3 {
                        cx.report(Steps {
                            done,
                            total: Some(3),
                            message: None,
                        });
                        tokio::time::sleep(Duration::from_millis(60)).await;
                    }
                    Ok("reported".to_owned())
                }
                other => Ok(other.to_owned()),
            }
        });
    let count = Arc::new(AtomicUsize::new(0));
    let nest = ToolBuilder::<Job>::new("nest", "Call another tool.")
        .read_only()
        .footprint(|_, _| Footprint::nothing().writing(Scope::node("thing")))
        .call(move |job, cx: Context| {
            let count = Arc::clone(&count);
            async move {
                let id = format!("{}/{}", cx.id(), count.fetch_add(1, Ordering::Relaxed));
                let (name, input) = if job.act == "self" {
                    ("nest", job.act)
                } else {
                    ("act", job.act)
                };
                let input = serde_json::json!({ "act": input }).to_string();
                let outcome = cx.call(RawCall::new(id, name, input)).await;
                Ok(format!("{:?}: {}", outcome.status, outcome.model_text()))
            }
        });
    let mut toolbox = Toolbox::new();
    toolbox.add(act).unwrap().add(nest).unwrap();
    toolbox
}

fn open() -> SessionBuilder {
    Session::builder(toolbox(), "/proj").policy(SimplePolicy::new().bypass())
}

fn call(id: &str, act: &str) -> RawCall {
    RawCall::new(id, "act", serde_json::json!({ "act": act }).to_string())
}

#[tokio::test]
async fn a_panic_is_an_outcome_and_keeps_its_text_from_the_model() {
    let outcome = open().build().unwrap().call(call("c1", "panic")).await;
    let error = outcome.error.unwrap();
    assert_eq!(
        (outcome.status, error.kind),
        (Status::Failed, ErrorKind::Panicked)
    );
    assert!(!error.message.contains("secret"), "{}", error.message);
    assert_eq!(error.operator_text.as_deref(), Some("secret of the host"));
}

#[tokio::test]
async fn a_raised_error_keeps_its_code_and_its_two_texts_apart() {
    let outcome = open().build().unwrap().call(call("c1", "fail")).await;
    let text = serde_json::to_string(&outcome).unwrap();
    let error = outcome.error.unwrap();
    assert_eq!(
        (error.kind, error.code.as_deref()),
        (ErrorKind::ToolFailed, Some("bad_luck"))
    );
    assert_eq!(error.message, "no luck");
    assert!(!text.contains("dice"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_ignores_its_token_is_given_up_after_the_grace() {
    let deadlines = Deadlines {
        absolute: Some(Duration::from_secs(5)),
        ..Default::default()
    };
    let session = open().deadlines(deadlines).build().unwrap();
    let outcome = session.call(call("c1", "sleep")).await;
    let error = outcome.error.unwrap();
    assert_eq!(
        (outcome.status, error.started),
        (Status::TimedOut, Some(true))
    );
    assert!(error.message.contains("5s"), "{}", error.message);
    assert!(error.message.contains("did not stop"), "{}", error.message);
}

#[tokio::test(start_paused = true)]
async fn what_an_abandoned_tool_touches_is_its_own_until_it_ends() {
    let deadlines = Deadlines {
        absolute: Some(Duration::from_secs(5)),
        ..Default::default()
    };
    let session = open().deadlines(deadlines).max_parallel(1).build().unwrap();
    let start = tokio::time::Instant::now();
    let stuck = session.submit(call("c1", "sleep"));
    let same = session.submit(call("c2", "x"));
    assert_eq!(stuck.outcome().await.status, Status::TimedOut);
    assert_eq!(start.elapsed().as_secs(), 7);
    assert_eq!(same.outcome().await.status, Status::Done);
    assert_eq!(
        start.elapsed().as_secs(),
        3600,
        "the sleeper sleeps an hour"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tool_that_blocks_its_thread_holds_up_nobody_else() {
    let (free, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = std::sync::Mutex::new(blocked);
    let block = ToolBuilder::<Job>::new("block", "Block the thread.")
        .footprint(|_, _| Footprint::nothing())
        .call(move |_, _cx: Context| {
            let until = blocked
                .lock()
                .unwrap()
                .recv_timeout(Duration::from_secs(60));
            async move { Ok(format!("{until:?}")) }
        });
    let mut toolbox = Toolbox::new();
    toolbox.add(block).unwrap();
    let deadlines = Deadlines {
        absolute: Some(Duration::from_millis(1)),
        grace: Duration::from_millis(1),
        ..Default::default()
    };
    let session = Session::builder(toolbox, "/proj")
        .policy(SimplePolicy::new().bypass())
        .deadlines(deadlines)
        .build()
        .unwrap();
    let blocking = RawCall::new("c1", "block", r#"{"act":"block"}"#);
    assert_eq!(session.call(blocking).await.status, Status::TimedOut);
    free.send(()).unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_obeys_is_reported_as_timed_out_all_the_same() {
    let deadlines = Deadlines {
        absolute: Some(Duration::from_secs(5)),
        ..Default::default()
    };
    let session = open().deadlines(deadlines).build().unwrap();
    assert_eq!(
        session.call(call("c1", "obey")).await.status,
        Status::TimedOut
    );
}

#[tokio::test(start_paused = true)]
async fn progress_resets_the_idle_limit_and_silence_meets_it() {
    let deadlines = Deadlines {
        idle: Some(Duration::from_millis(100)),
        ..Default::default()
    };
    let session = open().deadlines(deadlines).build().unwrap();
    assert_eq!(
        session.call(call("c1", "report")).await.status,
        Status::Done
    );
    assert_eq!(
        session.call(call("c2", "sleep")).await.status,
        Status::TimedOut
    );
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_turn_does_not_count_towards_the_limit() {
    let deadlines = Deadlines {
        absolute: Some(Duration::from_secs(1)),
        grace: Duration::from_millis(10),
        ..Default::default()
    };
    let session = open().deadlines(deadlines).build().unwrap();
    let outcomes = session
        .run([call("c1", "sleep"), call("c2", "sleep"), call("c3", "x")])
        .await;
    assert_eq!(outcomes[2].status, Status::Done);
    assert_eq!(
        outcomes[2].time.as_ref().unwrap().waited_for,
        ["c1".into(), "c2".into()]
    );
}

#[tokio::test]
async fn a_dropped_session_cancels_what_runs_and_what_waits() {
    let session = open().build().unwrap();
    let mut first = session.submit(call("c1", "obey"));
    let second = session.submit(call("c2", "x"));
    while !matches!(first.events().next().await, Some(Event::Started { .. })) {}
    drop(session);
    let (first, second) = (first.outcome().await, second.outcome().await);
    assert_eq!(
        (first.status, first.error.unwrap().started),
        (Status::Cancelled, Some(true))
    );
    assert_eq!(
        (second.status, second.error.unwrap().started),
        (Status::Cancelled, Some(false))
    );
}

#[test]
fn a_runtime_that_goes_down_leaves_an_outcome_for_each_handle() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let session = open().build().unwrap();
    let handle = runtime.block_on(async { session.submit(call("c1", "obey")) });
    drop(runtime);
    let again = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let outcome = again.block_on(handle.outcome());
    assert_eq!(
        (outcome.status, outcome.id.as_deref()),
        (Status::Cancelled, Some("c1"))
    );
}

#[tokio::test]
async fn the_second_call_of_one_id_is_invalid() {
    let outcomes = open()
        .build()
        .unwrap()
        .run([call("c1", "a"), call("c1", "b")])
        .await;
    assert_eq!(outcomes[0].status, Status::Done);
    assert_eq!(
        outcomes[1].error.as_ref().unwrap().kind,
        ErrorKind::DuplicateId
    );
}

#[tokio::test]
async fn with_nobody_to_ask_an_asked_call_is_denied_and_says_so() {
    let session = Session::builder(toolbox(), "/proj").build().unwrap();
    let outcome = session.call(call("c1", "x")).await;
    let error = outcome.error.unwrap();
    assert_eq!(
        (outcome.status, error.kind),
        (Status::Denied, ErrorKind::NotAnswered)
    );
    assert_eq!(outcome.decision.unwrap().effect, Verdict::Ask);
}

/// Answers the first question with an edit and the next with yes.
struct Editor(AtomicUsize);

impl Approver for Editor {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        let first = self.0.fetch_add(1, Ordering::Relaxed) == 0;
        assert!(call.call().describe().starts_with("Act: "));
        Box::pin(async move {
            if first {
                Answer::Edit(r#"{"act":"edited"}"#.into())
            } else {
                Answer::Yes
            }
        })
    }
}

#[tokio::test]
async fn edited_input_starts_over_and_is_what_runs() {
    let session = Session::builder(toolbox(), "/proj")
        .approver(Editor(AtomicUsize::new(0)))
        .build()
        .unwrap();
    let outcome = session.call(call("c1", "x")).await;
    assert_eq!(outcome.model_text(), "edited");
    assert_eq!(outcome.decision.unwrap().by, DecidedBy::Person);
}

/// Answers every question with an input that the schema forbids.
struct Spoiler;

impl Approver for Spoiler {
    fn ask<'a>(&'a self, _call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::Edit(r#"{"act":1}"#.into()) })
    }
}

#[tokio::test]
async fn an_edit_that_the_schema_forbids_is_invalid() {
    let session = Session::builder(toolbox(), "/proj")
        .approver(Spoiler)
        .build()
        .unwrap();
    assert_eq!(session.call(call("c1", "x")).await.status, Status::Invalid);
}

#[tokio::test]
async fn a_nested_call_goes_through_the_whole_pipeline() {
    let nested = |id: &str, act: &str| {
        RawCall::new(id, "nest", serde_json::json!({ "act": act }).to_string())
    };
    let session = open().build().unwrap();
    assert_eq!(
        session.call(nested("n1", "hello")).await.model_text(),
        "Done: hello"
    );
    assert!(
        session
            .call(nested("n2", "panic"))
            .await
            .model_text()
            .starts_with("Failed: ")
    );
    let strict = Session::builder(toolbox(), "/proj").build().unwrap();
    assert!(
        strict
            .call(nested("n3", "hello"))
            .await
            .model_text()
            .starts_with("Denied: not run")
    );
}

#[tokio::test]
async fn a_tool_that_calls_itself_for_ever_is_stopped() {
    let session = open().build().unwrap();
    let call = RawCall::new("n1", "nest", r#"{"act":"self"}"#);
    assert!(
        session
            .call(call)
            .await
            .model_text()
            .contains("nested too deep")
    );
}

#[tokio::test(start_paused = true)]
async fn the_events_of_a_call_come_in_order_and_progress_is_typed() {
    let session = open().build().unwrap();
    let mut handle = session.submit(call("c1", "report"));
    let mut seen = Vec::new();
    while let Some(event) = handle.events().next().await {
        seen.push(match event {
            Event::Started { description } => description,
            Event::Progress(report) => format!("{:?}", report.get::<Steps>().unwrap().done),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(seen, ["Admitted", "Act: report", "0", "1", "2", "Ended"]);
}

#[tokio::test]
async fn a_plan_runs_nothing_and_tells_what_waits_for_what() {
    let session = Session::builder(toolbox(), "/proj").build().unwrap();
    let mut planner = Planner::new(&session);
    let nest = RawCall::new("c1", "nest", r#"{"act":"panic"}"#);
    assert_eq!(planner.plan(nest).status, Status::Planned);
    assert_eq!(planner.plan(call("c2", "panic")).status, Status::Pending);
    let third = planner.plan(call("c3", "panic"));
    assert_eq!(third.time.unwrap().waited_for, ["c1".into(), "c2".into()]);
    assert_eq!(planner.plan(call("c3", "x")).status, Status::Invalid);
}
