//! `init` and `doctor`, as a person who begins runs them.

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

use common::{Ran, toolpost};
use serde_json::Value;

fn run(root: &Path, args: &[&str]) -> Ran {
    toolpost(root, root, args, "")
}

#[test]
fn init_writes_settings_that_load_and_leaves_existing_ones_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(root.join("Cargo.toml"), "").unwrap();
    let first = run(root, &["init"]);
    assert_eq!(
        (first.code, &*first.out),
        (0, "wrote toolpost.toml\n"),
        "{}",
        first.err
    );
    assert_eq!(run(root, &["policy", "check"]).code, 0);
    let text = fs::read_to_string(root.join("toolpost.toml")).unwrap();
    assert_eq!(run(root, &["init", "--print"]).out, text);
    let again = run(root, &["init"]);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("is there already"), "{}", again.err);
    assert_eq!(
        fs::read_to_string(root.join("toolpost.toml")).unwrap(),
        text
    );
    // What it allows counts once it is trusted.
    let verdict = |root: &Path| {
        let ran = run(
            root,
            &["explain", "Bash", "{\"command\":\"cargo test\"}", "--json"],
        );
        serde_json::from_str::<Value>(&ran.out).unwrap()["verdict"].clone()
    };
    assert_eq!(verdict(root), "ask");
    run(root, &["trust"]);
    assert_eq!(verdict(root), "allow");
}

#[test]
fn init_from_another_tool_says_what_it_leaves() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let nothing = run(root, &["init", "--from", "claude"]);
    assert_eq!(nothing.code, 2, "{}", nothing.err);
    fs::create_dir(root.join(".claude")).unwrap();
    let theirs =
        r#"{"permissions":{"allow":["Bash(make test)"],"deny":["Read(secrets)"]},"env":{}}"#;
    fs::write(root.join(".claude/settings.json"), theirs).unwrap();
    fs::write(
        root.join(".claude/settings.local.json"),
        r#"{"permissions":{"ask":["WebFetch"]}}"#,
    )
    .unwrap();
    let ran = run(root, &["init", "--from", "claude"]);
    assert_eq!(
        (ran.code, &*ran.out),
        (0, "wrote toolpost.toml\nwrote .toolpost/local.toml\n"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("not carried over: .claude/settings.json: `env`"),
        "{}",
        ran.err
    );
    fs::create_dir(root.join("secrets")).unwrap();
    fs::write(root.join("secrets/key"), "x").unwrap();
    let ran = run(
        root,
        &[
            "explain",
            "Read",
            "{\"file_path\":\"secrets/key\"}",
            "--json",
        ],
    );
    assert_eq!(
        serde_json::from_str::<Value>(&ran.out).unwrap()["verdict"],
        "deny"
    );
}

fn findings(ran: &Ran) -> Vec<Value> {
    ran.out
        .lines()
        .map(|line| serde_json::from_str(line).expect(line))
        .collect()
}

fn level<'f>(findings: &'f [Value], check: &str) -> &'f str {
    let found = findings.iter().find(|finding| finding["check"] == check);
    found.expect(check)["level"].as_str().unwrap()
}

#[test]
fn doctor_finds_nothing_wrong_where_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let ran = run(folder.path(), &["doctor", "--json"]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let findings = findings(&ran);
    for check in ["policy", "trust", "state", "journal", "bash"] {
        assert_eq!(level(&findings, check), "ok", "{check}");
    }
}

#[test]
fn doctor_finds_a_journal_that_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state/toolpost");
    fs::create_dir_all(&state).unwrap();
    fs::write(
        state.join("journal.db"),
        "not a database, and long enough to be seen as none".repeat(40),
    )
    .unwrap();
    let ran = run(folder.path(), &["doctor", "--json"]);
    assert_eq!(
        (ran.code, level(&findings(&ran), "journal")),
        (1, "error"),
        "{}",
        ran.out
    );
}

