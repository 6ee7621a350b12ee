//! What the journal costs a call, beside the same call without one, in the same run.
//!
//! Calls that only read wait for nothing; what may be repeated waits for a commit, and all else
//! for the disk. `TOOLPOST_BENCH_FOLDER` names a folder on the disk to measure; the temporary
//! folder when it is not set.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops when it is wrong"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Context, Effects, Footprint, RawCall, Scope, SimplePolicy, ToolBuilder, Toolbox,
};
use toolpost_run::Session;
use toolpost_run::journal::{Filter, Journal, Mask, Recording};

#[derive(Deserialize, JsonSchema)]
struct Job {
    /// What to do.
    act: String,
}

/// A tool that does nothing, and says of itself that it may do this.
fn toolbox(effects: Effects) -> Arc<Toolbox> {
    let act = ToolBuilder::<Job>::new("act", "Do nothing.")
        .effects(move |_| effects)
        .footprint(|job, _| Footprint::nothing().reading(Scope::node(job.act.clone())))
        .call(|job, _cx: Context| async move { Ok(job.act) });
    let mut toolbox = Toolbox::new();
    toolbox.add(act).unwrap();
    Arc::new(toolbox)
}

fn calls(count: usize) -> Vec<RawCall> {
    (0..count)
        .map(|n| {
            RawCall::new(
                format!("c{n}"),
                "act",
                format!(r#"{{"act":"src/file{n}.rs"}}"#),
            )
        })
        .collect()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap()
}

/// Calls one after another; the time of one.
fn one_by_one(session: &Session, count: usize) -> Duration {
    runtime().block_on(async {
        let start = Instant::now();
        for call in calls(count) {
            assert!(session.call(call).await.is_done());
        }
        start.elapsed() / u32::try_from(count).unwrap()
    })
}

/// Calls in batches of ten; the time of one.
fn batched(session: &Session, count: usize) -> Duration {
    runtime().block_on(async {
        let start = Instant::now();
        for batch in calls(count).chunks(10) {
            let outcomes = session.run(batch.to_vec()).await;
            assert!(outcomes.iter().all(toolpost_core::Outcome::is_done));
        }
        start.elapsed() / u32::try_from(count).unwrap()
    })
}

fn main() {
    let folder = std::env::var_os("TOOLPOST_BENCH_FOLDER").map(PathBuf::from);
    let folder = folder.unwrap_or_else(std::env::temp_dir);
    let folder = tempfile::tempdir_in(folder).unwrap();
    let kinds = [
        ("only reads", Effects::READ_ONLY, 20_000),
        ("may be repeated", Effects::WRITES.and_idempotent(), 2_000),
        ("may not be repeated", Effects::WRITES, 500),
    ];
    println!(
        "{:<20} {:<10} {:>12} {:>12} {:>12}",
        "a call that", "", "off", "on", "costs"
    );
    for (name, effects, count) in kinds {
        for (how, measure) in [
            ("alone", one_by_one as fn(&Session, usize) -> Duration),
            ("in tens", batched),
        ] {
            let file = folder
                .path()
                .join(format!("{}.db", name.replace(' ', "-") + how));
            let journal = Journal::open(&file).unwrap();
            let builder = || {
                let policy = SimplePolicy::new().bypass();
                Session::builder(toolbox(effects), "/proj").policy(policy)
            };
            let mut recording = Recording::new(toolbox(effects), "/proj");
            recording.mask = Mask::new([r"(?i)api[_-]?key\S*"]).unwrap();
            let recorder = journal.record(recording).unwrap();
            let off = builder().build().unwrap();
            let on = builder().store(recorder.clone()).build().unwrap();
            let (off, on) = (measure(&off, count), measure(&on, count));
            recorder.close();
            assert_eq!(journal.calls(&Filter::default()).unwrap().len(), count);
            println!(
                "{name:<20} {how:<10} {:>9.1} us {:>9.1} us {:>9.1} us",
                off.as_secs_f64() * 1e6,
                on.as_secs_f64() * 1e6,
                (on.as_secs_f64() - off.as_secs_f64()) * 1e6,
            );
        }
    }
}
