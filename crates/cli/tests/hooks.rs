//! Hooks of the settings, as commands.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use common::{Ran, toolpost};
use serde_json::Value;

/// A workspace whose one hook is this script.
fn workspace(hook: &str, script: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    fs::write(folder.path().join("toolpost.toml"), hook).unwrap();
    let program = folder.path().join("hook.sh");
    fs::write(&program, format!("#!/bin/bash\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

const BEFORE: &str =
    "[[hooks.before]]\ntools = [\"Read\", \"Bash\"]\ncommand = [\"./hook.sh\"]\ntimeout = \"2s\"\n";

fn read(root: &Path, args: &[&str]) -> (Ran, Value) {
    let call = "{\"id\":\"c1\",\"name\":\"Read\",\"arguments\":{\"file_path\":\"a.txt\"}}\n";
    let ran = toolpost(root, root, &[&["run", "--json"], args].concat(), call);
    let outcome = serde_json::from_str(ran.out.lines().next().unwrap_or("null")).unwrap();
    (ran, outcome)
}

#[test]
fn a_hook_is_told_of_the_call_and_may_deny_it() {
    let script = "cat > told.json\necho '{\"decision\":\"deny\",\"reason\":\"not today\"}'";
    let folder = workspace(BEFORE, script);
    let (ran, outcome) = read(folder.path(), &["--trust"]);
    assert_eq!(ran.code, 11, "{}", ran.err);
    assert_eq!(outcome["decision"]["by"], "hook");
    let message = outcome["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("toolpost.toml:1") && message.contains("not today"),
        "{message}"
    );
    let told: Value =
        serde_json::from_slice(&fs::read(folder.path().join("told.json")).unwrap()).unwrap();
    assert_eq!(told["event"], "before");
    assert_eq!(told["input"]["file_path"], "a.txt");
    assert_eq!(told["effects"]["read_only"], true);
}

#[test]
fn a_hook_of_an_untrusted_workspace_does_not_run() {
    let folder = workspace(BEFORE, "touch ran");
    let (ran, outcome) = read(folder.path(), &[]);
    assert_eq!(outcome["status"], "done");
    assert!(!folder.path().join("ran").exists());
    assert!(
        ran.err.contains("1 hook of this workspace do"),
        "{}",
        ran.err
    );
}

#[test]
fn garbage_a_failure_and_silence_are_no_consent() {
    for (script, says) in [
        ("echo '[\"allow\"]'", "printed no answer"),
        (
            "echo '{\"decision\":\"deny\",\"decision\":\"allow\"}'",
            "printed no answer",
        ),
        (
            "echo '{\"decision\":\"ask\",\"input\":{\"file_path\":\"a.txt\"}}'",
            "it may say one of them",
        ),
        (
            "head -c 17000000 /dev/zero | tr '\\0' ' '; echo '{\"decision\":\"deny\"}'",
            "more than anybody reads",
        ),
        ("echo yes", "printed no answer"),
        (
            "echo '{\"decision\":\"allow\",\"then\":1}'",
            "printed no answer",
        ),
        (
            "echo '{\"decision\":\"allow\"}'; echo broken >&2; exit 3",
            "broken",
        ),
        ("kill -9 $$", "ended with"),
        ("sleep 30 & sleep 30", "took longer"),
    ] {
        let folder = workspace(BEFORE, script);
        let (ran, outcome) = read(folder.path(), &["--trust", "--mode", "bypass"]);
        assert_eq!(
            outcome["error"]["kind"], "not_answered",
            "{script}: {}",
            ran.out
        );
        assert!(ran.err.contains(says), "{script}: {}", ran.err);
        let message = outcome["error"]["message"].as_str().unwrap();
        assert!(
            !message.contains("broken"),
            "its words are the operator's: {message}"
        );
    }
}

#[test]
fn a_hook_that_is_not_there_is_no_consent() {
    let missing = BEFORE.replace("hook.sh", "none.sh");
    let folder = workspace(&missing, "");
    let (ran, outcome) = read(folder.path(), &["--trust"]);
    assert_eq!(outcome["error"]["kind"], "not_answered");
    assert!(ran.err.contains("cannot be started"), "{}", ran.err);
}

#[test]
fn changed_input_is_what_runs_and_is_judged() {
    let to = |path: &str| {
        let script = format!("echo '{{\"input\":{{\"file_path\":\"{path}\"}}}}'");
        workspace(BEFORE, &script)
    };
    let folder = to("b.txt");
    fs::write(folder.path().join("b.txt"), "two\n").unwrap();
    let (_, outcome) = read(folder.path(), &["--trust"]);
    assert_eq!(outcome["content"][0]["text"], "1\ttwo");
    let (_, outcome) = read(folder.path(), &["--trust", "--deny", "Read(b.txt)"]);
    assert_eq!(outcome["decision"]["by"], "rule");
}

#[test]
fn a_hook_after_hears_the_outcome_and_its_failure_is_only_said() {
    let hook = BEFORE.replace("before", "after");
    let folder = workspace(&hook, "cat > told.json; exit 1");
    let (ran, outcome) = read(folder.path(), &["--trust"]);
    assert_eq!((ran.code, &outcome["status"]), (0, &Value::from("done")));
    assert!(
        ran.err.contains("the hook at toolpost.toml:1 ended"),
        "{}",
        ran.err
    );
    let told: Value =
        serde_json::from_slice(&fs::read(folder.path().join("told.json")).unwrap()).unwrap();
    assert_eq!(told["outcome"]["status"], "done");
}

#[test]
fn a_hook_for_a_tool_that_nobody_knows_closes_the_door() {
    let folder = workspace(&BEFORE.replace("Bash", "bash"), "");
    let (ran, _) = read(folder.path(), &["--trust"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("did you mean `Bash`"), "{}", ran.err);
}
