//! The folder that the shell stands in: kept from call to call, held to in permission and in order.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::path::Path;

use common::toolpost;
use serde_json::Value;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("sub/deep")).unwrap();
    fs::write(folder.path().join("a.txt"), "above\n").unwrap();
    fs::write(folder.path().join("sub/a.txt"), "below\n").unwrap();
    folder
}

/// Runs these commands as one batch.
fn run(root: &Path, args: &[&str], commands: &[&str]) -> Vec<Value> {
    let line = |(n, command): (usize, &&str)| {
        serde_json::json!({ "id": format!("c{n}"), "name": "Bash", "arguments": { "command": command } })
            .to_string()
    };
    let input: Vec<String> = commands.iter().enumerate().map(line).collect();
    let ran = toolpost(
        root,
        root,
        &[&["run", "--json"], args].concat(),
        &input.join("\n"),
    );
    assert!(ran.code < 20, "{}", ran.err);
    ran.out
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn text(outcome: &Value) -> &str {
    outcome["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn a_cd_outlives_its_call_and_only_its_own_shell_ends_with_it() {
    let folder = folder();
    let outcomes = run(
        folder.path(),
        // A verdict is given before earlier calls have run, and from the root `..` leads out.
        &["--mode", "bypass"],
        &[
            "cd sub && cat a.txt",
            "cat a.txt",
            "(cd deep); cat a.txt",
            "cd nowhere; cat a.txt",
            "cd .. ; cat a.txt",
        ],
    );
    let texts: Vec<&str> = outcomes
        .iter()
        .map(|outcome| text(outcome).lines().next().unwrap())
        .collect();
    assert_eq!(texts[..3], ["below", "below", "below"]);
    assert!(
        text(&outcomes[3]).contains("below"),
        "{}",
        text(&outcomes[3])
    );
    assert_eq!(texts[4], "above");
    assert_eq!(
        outcomes[0]["structured"]["folder"]
            .as_str()
            .unwrap()
            .rsplit('/')
            .next(),
        Some("sub")
    );
    assert!(
        outcomes
            .iter()
            .all(|outcome| outcome["effects"]["read_only"] == true)
    );
    let claims = outcomes[0]["footprint"].to_string();
    assert!(
        claims.contains(r#"{"access":"write","scope":"shell/cwd","deep":false}"#),
        "{claims}"
    );
}

#[test]
fn a_cd_that_leads_out_of_the_root_is_not_kept() {
    let folder = folder();
    let outcomes = run(folder.path(), &["--mode", "bypass"], &["cd /; pwd", "pwd"]);
    assert!(
        text(&outcomes[0]).contains("outside of the root"),
        "{}",
        text(&outcomes[0])
    );
    let root = folder.path().canonicalize().unwrap();
    assert_eq!(text(&outcomes[1]).trim(), root.to_str().unwrap());
}

#[test]
fn a_folder_that_is_gone_is_said_and_the_nearest_is_used() {
    let folder = folder();
    let outcomes = run(
        folder.path(),
        &["--mode", "bypass"],
        &["cd sub/deep", "rmdir ../deep", "pwd"],
    );
    assert!(
        text(&outcomes[2]).contains("is gone"),
        "{}",
        text(&outcomes[2])
    );
    assert!(text(&outcomes[2]).lines().next().unwrap().ends_with("/sub"));
}

#[test]
fn a_verdict_is_about_the_folder_that_the_call_runs_in() {
    let folder = folder();
    // In the root it would be another file. Of the second line nobody knows before that it moves.
    for (moves, says) in [
        ("cd sub", "denied by the rule"),
        (". ./move.sh", "something changed"),
    ] {
        fs::write(folder.path().join("move.sh"), "cd sub\n").unwrap();
        let args = ["--mode", "bypass", "--deny", "Read(./sub/a.txt)"];
        let outcomes = run(folder.path(), &args, &[moves, "cat a.txt"]);
        assert_eq!(outcomes[0]["status"], "done");
        assert_eq!(outcomes[1]["status"], "denied", "{}", outcomes[1]);
        let message = outcomes[1]["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
    }
}
