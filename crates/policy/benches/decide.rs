//! What a decision costs under 10,000 rules, and under rules that cannot match.
//!
//! "Decided" is the decision once the facts are taken and the command line is analysed; "whole"
//! is all of it. Each figure is the median of many rounds.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test or a measurement may stop where it stands, and looks at the machine"
)]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolpost_core::Verdict;
use toolpost_policy::{
    Circumstances, Layer, Mode, Place, Prepared, Protected, Question, Rule, Rules, Source,
    ToldDisk, decide,
};

const ROOT: &str = "/proj";
const ROUNDS: usize = 400;
const LINE: &str = "cd src && grep -rn 'fn main' lib | head -n 5";

/// Rules of all kinds, of which next to none can match the calls.
fn rules(count: usize) -> Rules {
    let rule = |at: usize| {
        let (effect, text) = match at % 10 {
            0 => (Verdict::Deny, format!("Read(./secrets{at}/**)")),
            1 => (Verdict::Allow, format!("Bash(tool{at}:*)")),
            2 => (Verdict::Deny, format!("Bash(git sub{at}:*)")),
            3 => (Verdict::Allow, format!("Edit(./src/part{at}/**)")),
            4 => (Verdict::Ask, format!("WebFetch(domain:h{at}.example)")),
            5 => (Verdict::Allow, format!("mcp__server{at}__tool")),
            6 => (Verdict::Ask, format!("Read(*.ext{at})")),
            7 => (Verdict::Deny, format!("Read(./src/**/name{at}.rs)")),
            8 => (Verdict::Allow, format!("Bash(npm run task{at})")),
            _ => (Verdict::Deny, format!("Edit(/etc/file{at})")),
        };
        Rule::parse(&text, effect, Source::new(Layer::User, "bench", at)).expect("a rule")
    };
    Rules::new(
        (0..count).map(rule),
        Path::new(ROOT),
        Some(Path::new("/home/u")),
    )
}

fn median(mut round: impl FnMut()) -> Duration {
    const BATCH: u32 = 20;
    for _ in 0..20 {
        round();
    }
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            for _ in 0..BATCH {
                round();
            }
            start.elapsed() / BATCH
        })
        .collect();
    times.sort_unstable();
    times[ROUNDS / 2]
}

fn main() {
    let disk = ToldDisk::new().with_home("/home/u");
    let home = Some(Path::new("/home/u"));
    let protected = Protected::builtin(Path::new(ROOT), home);
    let calls: [(&str, &str, Value); 3] = [
        ("Read", "Read", json!({ "file_path": "src/lib/main.rs" })),
        ("Edit", "Edit", json!({ "file_path": "src/lib/main.rs" })),
        ("Bash, three commands", "Bash", json!({ "command": LINE })),
    ];
    println!(
        "{:24} {:>8} {:>12} {:>12}",
        "call", "rules", "decided", "whole"
    );
    for (title, name, input) in &calls {
        for count in [0, 100, 10_000] {
            let rules = rules(count);
            let on = Circumstances {
                rules: &rules,
                mode: Mode::Default,
                protected: &protected,
                load_errors: &[],
                hooks: &[],
            };
            let place = Place::new(ROOT, &disk);
            let prepared = Prepared::new(Question::of_input(name, input), &place);
            let decided = median(|| {
                black_box(decide(black_box(&prepared), &on));
            });
            let whole = median(|| {
                let place = Place::new(ROOT, &disk);
                let prepared = Prepared::new(Question::of_input(name, black_box(input)), &place);
                black_box(decide(&prepared, &on));
            });
            println!("{title:24} {count:>8} {decided:>12.1?} {whole:>12.1?}");
        }
    }
}
