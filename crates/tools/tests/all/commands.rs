//! Commands of a tool file as tools.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use toolpost_core::{CancellationToken, ErrorKind, Status, Surroundings};
use toolpost_tools::{Environment, add_commands, tool_file};

use crate::common::Bench;

fn bench(tools: &serde_json::Value) -> Bench {
    let mut bench = Bench::new();
    let text = json!({ "tools": tools }).to_string();
    let file = bench.path("kit/tools.json");
    let entries = tool_file::parse(&text, &file).unwrap();
    add_commands(&mut bench.toolbox, entries).unwrap();
    bench
}

fn shell(script: &str) -> serde_json::Value {
    json!([{
        "name": "t", "description": "d", "command": ["sh", "-c", script],
        "input_schema": { "type": "object" },
    }])
}

#[tokio::test]
async fn the_input_is_on_stdin_and_stdout_is_the_result() {
    let bench = bench(&shell("cat; echo; pwd"));
    let outcome = bench.call("t", json!({ "a": 1 })).await;
    let wanted = format!("{{\"a\":1}}\n{}", bench.root().display());
    assert_eq!(outcome.model_text(), wanted);
    assert_eq!(outcome.structured, None);
}

#[tokio::test]
async fn json_is_structured_where_there_is_an_output_schema() {
    let mut tools = shell("echo '{\"n\": 3}'");
    tools[0]["output_schema"] =
        json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let bench = bench(&tools);
    assert_eq!(
        bench.call("t", json!({})).await.structured,
        Some(json!({ "n": 3 }))
    );
}

#[tokio::test]
async fn another_exit_code_is_a_failure_in_the_words_of_stderr() {
    let bench = bench(&shell("echo half; echo 'no such word' >&2; exit 3"));
    let (code, message) = bench.fails("t", json!({})).await;
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("command_failed", "exit code 3: no such word")
    );
    let bench = self::bench(&shell("kill -9 $$"));
    assert_eq!(
        bench.fails("t", json!({})).await.1,
        "killed by signal 9, without a word of why"
    );
}

#[tokio::test]
async fn a_definition_without_a_command_cannot_run() {
    let bench = bench(&json!([{ "name": "t", "description": "d" }]));
    let error = bench.call("t", json!({})).await.error.unwrap();
    assert_eq!(error.kind, ErrorKind::NoCommand);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let bench =
        bench(&json!([{ "name": "t", "description": "d", "command": ["no-such-program"] }]));
    let (code, message) = bench.fails("t", json!({})).await;
    assert_eq!(code, "cannot_start");
    insta::assert_snapshot!(message, @"cannot start `no-such-program`, the program of `t`");
}

#[tokio::test]
async fn a_program_beside_the_tool_file_runs_in_the_root() {
    use std::os::unix::fs::PermissionsExt;
    let bench = bench(&json!([{ "name": "t", "description": "d", "command": ["./x.sh", "arg"] }]));
    let path = bench.put("kit/x.sh", "#!/bin/sh\necho \"$1\"; pwd\n");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(
        bench.done("t", json!({})).await,
        format!("arg\n{}", bench.root().display())
    );
}

#[tokio::test]
async fn the_environment_is_what_the_host_gives() {
    let mut bench = bench(&shell("echo \"[$WORD] [$HOME]\""));
    let path = std::env::var_os("PATH").unwrap();
    let mut state = toolpost_core::State::new();
    state.insert(Environment::new([
        ("PATH".into(), path),
        ("WORD".into(), "yes".into()),
    ]));
    bench.facts = bench.facts.clone().with_state(state);
    assert_eq!(bench.done("t", json!({})).await, "[yes] []");
}

#[tokio::test]
async fn fault_39_claurst_189_a_child_that_holds_the_pipe_does_not_hold_the_call() {
    for script in [
        "sleep 60 & echo done",
        "setsid sleep 5 & echo done",
        "(while :; do echo x; sleep 0.01; done) & echo done",
    ] {
        let bench = bench(&shell(script));
        let since = Instant::now();
        assert!(bench.done("t", json!({})).await.contains("done"));
        assert!(since.elapsed() < Duration::from_secs(2), "{script}");
    }
}

