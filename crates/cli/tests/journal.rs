//! The journal through the command: questions and answers, the log, replay, named sessions.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use common::Ran;

/// A root, and beside it a home with its state.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("root")).unwrap();
        Self(folder)
    }

    fn root(&self) -> PathBuf {
        self.0.path().join("root")
    }

    fn journal(&self) -> PathBuf {
        self.0.path().join("state/toolpost/journal.db")
    }

    fn toolpost(&self, args: &[&str], input: &str) -> Ran {
        common::toolpost(&self.root(), self.0.path(), args, input)
    }

    /// Runs calls with questions kept.
    fn run(&self, args: &[&str], calls: &[Value]) -> Ran {
        let lines: Vec<String> = calls.iter().map(Value::to_string).collect();
        let args = [&["run", "-", "--json", "--on-ask", "queue"], args].concat();
        self.toolpost(&args, &lines.join("\n"))
    }

    fn json(&self, args: &[&str]) -> Vec<Value> {
        let ran = self.toolpost(&[args, &["--json"]].concat(), "");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}");
        lines(&ran)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

fn lines(ran: &Ran) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).expect(line);
    ran.out.lines().map(parse).collect()
}

fn statuses(ran: &Ran) -> Vec<String> {
    let status = |line: &Value| line["status"].as_str().unwrap().to_owned();
    lines(ran).iter().map(status).collect()
}

fn bash(id: &str, command: &str) -> Value {
    json!({ "id": id, "name": "Bash", "arguments": { "command": command } })
}

fn read(id: &str, file: &str) -> Value {
    json!({ "id": id, "name": "Read", "arguments": { "file_path": file } })
}

fn text(root: &Path, file: &str) -> String {
    fs::read_to_string(root.join(file)).unwrap_or_default()
}

