//! Hooks: what they may lift, what they may not, and what becomes of those that break.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Answer, AskedCall, BoxFuture, Context, DecidedBy, Decision, ErrorKind, Facts, Outcome, Policy,
    RawCall, SimplePolicy, Status, ToolBuilder, Toolbox, ValidatedCall, Verdict,
};
use toolpost_run::{Approver, Hook, HookAnswer, Session, SessionBuilder};

#[derive(Deserialize, JsonSchema)]
struct Say {
    /// What is said; other texts are answers of the hook under test.
    text: String,
}

/// Answers what the test wants to the words that it is asked about.
struct Answers(fn(&str) -> HookAnswer);

impl Hook for Answers {
    fn before<'a>(&'a self, call: &'a ValidatedCall, _: &'a Facts) -> BoxFuture<'a, HookAnswer> {
        Box::pin(async { (self.0)(call.input()) })
    }
}

/// Remembers the outcomes that it is told of.
#[derive(Clone, Default)]
struct Hears(Arc<Mutex<Vec<String>>>);

impl Hook for Hears {
    fn after<'a>(&'a self, outcome: &'a Outcome, _: &'a Facts) -> BoxFuture<'a, ()> {
        let heard = format!("{} {:?}", outcome.id.as_ref().unwrap(), outcome.status);
        self.0.lock().unwrap().push(heard);
        Box::pin(async {})
    }
}

/// Says this, in a way that may be lifted or not.
struct Says(Verdict, bool);

impl Policy for Says {
    fn decide(&self, _: &ValidatedCall, _: &Facts) -> Decision {
        let said = Decision::new(self.0, DecidedBy::Mode, "the policy says so");
        if self.1 { said.liftable() } else { said }
    }
}

struct SaysYes;

impl Approver for SaysYes {
    fn ask<'a>(&'a self, _: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(async { Answer::Yes })
    }
}

fn open() -> SessionBuilder {
    let say = ToolBuilder::<Say>::new("say", "Say something.")
        .call(|input, _: Context| async move { Ok(input.text) });
    let nest = ToolBuilder::<Say>::new("nest", "Have something said.").call(
        |input, cx: Context| async move {
            let input = serde_json::json!({ "text": input.text }).to_string();
            let outcome = cx.call(RawCall::new("inner", "say", input)).await;
            Ok(format!("{:?}", outcome.status))
        },
    );
    let mut toolbox = Toolbox::new();
    toolbox.add(say).unwrap().add(nest).unwrap();
    Session::builder(toolbox, "/proj")
}

fn say(text: &str) -> RawCall {
    let input = serde_json::json!({ "text": text }).to_string();
    RawCall::new("c1", "say", input)
}

async fn outcome(policy: Says, answer: fn(&str) -> HookAnswer) -> Outcome {
    let session = open().policy(policy).hook(Answers(answer)).build().unwrap();
    session.call(say("hello")).await
}

fn by(outcome: &Outcome) -> (Status, DecidedBy) {
    (outcome.status, outcome.decision.as_ref().unwrap().by)
}

#[tokio::test]
async fn the_strictest_word_holds() {
    use Verdict::{Allow, Ask, Deny};
    let allow = |_: &str| HookAnswer::Allow("fine".into());
    let ask = |_: &str| HookAnswer::Ask("look".into());
    let deny = |_: &str| HookAnswer::Deny("no".into());
    let pass = |_: &str| HookAnswer::Pass;
    // Its consent lifts only an ask that nothing but the mode made.
    for (policy, hook, wanted) in [
        (
            Says(Ask, true),
            allow as fn(&str) -> HookAnswer,
            (Status::Done, DecidedBy::Hook),
        ),
        (Says(Ask, false), allow, (Status::Denied, DecidedBy::Mode)),
        (Says(Deny, false), allow, (Status::Denied, DecidedBy::Mode)),
        (Says(Allow, false), ask, (Status::Denied, DecidedBy::Hook)),
        (Says(Allow, false), deny, (Status::Denied, DecidedBy::Hook)),
        (Says(Allow, false), pass, (Status::Done, DecidedBy::Mode)),
        (Says(Ask, true), pass, (Status::Denied, DecidedBy::Mode)),
    ] {
        let outcome = outcome(policy, hook).await;
        assert_eq!(by(&outcome), wanted, "{}", outcome.model_text());
    }
}