/// Waits until the process whose number is in a file has ended.
async fn is_gone(bench: &Bench, name: &str) -> bool {
    let text = std::fs::read_to_string(bench.path(name)).unwrap();
    let process = format!("/proc/{}", text.trim());
    let until = Instant::now() + Duration::from_secs(3);
    while Instant::now() < until {
        let is_there = std::fs::read_to_string(format!("{process}/stat"))
            .is_ok_and(|stat| !stat.contains(") Z "));
        if !is_there {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    false
}

async fn until_there(path: &Path) {
    while !std::fs::read_to_string(path).is_ok_and(|text| text.ends_with('\n')) {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn fault_40_codex_5258_the_whole_group_is_ended_when_the_call_is_dropped() {
    let bench = bench(&shell("sleep 60 & echo $! > child; echo $$ > shell; wait"));
    let running = bench
        .permit("t", json!({}))
        .start(Surroundings::new(bench.facts.clone()));
    let shell = bench.path("shell");
    tokio::select! {
        outcome = running => panic!("{outcome:?}"),
        () = until_there(&shell) => {}
    }
    assert!(is_gone(&bench, "shell").await);
    assert!(is_gone(&bench, "child").await);
}

#[tokio::test]
async fn fault_43_pi_9460_a_command_that_heeds_no_signal_is_killed_on_cancel() {
    let bench = bench(&shell(
        "trap '' TERM; sleep 60 & echo $! > child; echo $$ > shell; while :; do wait; done",
    ));
    let cancel = CancellationToken::new();
    let mut around = Surroundings::new(bench.facts.clone());
    around.cancel = Some(cancel.clone());
    let running = tokio::spawn(bench.permit("t", json!({})).run(around));
    until_there(&bench.path("shell")).await;
    cancel.cancel();
    let outcome = running.await.unwrap();
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(outcome.error.unwrap().code.unwrap(), "cancelled");
    assert!(is_gone(&bench, "shell").await);
    assert!(is_gone(&bench, "child").await);
}

#[tokio::test]
async fn endless_output_needs_no_endless_memory() {
    let bench = bench(&shell(
        "head -c 50000000 /dev/zero | tr '\\0' x; head -c 9000000 /dev/zero | tr '\\0' e >&2",
    ));
    let text = bench.done("t", json!({})).await;
    assert!(text.len() < 17 << 20);
    assert!(text.ends_with("[the rest of the output was left out]"));
    let bench = self::bench(&shell("head -c 9000000 /dev/zero | tr '\\0' e >&2; exit 1"));
    let message = bench.fails("t", json!({})).await.1;
    assert!(
        message.len() < 20 << 10 && message.starts_with("exit code 1: [8983616 bytes left out] …")
    );
}

#[tokio::test]
async fn a_command_that_reads_nothing_is_none_the_worse() {
    let bench = bench(&shell("exec <&-; echo ok"));
    let text = bench
        .done("t", json!({ "long": "x".repeat(1 << 20) }))
        .await;
    assert_eq!(text, "ok");
}

#[tokio::test]
async fn claims_and_subjects_follow_the_input() {
    let mut tools = shell("true");
    tools[0]["writes"] = json!(["fs/{file}"]);
    tools[0]["timeout"] = json!("5s");
    let bench = bench(&tools);
    let call = bench.permit("t", json!({ "file": "../x" }));
    let claims = serde_json::to_value(call.footprint(&bench.facts)).unwrap();
    let scope = format!("fs{}", bench.root().parent().unwrap().join("x").display());
    assert_eq!(
        claims,
        json!([{ "access": "write", "scope": scope, "deep": false }])
    );
    assert_eq!(call.limits().timeout, Some(Duration::from_secs(5)));
    assert_eq!(call.describe(), "Run t");
}

#[test]
fn another_command_under_the_same_definition_is_another_tool() {
    let origin = |script: &str| {
        let definition = bench(&shell(script)).toolbox.definition("t");
        definition.unwrap().unwrap().origin.unwrap()
    };
    assert_eq!(origin("echo a"), origin("echo a"));
    assert_ne!(origin("echo a"), origin("echo b"));
}