/// A text with what differs from run to run taken out.
fn steady(place: &Place, text: &str) -> String {
    let text = text.replace(place.root().to_str().unwrap(), "ROOT");
    let words = text.split(' ').scan(false, |after_process, word| {
        let is_number = std::mem::replace(after_process, word.ends_with("(process"));
        Some(if is_number { "N)" } else { word })
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_question_waits_is_answered_and_is_picked_up_once() {
    let place = Place::new();
    let calls = [
        bash("c1", "echo \u{202e}x >> f"),
        bash("c2", "echo \u{202e}x >> f"),
        read("c3", "none"),
    ];
    let ran = place.run(&[], &calls);
    assert_eq!(ran.code, 12);
    assert_eq!(statuses(&ran), ["pending", "pending", "failed"]);
    let listed = place.toolpost(&["approvals"], "");
    insta::assert_snapshot!(steady(&place, &listed.out), @r#"
    ── 1 Bash: waiting
       {"command":"echo \u{202e}x >> f"}
       Run echo \u{202e}x >> f
       may destroy what cannot be had back
       asked because it cannot be told what it does: it holds U+202E, which is not shown as what it is
       asked just now by call c1 of session #1 (process N) in ROOT
       2 calls wait, and the answer is for each of them; forgotten in 6days 23h
    "#);
    let ran = place.toolpost(&["approvals", "allow", "1"], "");
    insta::assert_snapshot!(ran.out, @r#"allowed 1: Bash {"command":"echo \u{202e}x >> f"}, for 2 calls"#);
    let ran = place.run(&[], &calls);
    assert_eq!(statuses(&ran), ["done", "done", "failed"]);
    assert_eq!(text(&place.root(), "f").lines().count(), 2);
    let ran = place.run(&[], &calls[..1]);
    assert_eq!((ran.code, statuses(&ran)), (12, vec!["pending".to_owned()]));
    assert_eq!(text(&place.root(), "f").lines().count(), 2);
}

#[test]
fn a_no_is_told_to_the_model_and_questions_that_are_not_there_are_a_mistake() {
    let place = Place::new();
    let none = place.toolpost(&["approvals", "allow", "1"], "");
    insta::assert_snapshot!(none.err, @"toolpost: no question 1 waits; `toolpost approvals list` shows those that do");
    assert_eq!(none.code, 2);
    place.run(&[], &[bash("c1", "touch f")]);
    let ran = place.toolpost(&["approvals", "deny", "1", "--reason", "not today"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.run(&[], &[bash("c1", "touch f")]);
    assert_eq!(ran.code, 11);
    let message = &lines(&ran)[0]["error"]["message"];
    assert!(message.as_str().unwrap().contains("not today"), "{message}");
    assert_eq!(place.toolpost(&["approvals", "allow", "1"], "").code, 2);
}

#[test]
fn a_question_without_a_journal_is_a_mistake_and_a_run_without_one_says_so() {
    let place = Place::new();
    let ran = place.run(&["--journal", "none"], &[bash("c1", "touch f")]);
    insta::assert_snapshot!(ran.err, @"toolpost: `--on-ask queue` keeps questions in the journal, and there is none; give `--journal FILE`");
    assert_eq!(ran.code, 2);
    place.write("state/toolpost", "a file where the folder should be");
    let ran = place.toolpost(&["run", "-"], &read("c1", "none").to_string());
    assert!(
        ran.err.contains("nothing is kept of this run"),
        "{}",
        ran.err
    );
    assert_eq!(ran.code, 10);
    let named = place.0.path().join("named.db");
    let named = named.to_str().unwrap();
    let ran = place.run(&["--journal", named], &[bash("c1", "touch f")]);
    assert_eq!(ran.code, 12);
    assert_eq!(place.json(&["log", "--journal", named]).len(), 1);
    fs::write(
        named,
        "no journal, and long enough that nobody would take it for an empty one",
    )
    .unwrap();
    let ran = place.run(&["--journal", named], &[bash("c1", "touch f")]);
    assert_eq!(ran.code, 2);
}

/// Each way in which a command of a call may try to hide that it is one.
#[test]
fn no_call_approves_another() {
    let place = Place::new();
    place.run(&[], &[bash("c1", "touch f")]);
    let program = env!("CARGO_BIN_EXE_toolpost");
    let state = place.0.path().join("state");
    let allow = format!(
        "env XDG_STATE_HOME={} {program} approvals allow 1",
        state.display()
    );
    let ways = [
        allow.clone(),
        format!("unset TOOLPOST_CALL; {allow}"),
        format!("env -i {allow}"),
        format!("env -i bash -c 'env -i {allow}; true'"),
        // Its parent is gone before it looks, so only its group tells.
        format!(
            "mkfifo p; (env -i bash -c 'read x < p; {allow}; echo done > p' &); echo go > p; read y < p"
        ),
        format!("env -i setsid -w {allow}"),
        format!("exec env -i {allow}"),
        // Alone in its session, without a mark, and its parent gone before it looks.
        format!(
            "mkfifo p; (setsid env -i bash -c 'read x < p; {allow}; echo done > p' > out 2>&1 &); sleep 0.1; echo go > p; read y < p; cat out"
        ),
        format!("unshare -r -p -f env -i {allow} || {allow}"),
        format!("unshare -r -p -f --mount-proc env -i {allow} || {allow}"),
        format!("unshare -r -m sh -c 'mount -t tmpfs none /proc; exec env -i {allow}' || {allow}"),
    ];
    for (n, way) in ways.iter().enumerate() {
        fs::remove_file(place.root().join("p")).ok();
        let ran = place.run(&["--mode", "bypass"], &[bash(&format!("w{n}"), way)]);
        let outcome = &lines(&ran)[0];
        let said = outcome["content"][0]["text"].as_str().unwrap_or_default();
        assert!(
            said.contains("no call may approve another"),
            "{way}: {outcome}"
        );
        let questions = place.json(&["approvals", "list"]);
        assert_eq!(questions[0]["state"], "waiting", "{way}");
    }
    for hidden in ["", "env -i "] {
        let trust = format!(
            "{hidden}env XDG_STATE_HOME={} {program} trust .",
            state.display()
        );
        let ran = place.run(&["--mode", "bypass"], &[bash("t1", &trust)]);
        let outcome = &lines(&ran)[0];
        let said = outcome["content"][0]["text"].as_str().unwrap_or_default();
        assert!(said.contains("no call may trust a workspace"), "{outcome}");
    }
    // A call may always say no.
    let deny = allow.replace("allow", "deny");
    place.run(&["--mode", "bypass"], &[bash("d", &deny)]);
    assert_eq!(place.json(&["approvals", "list"])[0]["state"], "denied");
}

#[test]
fn the_log_shows_what_it_is_asked_for() {
    let place = Place::new();
    place.write("root/a.txt", "a\n");
    place.run(
        &["--session", "one"],
        &[read("c1", "a.txt"), bash("c2", "touch f")],
    );
    place.run(
        &[],
        &[
            read("c3", "b.txt"),
            json!({ "id": "c4", "name": "Raed", "arguments": {} }),
        ],
    );
    let ids = |args: &[&str]| -> String {
        let lines = place.json(&[&["log"], args].concat());
        let id = |line: &Value| line["id"].as_str().unwrap().to_owned();
        lines.iter().map(id).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(ids(&[]), "c1 c2 c3 c4");
    assert_eq!(ids(&["--session", "one"]), "c1 c2");
    assert_eq!(ids(&["--session", "#2"]), "c3 c4");
    assert_eq!(ids(&["--tool", "Read"]), "c1 c3");
    assert_eq!(ids(&["--status", "pending"]), "c2");
    assert_eq!(ids(&["--limit", "2"]), "c3 c4");
    assert_eq!(ids(&["--since", "1h"]), "c1 c2 c3 c4");
    assert_eq!(ids(&["--since", "2200-01-01"]), "");
    let line = &place.json(&["log", "--limit", "4"])[0];
    assert_eq!((&line["v"], &line["status"]), (&json!(1), &json!("done")));
    assert_eq!(line["arguments"], r#"{"file_path":"a.txt"}"#);
    assert_eq!(line["decision"]["effect"], "allow");
    let text = place.toolpost(&["log", "--status", "failed"], "").out;
    let (_, told) = text.split_once(' ').unwrap();
    let told: Vec<&str> = told.lines().collect();
    assert!(
        told[0].starts_with(r#"#2 c3 Read {"file_path":"b.txt"}: failed, "#),
        "{text}"
    );
    let ran = place.toolpost(&["log", "--status", "dnoe"], "");
    insta::assert_snapshot!(ran.err, @"toolpost: --status: there is no status `dnoe`; did you mean `done`?");
}

#[test]
fn a_followed_log_tells_of_each_further_call() {
    use std::io::{BufRead, BufReader};
    let place = Place::new();
    place.run(&[], &[read("c1", "a.txt")]);
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args(["log", "--follow", "--json", "--tool", "Read"])
        .env("XDG_STATE_HOME", place.0.path().join("state"))
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["id"], "c1");
    place.run(
        &[],
        &[
            read("c2", "a.txt"),
            bash("c3", "touch f"),
            read("c4", "b.txt"),
        ],
    );
    assert_eq!(next()["id"], "c2");
    let last = next();
    assert_eq!(
        (&last["id"], &last["status"]),
        (&json!("c4"), &json!("failed"))
    );
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn replay_and_diff_hold_other_settings_to_the_calls_that_were() {
    let place = Place::new();
    place.write(
        "config/toolpost/settings.toml",
        "[journal]\nmask = [\"hunter[0-9]\"]\n",
    );
    place.write("root/a.txt", "a\n");
    place.run(
        &[],
        &[
            read("c1", "a.txt"),
            read("c2", "a.txt"),
            bash("c3", "make all"),
            bash("c4", "echo hunter2 > f"),
            json!({ "id": "c5", "name": "Raed", "arguments": {} }),
        ],
    );
    place.write(
        "new.toml",
        "[permissions]\nallow = [\"Bash(make:*)\"]\ndeny = [\"Read(./a.txt)\"]\n",
    );
    place.write("old.toml", "");
    let file = |name: &str| place.0.path().join(name).display().to_string();
    let ran = place.toolpost(&["replay", "--settings", &file("new.toml")], "");
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.out, @r#"
    stricter: Read {"file_path":"a.txt"} (2 times): allow -> deny, because it reads `a.txt`
    looser: Bash {"command":"make all"}: ask -> allow, because it runs `make all`
    "#);
    insta::assert_snapshot!(ran.err, @"toolpost: of 3 calls, 1 looser and 2 stricter; left out: 1 masked, 1 never decided about");
    place.write("broken.toml", "[permissions\nallow = []\n");
    let broken = file("broken.toml");
    for args in [
        &["replay", "--settings", &broken][..],
        &["policy", "diff", &broken, &file("new.toml")],
        &["policy", "diff", &file("new.toml"), &broken],
    ] {
        let ran = place.toolpost(args, "");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.contains("do not load"), "{}", ran.err);
    }
    let ran = place.toolpost(
        &[
            "policy",
            "diff",
            &file("old.toml"),
            &file("new.toml"),
            "--calls",
            "journal",
        ],
        "",
    );
    insta::assert_snapshot!(ran.out, @r#"
    stricter: Read {"file_path":"a.txt"}: allow -> deny, because it reads `a.txt`
    looser: Bash {"command":"make all"}: ask -> allow, because it runs `make all`
    "#);
    insta::assert_snapshot!(ran.err, @r#"
    toolpost: left out of the calls, since they are masked: 1
    toolpost: of 3 calls, 1 looser and 1 stricter
    "#);
    let bytes = fs::read(place.journal()).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
}

#[test]
fn a_mask_that_cannot_be_used_stops_a_run_and_an_untrusted_one_does_not_count() {
    let place = Place::new();
    place.write("root/toolpost.toml", "[journal]\nmask = [\".*\"]\n");
    place.run(&[], &[bash("c1", "make all")]);
    assert_eq!(place.json(&["log"])[0]["masked"], false);
    place.write(
        "config/toolpost/settings.toml",
        "[journal]\nmask = [\"(\"]\nmax_age = \"1 moon\"\n",
    );
    let ran = place.run(&[], &[bash("c1", "make all")]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("`(` is no regular expression"),
        "{}",
        ran.err
    );
    let ran = place.toolpost(&["policy", "check"], "");
    assert!(ran.out.contains("journal.mask"), "{}", ran.out);
    // A mask of another shape, or under another name, lets nothing through either.
    for wrong in ["mask = \"hunter2\"", "maks = [\"hunter2\"]"] {
        place.write(
            "config/toolpost/settings.toml",
            &format!("[journal]\n{wrong}\n"),
        );
        let ran = place.run(&[], &[bash("c1", "make hunter2")]);
        assert_eq!(ran.code, 2, "{}", ran.out);
        assert!(ran.err.contains("journal"), "{}", ran.err);
    }
    place.write(
        "config/toolpost/settings.toml",
        "[journal\nmask = [\"hunter2\"]\n",
    );
    let ran = place.run(&[], &[bash("c1", "make hunter2")]);
    assert!(
        ran.err.contains("nobody knows what must not be written"),
        "{}",
        ran.err
    );
    let bytes = fs::read(place.journal()).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
}

#[test]
fn what_stands_behind_a_cd_is_asked_for_where_it_will_run() {
    let place = Place::new();
    fs::create_dir(place.root().join("sub")).unwrap();
    let calls = [
        bash("c1", "cd sub"),
        bash("c2", "touch f"),
        bash("c3", "make -n > g"),
    ];
    let ran = place.run(&[], &calls);
    assert_eq!(
        statuses(&ran),
        ["done", "pending", "pending"],
        "{}",
        ran.out
    );
    let listed = place.toolpost(&["approvals"], "").out;
    assert_eq!(listed.matches("   it runs in ").count(), 2, "{listed}");
    let log = place.json(&["log"]);
    assert!(
        log[1]["folder"].as_str().unwrap().ends_with("/sub"),
        "{}",
        log[1]
    );
    for id in ["1", "2"] {
        assert_eq!(place.toolpost(&["approvals", "allow", id], "").code, 0);
    }
    let ran = place.run(&[], &calls);
    assert_eq!(statuses(&ran)[1], "done", "{}", ran.out);
    assert!(place.root().join("sub/f").exists() && place.root().join("sub/g").exists());
    // The same words in the root are another question.
    let ran = place.run(&[], &[bash("c2", "touch f")]);
    assert_eq!(statuses(&ran), ["pending"]);
}

#[test]
fn the_log_keeps_the_folder_and_who_answered() {
    let place = Place::new();
    fs::create_dir(place.root().join("sub")).unwrap();
    let named = ["--session", "s"];
    place.run(&named, &[bash("c1", "cd sub")]);
    place.run(&named, &[bash("c2", "touch f")]);
    let ran = place.toolpost(&["approvals", "allow", "1"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let ran = place.run(&named, &[bash("c3", "touch f")]);
    assert_eq!(ran.code, 0, "{}", ran.out);
    let log = place.json(&["log"]);
    assert_eq!(log[0]["folder"], Value::Null);
    let sub = place.root().canonicalize().unwrap().join("sub");
    assert_eq!(log[1]["folder"], sub.to_str().unwrap());
    let by = log[2]["answered_by"].as_str().unwrap();
    assert!(!by.is_empty());
    let text = place.toolpost(&["log"], "").out;
    assert!(
        text.contains(&format!("question 1 was answered by {by}")),
        "{text}"
    );
    // The same words mean the same folder again.
    place.write(
        "new.toml",
        "[permissions]\nallow = [\"Bash(touch:*)\", \"Edit(./sub/**)\"]\n",
    );
    let file = place.0.path().join("new.toml").display().to_string();
    let ran = place.toolpost(&["replay", "--settings", &file], "");
    assert!(
        ran.out.contains("looser: Bash {\"command\":\"touch f\"}"),
        "{}",
        ran.out
    );
}

#[test]
fn a_named_session_goes_on_with_what_was_read_and_where_the_shell_stands() {
    let place = Place::new();
    place.write("root/a.txt", "one\n");
    place.write("root/sub/b.txt", "b\n");
    let edit = json!({ "id": "e", "name": "Edit", "arguments":
        { "file_path": "a.txt", "old_string": "one", "new_string": "two" } });
    let named = ["--session", "s", "--mode", "bypass"];
    place.run(&named, &[read("r", "a.txt"), bash("cd", "cd sub")]);
    let ran = place.run(&["--mode", "bypass"], std::slice::from_ref(&edit));
    assert_eq!(statuses(&ran), ["failed"]);
    let ran = place.run(&named, &[edit, bash("ls", "ls")]);
    assert_eq!(statuses(&ran), ["done", "done"]);
    assert_eq!(lines(&ran)[1]["content"][0]["text"], "b.txt\n");
    assert_eq!(text(&place.root(), "a.txt"), "two\n");
    let ran = place.run(&["--session", "../s"], &[]);
    assert_eq!(ran.code, 2);
    let ran = place.run(&["--session", "s", "--root", "sub"], &[]);
    insta::assert_snapshot!(steady(&place, &ran.err), @"toolpost: the session `s` is about `ROOT`; use another name for another root");
    assert_eq!(ran.code, 2);
}

#[test]
fn a_session_is_open_in_one_process_at_a_time() {
    let place = Place::new();
    let inner = format!(
        "env -u TOOLPOST_CALL XDG_STATE_HOME={} {} run - --session s < /dev/null",
        place.0.path().join("state").display(),
        env!("CARGO_BIN_EXE_toolpost"),
    );
    let ran = place.run(
        &["--session", "s", "--mode", "bypass"],
        &[bash("c1", &inner)],
    );
    let said = lines(&ran)[0].to_string();
    assert!(said.contains("is open in another process"), "{said}");
}