#[tokio::test]
async fn one_consent_does_not_outweigh_another_hooks_question() {
    for turned in [false, true] {
        let hooks = [
            Answers(|_| HookAnswer::Allow("fine".into())),
            Answers(|_| HookAnswer::Ask("look".into())),
        ];
        let [mut first, mut second] = hooks;
        if turned {
            std::mem::swap(&mut first, &mut second);
        }
        let session = open()
            .policy(Says(Verdict::Ask, true))
            .hook(first)
            .hook(second)
            .build()
            .unwrap();
        assert_eq!(session.call(say("hello")).await.status, Status::Denied);
    }
}

#[tokio::test(start_paused = true)]
async fn what_breaks_or_hangs_is_no_consent() {
    struct Hangs;
    impl Hook for Hangs {
        fn before<'a>(&'a self, _: &'a ValidatedCall, _: &'a Facts) -> BoxFuture<'a, HookAnswer> {
            Box::pin(std::future::pending())
        }
    }
    let bypass = || open().policy(SimplePolicy::new().bypass());
    let hanging = bypass().hook(Hangs).build().unwrap();
    let panicking = bypass()
        .hook(Answers(|_| panic!("out of luck")))
        .build()
        .unwrap();
    for session in [hanging, panicking] {
        let outcome = session.call(say("hello")).await;
        assert_eq!(outcome.error.as_ref().unwrap().kind, ErrorKind::NotAnswered);
        assert!(
            outcome.model_text().contains("no consent"),
            "{}",
            outcome.model_text()
        );
    }
    let asked = bypass().hook(Hangs).approver(SaysYes).build().unwrap();
    assert_eq!(asked.call(say("hello")).await.status, Status::Done);
}

