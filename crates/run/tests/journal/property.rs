//! Whatever is asked, answered, edited, cancelled, and wherever the machine goes off: nothing runs
//! without a yes for its exact input, and no call runs twice.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{Notify, Semaphore};
use toolpost_core::{
    Answer, AskedCall, BoxFuture, Context, Footprint, RawCall, Scope, Status, ToolBuilder, Toolbox,
};
use toolpost_run::journal::{Queue, Recorder, Recording};
use toolpost_run::{Approver, Session};

use crate::support::Place;

/// One thing that happens. Inputs are numbers.
#[derive(Debug, Clone)]
enum Step {
    /// These are called together, and the process ends well.
    Run(Vec<u8>),
    /// The machine goes off while one of them is at work, or has not begun.
    Crash(Vec<u8>),
    /// They are told to stop at once.
    Cancel(Vec<u8>),
    /// A person changes the input of the first before the question is kept.
    Edit(Vec<u8>, u8),
    /// The n-th open question is answered with yes, or with no.
    Allow(usize),
    Deny(usize),
}

#[derive(Deserialize, JsonSchema)]
struct Job {
    /// What to do.
    act: u8,
}

/// What has been done, by the id of the call that did it.
#[derive(Clone)]
struct World {
    done: Arc<Mutex<Vec<(String, u8)>>>,
    /// Work waits here after its effect, so that a crash can come while it is at work.
    gate: Arc<Semaphore>,
    begun: Arc<Notify>,
}

impl World {
    fn toolbox(&self) -> Arc<Toolbox> {
        let world = self.clone();
        let act = ToolBuilder::<Job>::new("act", "Do what the input says.")
            .footprint(|_, _| Footprint::nothing().writing(Scope::node("thing")))
            .call(move |job, cx: Context| {
                let world = world.clone();
                async move {
                    world
                        .done
                        .lock()
                        .unwrap()
                        .push((cx.id().to_owned(), job.act));
                    world.begun.notify_one();
                    drop(world.gate.acquire().await.unwrap());
                    Ok("done")
                }
            });
        let mut toolbox = Toolbox::new();
        toolbox.add(act).unwrap();
        Arc::new(toolbox)
    }

    fn count(&self, act: u8) -> usize {
        let done = self.done.lock().unwrap();
        done.iter().filter(|(_, done)| *done == act).count()
    }
}

/// Edits the first input that it is asked about, and keeps all other questions.
struct Editor(Queue, u8, AtomicUsize);

impl Approver for Editor {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        if self.2.fetch_add(1, Ordering::SeqCst) == 0 {
            let input = input(self.1);
            return Box::pin(async move { Answer::Edit(input) });
        }
        self.0.ask(call)
    }

    fn counts_answers(&self) -> bool {
        true
    }
}

