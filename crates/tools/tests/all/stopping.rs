//! Calls that are cancelled, dropped or killed.

use std::io::BufRead;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::json;
use toolpost_core::{CancellationToken, Event, EventSink, Status, Steps, Surroundings};

use crate::common::{Bench, names};

fn cancelled(bench: &Bench) -> Surroundings {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let mut around = Surroundings::new(bench.facts.clone());
    around.cancel = Some(cancel);
    around
}

#[tokio::test]
async fn a_cancelled_write_changes_nothing() {
    let bench = Bench::new();
    bench.put("f", "old\n");
    bench.read("f").await;
    let around = cancelled(&bench);
    let write = bench.permit("Write", json!({ "file_path": "f", "content": "new" }));
    let outcome = write.run(around.clone()).await;
    assert_eq!(outcome.error.unwrap().code.unwrap(), "cancelled");
    let edit = json!({ "file_path": "f", "old_string": "old", "new_string": "new" });
    assert_eq!(
        bench.permit("Edit", edit).run(around).await.status,
        Status::Failed
    );
    assert_eq!(bench.bytes("f"), b"old\n");
    assert_eq!(names(&bench.root()), ["f"]);
}

#[tokio::test]
async fn a_cancelled_search_says_what_it_has() {
    let bench = Bench::new();
    for n in 0..20 {
        bench.put(&format!("f{n}"), "hit");
    }
    let around = cancelled(&bench);
    for (name, input) in [
        ("Grep", json!({ "pattern": "hit" })),
        ("Glob", json!({ "pattern": "*" })),
        ("Ls", json!({})),
    ] {
        let outcome = bench.permit(name, input).run(around.clone()).await;
        assert_eq!(outcome.status, Status::Done);
        assert_eq!(
            outcome.structured.as_ref().unwrap()["is_cut_short"],
            json!(true)
        );
        assert!(
            outcome
                .model_text()
                .contains("stopped before it was through")
        );
    }
}

/// After the drop nothing changes any more, wherever the work was.
#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_write_is_whole_and_over() {
    let bench = Bench::new();
    let (old, new) = ("o".repeat(3 << 20), "n".repeat(3 << 20));
    for wait in [0_u64, 50, 200, 1_000, 4_000, 16_000] {
        bench.put("f", &old);
        bench.read("f").await;
        let write = bench.permit("Write", json!({ "file_path": "f", "content": new }));
        let running = write.start(Surroundings::new(bench.facts.clone()));
        let _ = tokio::time::timeout(std::time::Duration::from_micros(wait), running).await;
        let after = bench.bytes("f");
        assert!(after == old.as_bytes() || after == new.as_bytes(), "{wait}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        assert!(bench.bytes("f") == after, "{wait}");
        assert_eq!(names(&bench.root()), ["f"]);
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<u64>>);

impl EventSink for Heard {
    fn send(&self, _call: &Arc<str>, event: Event) {
        if let Event::Progress(report) = event {
            self.0
                .lock()
                .unwrap()
                .push(report.get::<Steps>().unwrap().done);
        }
    }
}

#[tokio::test]
async fn a_short_search_reports_nothing() {
    let bench = Bench::new();
    for n in 0..200 {
        bench.put(&format!("f{n}"), "x");
    }
    let heard = Arc::new(Heard::default());
    let mut around = Surroundings::new(bench.facts.clone());
    around.events = Some(Arc::clone(&heard) as Arc<dyn EventSink>);
    bench
        .permit("Glob", json!({ "pattern": "**" }))
        .run(around)
        .await;
    assert!(heard.0.lock().unwrap().len() < 10);
}

const CHILD: &str = "TOOLPOST_TEST_WRITES_IN";

/// Not a test of its own: the process that the next test kills.
#[tokio::test]
async fn child_that_writes_for_ever() {
    let Some(folder) = std::env::var_os(CHILD) else {
        return;
    };
    let mut bench = Bench::new();
    bench.facts = toolpost_core::Facts::new(folder)
        .with_state({
            let mut state = toolpost_core::State::new();
            state.insert(toolpost_tools::FileState::new());
            state
        })
        .with_links(Arc::new(toolpost_tools::DiskLinks));
    println!("\nready");
    for n in 0_u64.. {
        let content = if n % 2 == 0 { "a" } else { "b" }.repeat(2 << 20);
        bench
            .done("Write", json!({ "file_path": "f", "content": content }))
            .await;
    }
}

#[test]
fn a_killed_process_leaves_no_half_file() {
    let dir = tempfile::tempdir().unwrap();
    for round in 0..6 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "stopping::child_that_writes_for_ever",
                "--nocapture",
            ])
            .env(CHILD, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = std::io::BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap() == "ready"));
        std::thread::sleep(std::time::Duration::from_millis(30 + 7 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        if let Ok(content) = std::fs::read(dir.path().join("f")) {
            assert_eq!(content.len(), 2 << 20);
            assert!(content.iter().all(|byte| *byte == content[0]));
        }
        // What was left over is out of sight, and the next process starts afresh.
        let _ = std::fs::remove_file(dir.path().join("f"));
    }
}
