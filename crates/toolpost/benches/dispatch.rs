//! What a call costs, from JSON text to outcome, beside a bare `from_str` in a `match`.
//!
//! All rows run in turn in one process, round after round, and each ratio is the median of the
//! rounds' own ratios to the floor, so that a machine that changes its speed changes little.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops when it is wrong"
)]

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost::{
    Context, Decided, Effects, Facts, Outcome, RawCall, ReadOptions, Session, SimplePolicy,
    Surroundings, ToolBuilder, Toolbox,
};

#[derive(Debug, Deserialize, JsonSchema)]
struct Add {
    /// The first number.
    a: i64,
    /// The second number.
    b: i64,
}

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Content,
    FilesWithMatches,
    Count,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and not used, as the floor does")]
struct Bounds {
    /// Results at most.
    #[schemars(range(min = 1, max = 1000))]
    head: u32,
    /// Results to skip.
    #[serde(default)]
    offset: u64,
    /// Milliseconds at most.
    #[schemars(range(max = 600_000))]
    timeout_ms: Option<u64>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and not used, as the floor does")]
struct Replacement {
    /// What to replace.
    from: String,
    /// With what.
    to: String,
    /// Everywhere.
    #[serde(default)]
    all: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read and not used, as the floor does")]
struct Search {
    /// Regular expression.
    #[schemars(length(min = 1))]
    pattern: String,
    /// Folder to search.
    path: Option<String>,
    /// What to give back.
    #[serde(default)]
    mode: Mode,
    /// Whether case counts.
    #[serde(default)]
    case_insensitive: bool,
    /// How much.
    limits: Bounds,
    /// Which files.
    #[serde(default)]
    globs: Vec<String>,
    /// What to replace.
    #[serde(default)]
    #[schemars(length(max = 50))]
    replacements: Vec<Replacement>,
    /// Free tags.
    #[serde(default)]
    tags: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Put {
    /// Where to.
    path: String,
    /// What.
    content: String,
}

fn add(input: &Add) -> String {
    (input.a + input.b).to_string()
}

fn search(input: &Search) -> String {
    format!(
        "{} {} {}",
        input.pattern.len(),
        input.limits.head,
        input.replacements.len()
    )
}

fn put(input: &Put) -> String {
    format!("{} {}", input.path.len(), input.content.len())
}

const ADD: &str = r#"{"a":2,"b":40}"#;
const SEARCH: &str = r#"{"pattern":"fn\\s+\\w+","path":"/src/lib","mode":"files_with_matches","case_insensitive":true,"limits":{"head":200,"offset":10,"timeout_ms":30000},"globs":["*.rs","!target/**","docs/*.md"],"replacements":[{"from":"foo","to":"bar","all":true},{"from":"baz","to":"qux"}],"tags":{"team":"core","ticket":"ABC-123"}}"#;

/// A source file as a string, 7.9 KB.
fn put_text() -> String {
    let line = "    let value = map.get(\"key\").copied().unwrap_or_default();\n";
    let content = line.repeat(7_500 / line.len());
    serde_json::json!({ "path": "src/lib.rs", "content": content }).to_string()
}

fn floor(name: &str, text: &str) -> Result<String, serde_json::Error> {
    Ok(match name {
        "add" => add(&serde_json::from_str(text)?),
        "search" => search(&serde_json::from_str(text)?),
        _ => put(&serde_json::from_str(text)?),
    })
}

fn toolbox() -> Toolbox {
    let mut toolbox = Toolbox::new();
    let read_only = |_: &_| Effects::READ_ONLY;
    toolbox
        .add(
            ToolBuilder::<Add>::new("add", "Add two numbers.")
                .read_only()
                .call(|input, _cx: Context| async move { Ok(add(&input)) }),
        )
        .and_then(|toolbox| {
            toolbox.add(
                ToolBuilder::<Search>::new("search", "Search.")
                    .effects(read_only)
                    .call(|input, _cx: Context| async move { Ok(search(&input)) }),
            )
        })
        .and_then(|toolbox| {
            toolbox.add(
                ToolBuilder::<Put>::new("put", "Put.")
                    .effects(|_: &Put| Effects::READ_ONLY)
                    .call(|input, _cx: Context| async move { Ok(put(&input)) }),
            )
        })
        .expect("three different names");
    toolbox
}

struct Stages {
    toolbox: Toolbox,
    facts: Facts,
    policy: SimplePolicy,
    read: ReadOptions,
    id: Arc<str>,
    names: [Arc<str>; 3],
}

impl Stages {
    fn name(&self, name: &str) -> Arc<str> {
        let found = self.names.iter().find(|known| &***known == name);
        Arc::clone(found.expect("a known name"))
    }

