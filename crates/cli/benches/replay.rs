//! `toolpost replay` over a journal of 10,000 calls, process start included.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops when it is wrong"
)]

use std::fs;
use std::process::Command;
use std::time::Instant;

use serde_json::json;
use toolpost_core::{RawCall, SimplePolicy, Toolbox};
use toolpost_run::Session;
use toolpost_run::journal::{Journal, Recording};

const CALLS: usize = 10_000;
/// As many as a model may write in one turn.
const BATCH: usize = 20;

/// Calls as a week brings them: reads, searches, edits and command lines, no two the same.
fn call(n: usize) -> RawCall {
    let (name, input) = match n % 5 {
        0 | 1 => (
            "Read",
            json!({ "file_path": format!("src/module_{n}/lib.rs") }),
        ),
        2 => (
            "Grep",
            json!({ "pattern": format!("fn part_{n}"), "path": "src" }),
        ),
        3 => (
            "Edit",
            json!({ "file_path": format!("src/m{n}.rs"), "old_string": "a", "new_string": "b" }),
        ),
        _ => (
            "Bash",
            json!({ "command": format!("cd src && cargo test part_{n} 2>&1 | tail -{n} && git status") }),
        ),
    };
    RawCall::new(format!("c{n}"), name, input.to_string())
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    let root = root.canonicalize().unwrap();
    let file = folder.path().join("journal.db");
    let mut toolbox = Toolbox::new();
    toolpost_tools::add_builtins(&mut toolbox).unwrap();
    let toolbox = std::sync::Arc::new(toolbox);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    // Asked and with nobody to answer, or failed since no file is there: what was decided is kept.
    runtime.block_on(async {
        let journal = Journal::open(&file).unwrap();
        let recorder = journal
            .record(Recording::new(std::sync::Arc::clone(&toolbox), &root))
            .unwrap();
        let session = Session::builder(toolbox, &root)
            .policy(SimplePolicy::new())
            .state(toolpost_tools::FileState::default())
            .store(recorder.clone())
            .build()
            .unwrap();
        for batch in 0..CALLS / BATCH {
            let first = batch * BATCH;
            session.run((first..first + BATCH).map(call)).await;
        }
        recorder.close();
        assert_eq!(recorder.trouble(), None);
    });
    let settings = folder.path().join("new.toml");
    fs::write(
        &settings,
        "[permissions]\nallow = [\"Bash(cargo test:*)\", \"Edit(./src/m1*)\"]\ndeny = [\"Read(./src/module_4*/**)\"]\n",
    )
    .unwrap();
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let ran = Command::new(env!("CARGO_BIN_EXE_toolpost"))
            .args(["replay", "--settings", settings.to_str().unwrap()])
            .args(["--journal", file.to_str().unwrap()])
            .current_dir(&root)
            .env("HOME", folder.path())
            .output()
            .unwrap();
        best = best.min(start.elapsed().as_secs_f64());
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(said.contains(&format!("of {CALLS} calls")), "{said}");
        println!("{}", said.trim());
    }
    println!("{CALLS} calls replayed in {best:.2} s");
}
