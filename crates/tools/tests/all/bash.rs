//! The shell.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolpost_core::{CancellationToken, RawCall, ReadOptions, Status, Surroundings};

use crate::common::Bench;

async fn text(command: &str) -> String {
    Bench::new()
        .done("Bash", json!({ "command": command }))
        .await
}

#[tokio::test]
async fn output_comes_in_order_with_the_exit_code() {
    assert_eq!(text("echo a; echo b >&2; echo c").await, "a\nb\nc\n");
    assert_eq!(text("echo no; exit 3").await, "no\n[exit code 3]");
    assert_eq!(text("kill -9 $$").await, "[ended by signal 9]");
    assert_eq!(text("true").await, "(no output)");
    let outcome = Bench::new()
        .call("Bash", json!({ "command": "exit 7" }))
        .await;
    assert_eq!(outcome.structured.unwrap()["exit_code"], 7);
}

#[tokio::test]
async fn fault_42_a_command_without_output_returns_its_exit_code() {
    assert_eq!(text("false").await, "[exit code 1]");
}

#[tokio::test]
async fn fault_45_nothing_is_on_stdin() {
    assert_eq!(text("cat; read x; echo got $?").await, "got 1\n");
}

#[tokio::test]
async fn fault_41_and_39_what_holds_the_output_does_not_hold_the_call() {
    let start = Instant::now();
    assert_eq!(text("sleep 60 & echo done").await, "done\n");
    assert_eq!(text("setsid sleep 61 & echo done").await, "done\n");
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn fault_44_a_command_that_takes_too_long_is_ended_with_all_that_it_started() {
    let bench = Bench::new();
    let command =
        "echo begun; setsid sleep 62.5 & echo $! > pid; trap '' TERM; while :; do sleep 62.5; done";
    let (code, message) = bench
        .fails("Bash", json!({ "command": command, "timeout": 300 }))
        .await;
    assert_eq!(code, "timed_out");
    assert!(message.contains("begun"), "{message}");
    let pid = std::fs::read_to_string(bench.path("pid")).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    assert!(!stat.is_ok_and(|stat| !stat.contains(") Z ")));
}

#[tokio::test]
async fn a_cancelled_command_is_ended() {
    let bench = Bench::new();
    let cancel = CancellationToken::new();
    let around = Surroundings::new(bench.facts.clone()).with_cancel(cancel.clone());
    let running = tokio::spawn(
        bench
            .permit("Bash", json!({ "command": "sleep 63" }))
            .run(around),
    );
    tokio::time::sleep(Duration::from_millis(50)).await;
    cancel.cancel();
    assert_eq!(running.await.unwrap().status, Status::Failed);
}

#[tokio::test]
async fn the_shell_is_clean() {
    let names = text("env | cut -d= -f1 | sort | tr '\\n' ' '; echo; set +o | grep -c posix").await;
    for name in ["BASH_ENV", "GIT_DIR", "LD_PRELOAD", "CDPATH"] {
        assert!(!names.contains(name), "{names}");
    }
    assert!(names.contains("PAGER"), "{names}");
    assert_eq!(
        text("pwd; test -t 0; echo $?").await.lines().nth(1),
        Some("1")
    );
}

#[tokio::test]
async fn an_input_that_cannot_be_one_is_refused() {
    let bench = Bench::new();
    for input in [
        json!({}),
        json!({ "command": "" }),
        json!({ "command": "x", "timeout": 600_001 }),
    ] {
        let raw = RawCall::new("c", "Bash", input.to_string());
        let read = bench
            .toolbox
            .validate(raw, &bench.facts, &ReadOptions::default());
        assert_eq!(read.unwrap_err().status, Status::Invalid, "{input}");
    }
}

#[tokio::test]
async fn endless_output_ends_with_the_command() {
    let outcome = Bench::new()
        .call("Bash", json!({ "command": "yes | head -c 20000000" }))
        .await;
    let structured: Value = outcome.structured.unwrap();
    assert_eq!(structured["left_out"], 20_000_000 - (16 << 20));
}
