//! What a contract costs, held against the floor: `serde_json::from_str` of the same text, which
//! checks nothing.
//!
//! All variants of an input run interleaved, round by round, and a ratio is the median of the
//! ratios of the rounds, so that a busy machine disturbs both alike.

#![allow(missing_docs)]
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a benchmark has a clock, prints, and stops when it is wrong"
)]

use std::{collections::BTreeMap, hint::black_box, time::Instant};

use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use toolpost_core::contract::{Contract, ReadOptions};

#[derive(Deserialize, JsonSchema)]
pub struct Add {
    pub a: i64,
    pub b: i64,
}

#[derive(Deserialize, JsonSchema, Default)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Content,
    FilesWithMatches,
    Count,
}

#[derive(Deserialize, JsonSchema)]
pub struct Limits {
    #[schemars(range(min = 1, max = 1000))]
    pub head: u32,
    #[serde(default)]
    pub offset: u64,
    #[schemars(range(max = 600_000))]
    pub timeout_ms: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
pub struct Replacement {
    pub from: String,
    pub to: String,
    #[serde(default)]
    pub all: bool,
}

#[derive(Deserialize, JsonSchema)]
pub struct Search {
    #[schemars(length(min = 1))]
    pub pattern: String,
    pub path: Option<String>,
    #[serde(default)]
    pub mode: Mode,
    #[serde(default)]
    pub case_insensitive: bool,
    pub limits: Limits,
    #[serde(default)]
    pub globs: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub replacements: Vec<Replacement>,
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Edit {
    Insert { line: u32, text: String },
    Delete { from: u32, to: u32 },
    Replace { from: u32, to: u32, text: String },
}

#[derive(Deserialize, JsonSchema)]
pub struct Edits {
    pub edits: Vec<Edit>,
}

#[derive(Deserialize, JsonSchema)]
pub struct Write {
    pub file_path: String,
    pub content: String,
}

const ADD: &str = r#"{"a":2,"b":40}"#;
const SEARCH: &str = r#"{"pattern":"fn\\s+\\w+","path":"/src/lib","mode":"files_with_matches","case_insensitive":true,"limits":{"head":200,"offset":10,"timeout_ms":30000},"globs":["*.rs","!target/**","docs/*.md"],"replacements":[{"from":"foo","to":"bar","all":true},{"from":"baz","to":"qux"}],"tags":{"team":"core","ticket":"ABC-123"}}"#;
const EDITS: &str = r#"{"edits":[{"kind":"insert","line":3,"text":"use std::fmt;"},{"kind":"delete","from":10,"to":12},{"kind":"replace","from":20,"to":21,"text":"let x = 1;"}]}"#;

fn main() {
    let line = "    let value = map.get(\"key\").copied().unwrap_or_default();\n";
    let content: String = line.repeat(7900 / (line.len() + 3));
    let write = serde_json::json!({ "file_path": "src/main.rs", "content": content }).to_string();
    println!("ns per call, and the ratio to the floor (median of 31 rounds)");
    println!(
        "{:10} {:>6} {:>9} {:>16} {:>22}",
        "input", "bytes", "floor", "contract", "Value + is_valid + from"
    );
    let only = std::env::args().skip(1).find(|name| !name.starts_with('-'));
    let asked = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if asked("add") {
        compare::<Add>("add", ADD);
    }
    if asked("search") {
        compare::<Search>("search", SEARCH);
    }
    if asked("edits") {
        compare::<Edits>("edits", EDITS);
    }
    if asked("write") {
        compare::<Write>("write", &write);
    }
}

fn compare<T: DeserializeOwned + JsonSchema>(name: &str, text: &str) {
    let start = Instant::now();
    let contract = Contract::<T>::of_type().expect("the type makes a contract");
    let made = start.elapsed().as_secs_f64() * 1e6;
    let options = ReadOptions::default();
    let plain = jsonschema::options()
        .build(contract.schema())
        .expect("the schema compiles");
    let floor = || {
        drop(black_box(
            serde_json::from_str::<T>(black_box(text)).expect("reads"),
        ))
    };
    let ours = || {
        drop(black_box(
            contract.read(black_box(text), &options).expect("reads"),
        ))
    };
    let simple = || {
        let value: Value = serde_json::from_str(black_box(text)).expect("parses");
        assert!(plain.is_valid(&value));
        drop(black_box(
            serde_json::from_value::<T>(value).expect("reads"),
        ));
    };
    let calls = 3_000_000 / text.len().clamp(100, 10_000);
    let mut rounds: Vec<[f64; 3]> = Vec::new();
    for _ in 0..31 {
        rounds.push([time(calls, floor), time(calls, ours), time(calls, simple)]);
    }
    let median = |pick: &dyn Fn(&[f64; 3]) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(pick).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    let [floor_ns, ours_ns, simple_ns] =
        [0, 1, 2].map(|index: usize| median(&|round| round[index]));
    let [ours_ratio, simple_ratio] =
        [1, 2].map(|index: usize| median(&|round| round[index] / round[0]));
    println!(
        "{name:10} {:6} {floor_ns:9.0} {ours_ns:9.0} {ours_ratio:5.2}x {simple_ns:15.0} {simple_ratio:5.2}x  made in {made:.0} us",
        text.len()
    );
}

fn time(calls: usize, work: impl Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        work();
    }
    start.elapsed().as_secs_f64() * 1e9 / calls as f64
}
