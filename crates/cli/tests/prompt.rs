//! The prompt on a real terminal, which `script` lends.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use common::toolpost;

/// Runs the command on a terminal and types, when a prompt is there, what belongs to the command
/// that is asked about. Nothing where there is no `script` to lend a terminal.
fn on_a_terminal(root: &Path, args: &str, typed: &[(&str, &str)]) -> Option<(String, i32)> {
    let command = format!("{} {args}", env!("CARGO_BIN_EXE_toolpost"));
    let child = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .current_dir(root)
        .env("HOME", root.join("home"))
        .env("XDG_STATE_HOME", root.join("state"))
        .env("XDG_CONFIG_HOME", root.join("config"))
        .env("SHELL", "/bin/sh")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: there is no `script`");
        return None;
    };
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let mut seen = String::new();
    let mut buffer = [0; 4096];
    let mut answered = 0;
    loop {
        let count = stdout.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        while seen.matches("[?] > ").count() > answered {
            let question = seen.split("[?] > ").nth(answered).unwrap();
            answered += 1;
            let asks = |command: &str| question.contains(&format!("asks: Run {command}"));
            let (_, line) = typed.iter().find(|(command, _)| asks(command)).unwrap();
            stdin.write_all(format!("{line}\r").as_bytes()).unwrap();
        }
    }
    Some((seen, child.wait().unwrap().code().unwrap()))
}

fn workspace(calls: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lines: Vec<String> = calls
        .iter()
        .enumerate()
        .map(|(n, command)| {
            serde_json::json!({ "id": format!("c{n}"), "name": "Bash", "arguments": { "command": command } })
                .to_string()
        })
        .collect();
    fs::write(folder.path().join("calls.jsonl"), lines.join("\n")).unwrap();
    folder
}

#[test]
fn each_answer_does_what_it_says() {
    let folder = workspace(&["touch a", "touch b", "touch a", "touch c", "touch c"]);
    let root = folder.path();
    let typed = [("touch a", "s"), ("touch b", "n not b"), ("touch c", "y")];
    let Some((seen, code)) = on_a_terminal(root, "run calls.jsonl", &typed) else {
        return;
    };
    assert_eq!(code, 11, "{seen}");
    assert!(
        root.join("a").exists() && !root.join("b").exists(),
        "{seen}"
    );
    assert!(seen.contains("not b"), "{seen}");
    let order: Vec<_> = ["touch a", "touch b", "touch c"]
        .iter()
        .map(|command| seen.find(&format!("asks: Run {command}")))
        .collect();
    assert!(order.is_sorted(), "in program order: {seen}");
    assert!(root.join("c").exists(), "{seen}");
    // The same call again was settled for the session.
    assert_eq!(seen.matches("asks: Run touch a").count(), 1, "{seen}");
}

#[test]
fn a_named_session_goes_on_with_what_was_allowed_for_it() {
    let folder = workspace(&["touch a"]);
    let root = folder.path();
    let run = "run --session s calls.jsonl";
    let Some((seen, code)) = on_a_terminal(root, run, &[("touch a", "s")]) else {
        return;
    };
    assert_eq!(code, 0, "{seen}");
    // Without a prompt nothing is asked, and what was said is not lost.
    let ran = toolpost(root, root, &["run", "--session", "s", "calls.jsonl"], "");
    assert_eq!(ran.code, 11, "{}", ran.out);
    let (seen, code) = on_a_terminal(root, run, &[]).unwrap();
    assert_eq!((code, seen.contains("asks:")), (0, false), "{seen}");
    let state = fs::read_to_string(root.join("state/toolpost/sessions/s.json")).unwrap();
    assert!(
        state.contains("\"allowed\"") && !state.contains("touch a"),
        "{state}"
    );
    let other = "run --session t calls.jsonl";
    let (seen, code) = on_a_terminal(root, other, &[("touch a", "n")]).unwrap();
    assert_eq!(code, 11, "{seen}");
}

#[test]
fn a_rule_for_always_is_kept_where_the_workspace_is_trusted() {
    let folder = workspace(&["touch a"]);
    let root = folder.path();
    toolpost(root, root, &["trust"], "");
    let Some((seen, code)) = on_a_terminal(root, "run calls.jsonl", &[("touch a", "a")]) else {
        return;
    };
    assert_eq!(code, 0, "{seen}");
    let ran = toolpost(root, root, &["run", "calls.jsonl"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
}

/// What can write to the person's terminal can show anything there, and type the answers too.
#[test]
fn a_command_has_no_terminal() {
    let folder = workspace(&["echo forged > /dev/tty; echo ended"]);
    let run = "run calls.jsonl --mode bypass --json";
    let Some((seen, code)) = on_a_terminal(folder.path(), run, &[]) else {
        return;
    };
    assert_eq!(code, 0, "{seen}");
    assert!(seen.contains("No such device or address"), "{seen}");
    assert!(!seen.lines().any(|line| line.trim() == "forged"), "{seen}");
}

#[test]
fn no_prompt_where_nobody_can_answer() {
    let folder = workspace(&["touch a"]);
    let root = folder.path();
    let ran = toolpost(root, root, &["run", "calls.jsonl"], "y\ny\n");
    assert_eq!(ran.code, 11, "{}", ran.out);
    let ran = toolpost(
        root,
        root,
        &["run", "--on-ask", "prompt", "calls.jsonl"],
        "y\n",
    );
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--on-ask queue"), "{}", ran.err);
    assert!(!root.join("a").exists());
}