fn input(act: u8) -> String {
    format!(r#"{{"act":{act}}}"#)
}

/// What should be so: how many uses of a yes there are for each input.
struct Model {
    place: Place,
    world: World,
    next: usize,
    /// Keeps earlier worlds' sessions from being taken for closed.
    left_behind: Vec<(Recorder, Session, Place)>,
    uses: BTreeMap<u8, usize>,
}

impl Model {
    fn new() -> Self {
        let world = World {
            done: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            begun: Arc::default(),
        };
        Self {
            place: Place::new(),
            world,
            next: 0,
            left_behind: Vec::new(),
            uses: BTreeMap::new(),
        }
    }

    fn calls(&mut self, acts: &[u8]) -> Vec<RawCall> {
        acts.iter()
            .map(|act| {
                self.next += 1;
                RawCall::new(format!("c{}", self.next), "act", input(*act))
            })
            .collect()
    }

    fn begin(&self, edit: Option<u8>) -> (Recorder, Session) {
        let toolbox = self.world.toolbox();
        let recording = Recording::new(Arc::clone(&toolbox), "/proj");
        let recorder = self.place.open().record(recording).unwrap();
        let builder = Session::builder(toolbox, "/proj").store(recorder.clone());
        let builder = match edit {
            Some(to) => builder.approver(Editor(recorder.queue(), to, AtomicUsize::new(0))),
            None => builder.approver(recorder.queue()),
        };
        (recorder, builder.build().unwrap())
    }

    async fn step(&mut self, step: Step) {
        let before: Vec<usize> = (0..3).map(|act| self.world.count(act)).collect();
        let mut is_exact = None;
        match step {
            Step::Run(acts) => {
                self.run(&acts, None).await;
                is_exact = Some(acts);
            }
            Step::Edit(mut acts, to) => {
                self.run(&acts, Some(to)).await;
                if let Some(first) = acts.first_mut() {
                    *first = to;
                }
                is_exact = Some(acts);
            }
            Step::Cancel(acts) => {
                self.world.gate.add_permits(1);
                let (recorder, session) = self.begin(None);
                let calls = self.calls(&acts);
                let handles: Vec<_> = calls.into_iter().map(|call| session.submit(call)).collect();
                session.cancel();
                for handle in handles {
                    handle.outcome().await;
                }
                recorder.close();
                self.world.gate.forget_permits(1);
            }
            Step::Crash(acts) => self.crash(&acts).await,
            Step::Allow(nth) => self.answer(nth, true),
            Step::Deny(nth) => self.answer(nth, false),
        }
        for (act, before) in (0..3).zip(before) {
            let ran = self.world.count(act) - before;
            let uses = self.uses.entry(act).or_default();
            assert!(
                ran <= *uses,
                "{act} ran {ran} times, and {uses} were allowed"
            );
            if let Some(acts) = &is_exact {
                let wanted = acts.iter().filter(|wanted| **wanted == act).count();
                assert_eq!(ran, wanted.min(*uses), "{act}");
            }
        }
        let database = rusqlite::Connection::open(self.place.file()).unwrap();
        for act in 0..3 {
            let left: i64 = database
                .query_row(
                    "SELECT coalesce(sum(uses), 0) FROM questions WHERE state = 'allowed' AND input = ?1",
                    [input(act)],
                    |row| row.get(0),
                )
                .unwrap();
            // A use that was taken and not run is gone.
            let left = usize::try_from(left).unwrap();
            let uses = self.uses.get_mut(&act).unwrap();
            assert!(left <= *uses, "{act} has {left} uses left of {uses}");
            *uses = left;
        }
        let done = self.world.done.lock().unwrap();
        let mut ids = HashSet::new();
        assert!(
            done.iter().all(|(id, _)| ids.insert(id.clone())),
            "{done:?}"
        );
    }

    async fn run(&mut self, acts: &[u8], edit: Option<u8>) {
        self.world.gate.add_permits(1);
        let (recorder, session) = self.begin(edit);
        let calls = self.calls(acts);
        let outcomes = session.run(calls).await;
        recorder.close();
        self.world.gate.forget_permits(1);
        for outcome in outcomes {
            assert!(matches!(
                outcome.status,
                Status::Done | Status::Pending | Status::Denied
            ));
        }
    }

    async fn crash(&mut self, acts: &[u8]) {
        let (recorder, session) = self.begin(None);
        let calls = self.calls(acts);
        let handles: Vec<_> = calls.into_iter().map(|call| session.submit(call)).collect();
        let begun = self.world.done.lock().unwrap().len();
        // Either one is at work, or all have ended without one.
        let is_at_work = async {
            while self.world.done.lock().unwrap().len() == begun {
                self.world.begun.notified().await;
            }
        };
        let all_ended = async {
            for handle in handles {
                handle.outcome().await;
            }
        };
        tokio::select! {
            () = is_at_work => {}
            () = all_ended => {}
        }
        let crashed = self.place.after_a_crash();
        for call in crashed.calls() {
            let has_effect = self
                .world
                .done
                .lock()
                .unwrap()
                .iter()
                .any(|(id, _)| *id == call.call);
            let is_true = match call.status.as_str() {
                "unknown" => true,
                "done" => has_effect,
                _ => !has_effect,
            };
            assert!(
                is_true,
                "{} is {}, effect: {has_effect}",
                call.call, call.status
            );
        }
        let place = std::mem::replace(&mut self.place, crashed);
        self.left_behind.push((recorder, session, place));
        // What was at work then never goes on.
        self.world.gate = Arc::new(Semaphore::new(0));
    }

    fn answer(&mut self, nth: usize, yes: bool) {
        let journal = self.place.open();
        let questions = journal.questions().unwrap();
        let Some(question) = questions.get(nth % questions.len().max(1)) else {
            return;
        };
        let act = question.input.bytes().find(u8::is_ascii_digit).unwrap() - b'0';
        if !yes {
            journal.deny(question.id, "me", None).unwrap();
        } else if let Ok(settled) = journal.allow(question.id, "me") {
            *self.uses.entry(act).or_default() += usize::try_from(settled.calls).unwrap();
        }
    }
}

fn acts() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0_u8..3, 1..4)
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => acts().prop_map(Step::Run),
        1 => acts().prop_map(Step::Crash),
        1 => acts().prop_map(Step::Cancel),
        1 => (acts(), 0_u8..3).prop_map(|(acts, to)| Step::Edit(acts, to)),
        4 => (0_usize..3).prop_map(Step::Allow),
        1 => (0_usize..3).prop_map(Step::Deny),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_runs_without_a_yes_for_its_exact_input_and_nothing_twice(
        steps in proptest::collection::vec(step(), 1..16),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut model = Model::new();
            for step in steps {
                model.step(step).await;
            }
        });
    }
}