    async fn call(&self, name: Arc<str>, text: &str) -> Outcome {
        let raw = RawCall::new(Arc::clone(&self.id), name, text);
        let call = match self.toolbox.validate(raw, &self.facts, &self.read) {
            Ok(call) => call,
            Err(outcome) => return *outcome,
        };
        match call.decide(&self.policy, &self.facts) {
            Decided::Permitted(call) => call.run(Surroundings::new(self.facts.clone())).await,
            Decided::Denied(outcome) => *outcome,
            Decided::Asked(_) => unreachable!("the policy allows reading"),
        }
    }
}

fn per_call(rounds: u32, mut run: impl FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..rounds {
        run();
    }
    start.elapsed().as_nanos() as f64 / f64::from(rounds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let stages = Stages {
        toolbox: toolbox(),
        facts: Facts::new("/proj"),
        policy: SimplePolicy::new(),
        read: ReadOptions::default(),
        id: "c1".into(),
        names: ["add".into(), "search".into(), "put".into()],
    };
    let session = Session::builder(toolbox(), "/proj")
        .build()
        .expect("a session");
    let put_text = put_text();
    let mut count = 0_u64;
    println!(
        "{:8} {:28} {:>10} {:>8}",
        "input", "path", "ns a call", "x floor"
    );
    for (name, text) in [("add", ADD), ("search", SEARCH), ("put", &put_text)] {
        let shared = stages.name(name);
        let outcome = runtime.block_on(stages.call(Arc::clone(&shared), text));
        assert!(outcome.is_done(), "{outcome:?}");
        let rounds = (Duration::from_millis(4).as_nanos() as f64
            / per_call(1_000, || drop(black_box(floor(name, text)))))
        .max(1.0) as u32;
        let mut rows: [Vec<f64>; 3] = Default::default();
        let mut ratios: [Vec<f64>; 3] = Default::default();
        for _ in 0..41 {
            let bare = per_call(rounds, || {
                drop(black_box(floor(black_box(name), black_box(text))))
            });
            let through = runtime.block_on(async {
                let start = Instant::now();
                for _ in 0..rounds {
                    black_box(stages.call(Arc::clone(&shared), black_box(text)).await);
                }
                start.elapsed().as_nanos() as f64 / f64::from(rounds)
            });
            let driven = runtime.block_on(async {
                let start = Instant::now();
                for _ in 0..rounds {
                    count += 1;
                    let raw = RawCall::new(count.to_string(), Arc::clone(&shared), black_box(text));
                    black_box(session.call(raw).await);
                }
                start.elapsed().as_nanos() as f64 / f64::from(rounds)
            });
            for (index, value) in [bare, through, driven].into_iter().enumerate() {
                rows[index].push(value);
                ratios[index].push(value / bare);
            }
        }
        let labels = [
            "floor: match and from_str",
            "stages: validate, permit, run",
            "session: turn, limits, events",
        ];
        for (label, (row, ratio)) in labels.iter().zip(rows.into_iter().zip(ratios)) {
            println!(
                "{name:8} {label:28} {:>10.0} {:>8.2}",
                median(row),
                median(ratio)
            );
        }
    }
}