#[test]
fn doctor_tells_each_mistake_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    fs::write(
        root.join("toolpost.toml"),
        "[permissions]\nalow = []\nallow = [\"Bash(make)\"]\n",
    )
    .unwrap();
    // A file stands where the state folder would be made.
    fs::write(root.join("state"), "").unwrap();
    let ran = run(root, &["doctor", "--json"]);
    assert_eq!(ran.code, 1);
    let findings = findings(&ran);
    assert_eq!(level(&findings, "policy"), "error");
    assert_eq!(level(&findings, "state"), "error");
    assert_eq!(level(&findings, "trust"), "warning");
    let is_advised = |finding: &Value| finding["level"] == "ok" || finding["advice"].is_string();
    assert!(findings.iter().all(is_advised), "{}", ran.out);
    assert!(
        ran.out.contains("toolpost.toml:2") && ran.out.contains("did you mean"),
        "{}",
        ran.out
    );
    let person = run(root, &["doctor"]);
    assert!(
        person.out.contains("error   policy: toolpost.toml:2"),
        "{}",
        person.out
    );
}

#[test]
fn whatever_a_run_refuses_is_found_by_doctor_and_by_check() {
    for wrong in [
        "[[hooks.before]]\ncommand = [\"true\"]\ntimeout = \"1 moon\"\n",
        "[[hooks.before]]\ncommand = [\"true\"]\ntools = [\"bash\"]\n",
        "[journal]\nmask = [\"(\"]\n",
        "[journal]\nmask = \"secret\"\n",
        "[journal]\nmax_age = \"1 moon\"\n",
        "[journal]\nquestions_last = \"1 moon\"\n",
        "[limits]\ntimeout = \"1 moon\"\n",
        "[limits]\nidle_timeout = \"1 moon\"\n",
        "[[tool]]\nname = \"Read\"\ndescription = \"x\"\n",
        "[[tool]]\ndescription = \"x\"\n",
        "[[tool]]\nname = \"x\"\ndescription = \"x\"\ninput_schema = { type = \"objekt\" }\n",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let file = root.join("config/toolpost/settings.toml");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, wrong).unwrap();
        let calls = root.join("calls.jsonl");
        fs::write(&calls, "").unwrap();
        let codes = [
            run(root, &["run", "calls.jsonl"]).code,
            run(root, &["policy", "check"]).code,
            run(root, &["doctor"]).code,
        ];
        assert_eq!(codes, [2, 1, 1], "{wrong}");
    }
}

#[test]
fn doctor_finds_what_is_broken_in_the_state_and_hooks_that_cannot_run() {
    let found = |make: &dyn Fn(&Path), check: &str| {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state/toolpost");
        fs::create_dir_all(&state).unwrap();
        fs::create_dir_all(folder.path().join("config/toolpost")).unwrap();
        make(folder.path());
        let ran = run(folder.path(), &["doctor", "--json"]);
        let findings = findings(&ran);
        let is_found = findings
            .iter()
            .any(|finding| finding["check"] == check && finding["level"] == "error");
        assert!(is_found && ran.code == 1, "{check}: {}", ran.out);
    };
    found(
        &|root| {
            let journal = root.join("state/toolpost/journal.db");
            std::os::unix::fs::symlink(root.join("no/where"), journal).unwrap();
        },
        "journal",
    );
    found(
        &|root| fs::write(root.join("state/toolpost/trusted.json"), "{\"v\":1").unwrap(),
        "trust",
    );
    for program in ["./none.sh", "no-such-program", "/no/such/program"] {
        found(
            &|root| {
                let hook = format!("[[hooks.before]]\ncommand = [\"{program}\"]\n");
                fs::write(root.join("config/toolpost/settings.toml"), hook).unwrap();
            },
            "hooks",
        );
    }
}

#[test]
fn a_broken_list_of_trust_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("state/toolpost/trusted.json");
    fs::create_dir_all(list.parent().unwrap()).unwrap();
    fs::write(&list, "{\"v\":1,\"workspaces\":[\"/a\"]").unwrap();
    let ran = run(folder.path(), &["trust"]);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(fs::read_to_string(&list).unwrap().ends_with("[\"/a\"]"));
}
