//! A tool that says what it did, a journal in a folder that goes away, and a crash.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{Notify, Semaphore};
use toolpost_core::{Context, Effects, Footprint, Outcome, RawCall, Scope, ToolBuilder, Toolbox};
use toolpost_run::journal::{Filter, Journal, LoggedCall, Recorder, Recording};
use toolpost_run::{Session, SessionBuilder};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Job {
    /// What to do.
    act: String,
    /// What kind of work it is.
    #[serde(default)]
    kind: Kind,
    /// Whether to wait at the gate.
    #[serde(default)]
    waits: bool,
}

#[derive(Default, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Reads,
    Repeatable,
    #[default]
    Once,
}

/// What was done, and a gate that work may be made to wait at.
#[derive(Clone)]
pub(crate) struct Workshop {
    pub(crate) done: Arc<Mutex<Vec<String>>>,
    pub(crate) gate: Arc<Semaphore>,
    pub(crate) at_gate: Arc<Notify>,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        Self {
            done: Arc::default(),
            gate: Arc::new(Semaphore::new(0)),
            at_gate: Arc::default(),
        }
    }

    pub(crate) fn done(&self) -> Vec<String> {
        self.done.lock().unwrap().clone()
    }

    pub(crate) fn toolbox(&self, description: &'static str) -> Arc<Toolbox> {
        let shop = self.clone();
        let act = ToolBuilder::<Job>::new("act", description)
            .effects(|job| match job.kind {
                Kind::Reads => Effects::READ_ONLY,
                Kind::Repeatable => Effects::WRITES.and_idempotent(),
                Kind::Once => Effects::WRITES,
            })
            .footprint(|job, _| Footprint::nothing().writing(Scope::node(job.act.clone())))
            .describe(|job| format!("Act: {}", job.act))
            .call(move |job, _cx: Context| {
                let shop = shop.clone();
                async move {
                    if job.waits {
                        shop.at_gate.notify_one();
                        shop.gate.acquire().await.unwrap().forget();
                    }
                    shop.done.lock().unwrap().push(job.act.clone());
                    Ok(job.act)
                }
            });
        let nest = ToolBuilder::<Job>::new("nest", "Act as a part of this.")
            .read_only()
            .footprint(|job, _| Footprint::nothing().writing(Scope::node(job.act.clone())))
            .call(|job, cx: Context| async move {
                let input = serde_json::json!({ "act": job.act }).to_string();
                let outcome = cx.call(RawCall::new("part", "act", input)).await;
                Ok(format!("{:?}", outcome.status))
            });
        let mut toolbox = Toolbox::new();
        toolbox.add(act).unwrap().add(nest).unwrap();
        Arc::new(toolbox)
    }
}

/// A journal in a folder of its own.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("state/journal.db")
    }

    pub(crate) fn open(&self) -> Journal {
        Journal::open(self.file()).unwrap()
    }

    pub(crate) fn calls(&self) -> Vec<LoggedCall> {
        self.open().calls(&Filter::default()).unwrap()
    }

    /// The journal as it would be found if the machine went off now.
    pub(crate) fn after_a_crash(&self) -> Place {
        let there = Place::new();
        std::fs::create_dir_all(there.file().parent().unwrap()).unwrap();
        for end in ["", "-wal"] {
            let name = |file: PathBuf| PathBuf::from(format!("{}{end}", file.display()));
            if name(self.file()).exists() {
                std::fs::copy(name(self.file()), name(there.file())).unwrap();
            }
        }
        there
    }
}

pub(crate) fn recording(shop: &Workshop) -> Recording {
    Recording::new(shop.toolbox("Do what the input says."), Path::new("/proj"))
}

/// A session that is recorded, and asks the queue.
pub(crate) fn begin(place: &Place, recording: Recording) -> (Recorder, SessionBuilder) {
    let toolbox = Arc::clone(&recording.toolbox);
    let recorder = place.open().record(recording).unwrap();
    let builder = Session::builder(toolbox, "/proj")
        .store(recorder.clone())
        .approver(recorder.queue());
    (recorder, builder)
}

pub(crate) fn act(id: &str, input: serde_json::Value) -> RawCall {
    RawCall::new(id, "act", input.to_string())
}

/// Runs calls in a session of its own that ends with them.
pub(crate) async fn run(
    place: &Place,
    recording: Recording,
    calls: impl IntoIterator<Item = RawCall>,
) -> Vec<Outcome> {
    let (recorder, builder) = begin(place, recording);
    let outcomes = builder.build().unwrap().run(calls).await;
    recorder.close();
    outcomes
}