#[tokio::test(start_paused = true)]
async fn a_hook_can_be_cancelled() {
    struct Slow;
    impl Hook for Slow {
        fn before<'a>(&'a self, _: &'a ValidatedCall, _: &'a Facts) -> BoxFuture<'a, HookAnswer> {
            Box::pin(std::future::pending())
        }
        fn limit(&self) -> Duration {
            Duration::from_secs(3600)
        }
    }
    let session = open()
        .policy(SimplePolicy::new().bypass())
        .hook(Slow)
        .build()
        .unwrap();
    let handle = session.submit(say("hello"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    handle.cancel();
    let outcome = handle.outcome().await;
    assert_eq!(
        (outcome.status, outcome.error.unwrap().started),
        (Status::Cancelled, Some(false))
    );
}

#[tokio::test]
async fn changed_input_starts_over() {
    /// Refuses one word, whoever says it.
    struct NoBye;
    impl Policy for NoBye {
        fn decide(&self, call: &ValidatedCall, _: &Facts) -> Decision {
            if call.input().contains("bye") {
                Decision::new(Verdict::Deny, DecidedBy::Rule, "no goodbyes")
            } else {
                Decision::new(Verdict::Allow, DecidedBy::Rule, "fine")
            }
        }
    }
    let to = |answer| open().policy(NoBye).hook(Answers(answer)).build().unwrap();
    let changed = to(|input| {
        if input.contains("hello") {
            HookAnswer::Rewrite(r#"{"text":"good day"}"#.into())
        } else {
            HookAnswer::Pass
        }
    });
    assert_eq!(changed.call(say("hello")).await.model_text(), "good day");
    let denied = to(|_| HookAnswer::Rewrite(r#"{"text":"bye"}"#.into()));
    assert_eq!(denied.call(say("hello")).await.status, Status::Denied);
    let invalid = to(|_| HookAnswer::Rewrite(r#"{"txt":1}"#.into()));
    let outcome = invalid.call(say("hello")).await;
    assert_eq!(outcome.status, Status::Invalid);
    assert!(
        outcome.model_text().contains("a hook changed the input"),
        "{}",
        outcome.model_text()
    );
    let endless = to(|input| HookAnswer::Rewrite(input.replace("o\"", "oo\"")));
    let outcome = endless.call(say("hello")).await;
    assert_eq!(outcome.error.as_ref().unwrap().kind, ErrorKind::NotAnswered);
}

#[tokio::test]
async fn nested_calls_pass_the_same_hooks_and_every_outcome_is_told() {
    let hears = Hears::default();
    let session = open()
        .policy(SimplePolicy::new().bypass())
        .hook(Answers(|input| {
            if input.contains("secret") {
                HookAnswer::Deny("not that".into())
            } else {
                HookAnswer::Pass
            }
        }))
        .hook(hears.clone())
        .build()
        .unwrap();
    let nest = RawCall::new("outer", "nest", r#"{"text":"hello"}"#);
    assert_eq!(session.call(nest).await.model_text(), "Done");
    assert_eq!(session.call(say("a secret")).await.status, Status::Denied);
    assert_eq!(
        *hears.0.lock().unwrap(),
        ["inner Done", "outer Done", "c1 Denied"]
    );
}

#[tokio::test]
async fn a_denial_is_not_changed_away_and_wrong_changes_are_not_the_models() {
    let deny = Answers(|_| HookAnswer::Deny("no".into()));
    let change = |text: &str| match text.contains("other") {
        true => HookAnswer::Pass,
        false => HookAnswer::Rewrite(r#"{"text":"other"}"#.into()),
    };
    let session = open().policy(Says(Verdict::Allow, false));
    let session = session.hook(deny).hook(Answers(change)).build().unwrap();
    let outcome = session.call(say("hello")).await;
    assert_eq!(by(&outcome), (Status::Denied, DecidedBy::Hook));

    struct Edits;
    impl Approver for Edits {
        fn ask<'a>(&'a self, _: &'a AskedCall) -> BoxFuture<'a, Answer> {
            Box::pin(async { Answer::Edit(r#"{"words":1}"#.into()) })
        }
    }
    let session = open().policy(Says(Verdict::Ask, false)).approver(Edits);
    let outcome = session.build().unwrap().call(say("hello")).await;
    assert_eq!(outcome.status, Status::Invalid);
    let text = outcome.model_text();
    assert!(
        text.contains("the person who was asked changed the input"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_come_in_program_order_whatever_hooks_take() {
    /// The earlier the call, the longer it takes.
    struct Slow;
    impl Hook for Slow {
        fn before<'a>(
            &'a self,
            call: &'a ValidatedCall,
            _: &'a Facts,
        ) -> BoxFuture<'a, HookAnswer> {
            let number: u64 = call.id().trim_start_matches('q').parse().unwrap();
            Box::pin(async move {
                tokio::time::sleep(Duration::from_millis(5 * (20 - number))).await;
                HookAnswer::Pass
            })
        }
    }
    #[derive(Clone, Default)]
    struct Heard(Arc<Mutex<Vec<String>>>);
    impl Approver for Heard {
        fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
            self.0.lock().unwrap().push(call.call().id().to_string());
            // An answer that never comes keeps no other question back.
            if call.call().id().ends_with('3') {
                Box::pin(std::future::pending())
            } else {
                Box::pin(async { Answer::Yes })
            }
        }
    }
    let heard = Heard::default();
    let session = open().policy(Says(Verdict::Ask, false)).hook(Slow);
    let session = session.approver(heard.clone()).build().unwrap();
    let ids: Vec<String> = (0..20).map(|number| format!("q{number}")).collect();
    let handles: Vec<_> = ids
        .iter()
        .map(|id| {
            session.submit(RawCall::new(
                id.as_str(),
                "say",
                format!(r#"{{"text":"{id}"}}"#),
            ))
        })
        .collect();
    while heard.0.lock().unwrap().len() < 20 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(*heard.0.lock().unwrap(), ids);
    drop(handles);
}
