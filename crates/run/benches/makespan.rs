//! How long a batch takes beside the best that order allows, and what admission costs.
//!
//! The first batch is 12 reads and 8 writes of 50 ms over four files, in the order
//! `r w r w r r w r w r r w r w r r w r w r`; reads and writes each cycle over the files. The best
//! possible is 250 ms, the longest path. A write is read-modify-write on a version number, so a
//! lost write or a call that saw another version than program order implies is counted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops when it is wrong"
)]

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::time::Instant as Clock;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Context, Footprint, Ledger, RawCall, Scope, SimplePolicy, ToolBuilder, Toolbox,
};
use toolpost_run::Session;

#[derive(Deserialize, JsonSchema, Clone, Copy)]
struct Io {
    /// Which file.
    file: usize,
    /// Whether it is written.
    write: bool,
    /// Milliseconds that it takes.
    ms: u64,
}

const ORDER: &str = "rwrwrrwrwrrwrwrrwrwr";
const FILES: usize = 4;
const SLOTS: usize = 10;

fn batch() -> Vec<Io> {
    let (mut reads, mut writes) = (0, 0);
    ORDER
        .chars()
        .map(|kind| {
            let write = kind == 'w';
            let count = if write { &mut writes } else { &mut reads };
            let file = *count % FILES;
            *count += 1;
            Io {
                file,
                write,
                ms: 50,
            }
        })
        .collect()
}

fn session(versions: &Arc<Mutex<Vec<u64>>>, slots: usize) -> Session {
    let versions = Arc::clone(versions);
    let io = ToolBuilder::<Io>::new("io", "Read or write a file.")
        .footprint(|io, _| {
            let scope = Scope::node(format!("fs/{}", io.file));
            if io.write {
                Footprint::nothing().writing(scope)
            } else {
                Footprint::nothing().reading(scope)
            }
        })
        .call(move |io, _cx: Context| {
            let versions = Arc::clone(&versions);
            async move {
                let seen = versions.lock().unwrap()[io.file];
                tokio::time::sleep(Duration::from_millis(io.ms)).await;
                if io.write {
                    versions.lock().unwrap()[io.file] = seen + 1;
                }
                Ok(seen.to_string())
            }
        });
    let mut toolbox = Toolbox::new();
    toolbox.add(io).unwrap();
    let policy = SimplePolicy::new().bypass();
    Session::builder(toolbox, "/")
        .policy(policy)
        .max_parallel(slots)
        .build()
        .unwrap()
}

/// Milliseconds of a run; lost writes; calls that saw a wrong version.
async fn run(batch: &[Io], files: usize, slots: usize) -> (f64, u64, u64) {
    let versions = Arc::new(Mutex::new(vec![0; files]));
    let session = session(&versions, slots);
    let calls: Vec<RawCall> = batch
        .iter()
        .enumerate()
        .map(|(n, io)| {
            let input = format!(
                r#"{{"file":{},"write":{},"ms":{}}}"#,
                io.file, io.write, io.ms
            );
            RawCall::new(n.to_string(), "io", input)
        })
        .collect();
    let start = Clock::now();
    let outcomes = session.run(calls).await;
    let took = start.elapsed().as_secs_f64() * 1_000.0;
    let mut expected = vec![0_u64; files];
    let mut wrong = 0;
    for (io, outcome) in batch.iter().zip(outcomes) {
        wrong += u64::from(outcome.model_text() != expected[io.file].to_string());
        expected[io.file] += u64::from(io.write);
    }
    let kept: u64 = versions.lock().unwrap().iter().sum();
    (took, expected.iter().sum::<u64>() - kept, wrong)
}

/// The longest path, and the work shared by the slots.
fn bound(batch: &[Io], slots: usize) -> f64 {
    let mut ends: Vec<u64> = Vec::new();
    for (index, io) in batch.iter().enumerate() {
        let blockers = batch[..index].iter().zip(&ends);
        let conflicts =
            blockers.filter(|(other, _)| other.file == io.file && (other.write || io.write));
        let begins = conflicts.map(|(_, end)| *end).max().unwrap_or(0);
        ends.push(begins + io.ms);
    }
    let work: u64 = batch.iter().map(|io| io.ms).sum();
    let path = ends.into_iter().max().unwrap_or(0);
    (path as f64).max(work as f64 / slots as f64)
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

fn mixed(random: &mut Random, files: u64, one_write_in: u64) -> Vec<Io> {
    (0..60)
        .map(|_| Io {
            file: random.below(files) as usize,
            write: random.below(one_write_in) == 0,
            ms: 1_000 + random.below(4_000),
        })
        .collect()
}

fn admission() {
    let footprints: Vec<Footprint> = (0..64)
        .map(|n| {
            let scope = Scope::node(format!("fs/home/someone/project/src/module_{}.rs", n % 16));
            let reading = Footprint::nothing().reading(scope.clone());
            if n % 4 == 0 {
                reading.writing(scope)
            } else {
                reading
            }
        })
        .collect();
    let mut best = f64::INFINITY;
    for _ in 0..200 {
        let mine = footprints.clone();
        let mut ledger = Ledger::new(SLOTS);
        let start = Instant::now();
        for footprint in mine {
            let place = ledger.admit(footprint, None);
            ledger.permit(place);
        }
        let started = ledger.start();
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
        assert_eq!(started.len(), SLOTS);
    }
    println!("admission of 64 calls: {best:.0} µs");
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (took, lost, wrong) = run(&batch(), FILES, 20).await;
    let best = bound(&batch(), 20);
    println!(
        "20 calls over 4 files: {took:.0} ms, {:.2} x the best of {best:.0} ms; {lost} writes lost, {wrong} wrong",
        took / best
    );
    // The mixes run on a clock that jumps, so that they measure the order and not the machine.
    tokio::time::pause();
    for (name, files, one_write_in) in [
        ("4 files, half writes", 4, 2),
        ("8 files, half writes", 8, 2),
        ("4 files, a quarter writes", 4, 4),
        ("16 files, an eighth writes", 16, 8),
    ] {
        let mut random = Random(42);
        let mut ratios = Vec::new();
        let mut faults = 0;
        for _ in 0..40 {
            let batch = mixed(&mut random, files, one_write_in);
            let (took, lost, wrong) = run(&batch, files as usize, SLOTS).await;
            ratios.push(took / bound(&batch, SLOTS));
            faults += lost + wrong;
        }
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        println!(
            "{name}: {mean:.3} x max(longest path, work / {SLOTS} slots) on the mean; {faults} faults"
        );
    }
    admission();
}
