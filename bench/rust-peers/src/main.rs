//! What one call costs in each framework, from JSON text to output, beside a bare `from_str`.
//!
//! `cargo run --release` prints a table. All rows of an input run in turn, round after round, and
//! each ratio is the median of the rounds' own ratios to the floor. Of the peers none validates
//! bounds and none decides permission; toolpost does both.

mod peers;
mod types;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolpost::{
    Context, Decided, Effects, Facts, Outcome, RawCall, ReadOptions, SimplePolicy, Surroundings,
    ToolBuilder, Toolbox,
};
use types::{ADD, Add, SEARCH, Search, add, search};

const ROUNDS: usize = 31;

fn floor(name: &str, text: &str) -> Result<String, serde_json::Error> {
    Ok(match name {
        "add" => add(&serde_json::from_str(text)?),
        _ => search(&serde_json::from_str(text)?),
    })
}

struct Ours {
    toolbox: Toolbox,
    facts: Facts,
    policy: SimplePolicy,
    read: ReadOptions,
    id: Arc<str>,
}

impl Ours {
    fn new() -> Self {
        let mut toolbox = Toolbox::new();
        let add = ToolBuilder::<Add>::new("add", "add")
            .effects(|_| Effects::READ_ONLY)
            .call(|input, _cx: Context| async move { Ok(add(&input)) });
        let search = ToolBuilder::<Search>::new("search", "search")
            .effects(|_| Effects::READ_ONLY)
            .call(|input, _cx: Context| async move { Ok(search(&input)) });
        toolbox.add(add).and_then(|toolbox| toolbox.add(search)).expect("two names");
        Self {
            toolbox,
            facts: Facts::new("/proj"),
            policy: SimplePolicy::new(),
            read: ReadOptions::default(),
            id: "c1".into(),
        }
    }

    async fn call(&self, name: &Arc<str>, text: &str) -> Outcome {
        let raw = RawCall::new(Arc::clone(&self.id), Arc::clone(name), text);
        let call = self.toolbox.validate(raw, &self.facts, &self.read).expect("a valid call");
        match call.decide(&self.policy, &self.facts) {
            Decided::Permitted(call) => call.run(Surroundings::new(self.facts.clone())).await,
            _ => unreachable!("reading is allowed"),
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Nanoseconds a call of something that is awaited.
macro_rules! time {
    ($count:expr, $call:expr) => {{
        let start = Instant::now();
        for _ in 0..$count {
            black_box($call);
        }
        start.elapsed().as_nanos() as f64 / f64::from($count)
    }};
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let peers = peers::Peers::new().await;
    let ours = Ours::new();
    println!("{:8} {:34} {:>10} {:>8}", "input", "path", "ns a call", "x floor");
    for (name, text) in [("add", ADD), ("search", SEARCH)] {
        let shared: Arc<str> = name.into();
        assert!(ours.call(&shared, text).await.is_done());
        let warm = time!(20_000_u32, floor(name, text).is_ok()).max(1.0);
        let count = (Duration::from_millis(4).as_nanos() as f64 / warm) as u32;
        let mut rows: Vec<(&str, Vec<f64>, Vec<f64>)> = [
            "floor: match and from_str",
            "toolpost: validate, permit, run",
            "llm-tool: dispatch_str",
            "adk-tool: execute(Value)",
            "rmcp: ToolRouter::call",
            "rig: ToolSet::execute",
        ]
        .map(|label| (label, Vec::new(), Vec::new()))
        .into();
        for _ in 0..ROUNDS {
            let values = [
                time!(count, floor(black_box(name), black_box(text)).is_ok()),
                time!(count, ours.call(&shared, black_box(text)).await),
                time!(count, peers.llm(name, black_box(text)).await),
                time!(count, peers.adk(name, black_box(text)).await),
                time!(count, peers.rmcp(name, black_box(text)).await),
                time!(count, peers.rig(name, black_box(text)).await),
            ];
            for (row, value) in rows.iter_mut().zip(values) {
                row.1.push(value);
                row.2.push(value / values[0]);
            }
        }
        for (label, values, ratios) in rows {
            println!("{name:8} {label:34} {:>10.0} {:>8.2}", median(values), median(ratios));
        }
    }
}
