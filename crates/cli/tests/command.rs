//! The command as a user runs it: the built binary, its output and its exit code.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use common::Ran;

impl Ran {
    fn lines(&self) -> Vec<Value> {
        self.out
            .lines()
            .map(|line| serde_json::from_str(line).expect(line))
            .collect()
    }
}

fn toolpost(root: &Path, args: &[&str], input: &str) -> Ran {
    common::toolpost(root, root, args, input)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("README.md"), "one\ntwo\nthree\n").unwrap();
    folder
}

/// The project's own root, and the calls that are kept beside it.
fn shared() -> Option<(PathBuf, PathBuf)> {
    let Some(cases) = std::env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES is not set");
        return None;
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap();
    let calls = Path::new(&cases).join("data/calls");
    assert!(calls.is_dir(), "{} is not there", calls.display());
    Some((root.to_path_buf(), calls))
}

#[test]
fn the_main_job_gives_each_line_its_outcome() {
    let Some((root, calls)) = shared() else {
        return;
    };
    let file = calls.join("native.jsonl");
    let around = tempfile::tempdir().unwrap();
    let args = ["run", file.to_str().unwrap(), "--json"];
    let ran = common::toolpost(&root, around.path(), &args, "");
    assert_eq!((ran.code, ran.err.as_str()), (11, ""));
    let lines = ran.lines();
    let statuses: Vec<&str> = lines
        .iter()
        .map(|line| line["status"].as_str().unwrap())
        .collect();
    assert_eq!(
        statuses,
        [
            "done", "done", "done", "done", "invalid", "failed", "invalid", "invalid", "invalid",
            "denied", "done", "done", "invalid", "invalid"
        ]
    );
    let message = |index: usize| lines[index]["error"]["message"].as_str().unwrap();
    let kind = |index: usize| lines[index]["error"]["kind"].as_str().unwrap();
    assert_eq!(lines[3]["repairs"][0]["pointer"], "/offset");
    assert!(
        message(4).contains("did you mean `file_path`?"),
        "{}",
        message(4)
    );
    assert!(message(5).contains("README.md"), "{}", message(5));
    assert!(
        message(6).contains("did you mean `Read`?"),
        "{}",
        message(6)
    );
    assert!(
        message(8).contains("`file_path` is given twice"),
        "{}",
        message(8)
    );
    assert_eq!(
        [kind(9), kind(12), kind(13)],
        ["not_answered", "bad_line", "invalid_input"]
    );
    assert_eq!(
        (&lines[12]["id"], &lines[12]["line"]),
        (&Value::Null, &13.into())
    );
    assert!(lines.iter().all(|line| line["v"] == 1));
}

#[test]
fn every_wire_form_is_answered_in_kind() {
    let Some((root, calls)) = shared() else {
        return;
    };
    for (name, field) in [
        ("anthropic", "content"),
        ("openai", "tool_call_id"),
        ("openai-responses", "call_id"),
        ("gemini", "parts"),
        ("mcp", "jsonrpc"),
    ] {
        let file = calls.join(format!("{name}.jsonl"));
        let around = tempfile::tempdir().unwrap();
        let args = ["run", file.to_str().unwrap(), "--reply"];
        let ran = common::toolpost(&root, around.path(), &args, "");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{name}");
        let answers = ran.lines();
        assert!(!answers.is_empty(), "{name}");
        assert!(
            answers.iter().all(|answer| answer.get(field).is_some()),
            "{name}: {}",
            ran.out
        );
    }
}

#[test]
fn exit_codes_tell_what_came_of_it() {
    let folder = folder();
    let run = |calls: &str, more: &[&str]| {
        let args: Vec<&str> = ["run", "-", "-q"].iter().chain(more).copied().collect();
        toolpost(folder.path(), &args, calls).code
    };
    let done = r#"{"id":"a","name":"Read","arguments":{"file_path":"README.md"}}"#;
    let failed = r#"{"id":"b","name":"Read","arguments":{"file_path":"none"}}"#;
    let denied = r#"{"id":"c","name":"Write","arguments":{"file_path":"x","content":""}}"#;
    let invalid = r#"{"id":"d","name":"Read","arguments":{}}"#;
    assert_eq!(run(done, &[]), 0);
    assert_eq!(run("", &[]), 0);
    assert_eq!(run(failed, &[]), 10);
    assert_eq!(run(denied, &[]), 11);
    assert_eq!(run(invalid, &[]), 13);
    assert_eq!(run(&[done, failed, invalid].join("\n"), &[]), 13);
    assert_eq!(run(&[failed, denied, invalid].join("\n"), &[]), 11);
    assert_eq!(run(denied, &["--allow", "Write"]), 0);
    assert_eq!(run(denied, &["--dry-run"]), 12);
    assert_eq!(run(denied, &["--no-such-flag"]), 2);
    assert_eq!(run(denied, &["--allow", "Wrote"]), 2);
    assert_eq!(run(denied, &["--tools", "Raed"]), 2);
    assert_eq!(run(denied, &["--root", "/no/such/folder"]), 2);
    assert_eq!(
        toolpost(folder.path(), &["run", "no-such-file"], "").code,
        2
    );
    assert_eq!(toolpost(folder.path(), &["--help"], "").code, 0);
}

#[test]
fn it_answers_as_it_goes() {
    use std::io::{BufRead, BufReader};
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args(["run", "--json"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    for id in ["a", "b", "c"] {
        writeln!(input, r#"{{"id":"{id}","name":"Ls","arguments":{{}}}}"#).unwrap();
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        let outcome: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(outcome["id"], id);
    }
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_interrupt_leaves_one_outcome_a_call_and_no_process() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        interrupted_by(signal);
    }
}

/// Whether a process lives.
fn lives(pid: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

fn interrupted_by(signal: &str) {
    let folder = folder();
    let tools = r#"
[[tool]]
name = "sleep"
description = "Sleep for long, with a child that sleeps as well."
input_schema = { type = "object", additionalProperties = false }
command = ["sh", "-c", """
(setsid env -i sh -c 'echo $$ > left; sleep 300' &)
while ! test -s left; do sleep 0.01; done
echo $$ > pid; sleep 300 & wait"""]
"#;
    fs::write(folder.path().join("tools.toml"), tools).unwrap();
    // Whoever runs this test may ignore signals, and that is handed down.
    let child = Command::new("env")
        .args(["--default-signal", env!("CARGO_BIN_EXE_toolpost")])
        .args([
            "run",
            "--json",
            "--tool-file",
            "tools.toml",
            "--mode",
            "bypass",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let call = |id: &str| format!("{{\"id\":\"{id}\",\"name\":\"sleep\"}}\n");
    let mut input = child.stdin.as_ref().unwrap();
    input
        .write_all((call("a") + &call("b")).as_bytes())
        .unwrap();
    let pid_file = folder.path().join("pid");
    let pid = loop {
        match fs::read_to_string(&pid_file)
            .ok()
            .filter(|text| text.ends_with('\n'))
        {
            Some(text) => break text.trim().to_owned(),
            None => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    let interrupt = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    let outcomes: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<_> = outcomes
        .iter()
        .map(|o| {
            (
                o["id"].clone(),
                o["status"].clone(),
                o["error"]["started"].clone(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("a".into(), "cancelled".into(), true.into()),
            ("b".into(), "cancelled".into(), false.into())
        ]
    );
    assert!(!lives(&pid), "{signal}");
    let left = fs::read_to_string(folder.path().join("left")).unwrap();
    assert!(!lives(left.trim()), "{signal}");
}

#[test]
fn a_file_that_was_not_read_to_its_end_has_all_its_outcomes_and_a_second_signal_waits_for_nobody() {
    let folder = folder();
    let stubborn = "echo x > started; trap '' TERM; while :; do sleep 0.1; done";
    let bash = |id: usize, command: &str| {
        let call = serde_json::json!({ "id": format!("c{id}"), "name": "Bash", "arguments": { "command": command } });
        format!("{call}\n")
    };
    let lines: String = std::iter::once(bash(0, stubborn))
        .chain((1..1_000).map(|id| bash(id, &format!("echo {} > f{id}", "x".repeat(1_000)))))
        .collect();
    fs::write(folder.path().join("calls.jsonl"), lines).unwrap();
    let start = std::time::Instant::now();
    let child = Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args([
            "run",
            "calls.jsonl",
            "--json",
            "--mode",
            "bypass",
            "--journal",
            "none",
        ])
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !folder.path().join("started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    for _ in 0..2 {
        let signal = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        assert!(signal.unwrap().success());
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1_000);
    // The stubborn one alone would have had its time of grace.
    assert!(start.elapsed() < std::time::Duration::from_secs(20));
}

#[test]
fn what_a_command_prints_shows_that_it_lives() {
    let folder = folder();
    let talks = "for i in 1 2 3 4 5 6; do echo $i; sleep 0.3; done";
    let lines: String = [("c1", talks), ("c2", "echo once; sleep 30")]
        .iter()
        .map(|(id, command)| {
            let call = serde_json::json!({ "id": id, "name": "Bash", "arguments": { "command": command } });
            format!("{call}\n")
        })
        .collect();
    let args = [
        "run",
        "--json",
        "--mode",
        "bypass",
        "--idle-timeout",
        "1200ms",
    ];
    let ran = toolpost(folder.path(), &args, &lines);
    let statuses: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["status"].clone())
        .collect();
    assert_eq!(statuses, ["done", "timed_out"], "{}", ran.out);
}

#[test]
fn what_a_call_leaves_running_ends_with_the_session() {
    let folder = folder();
    let command = "(setsid env -i bash -c 'echo $$ > left; sleep 300' &) ; while ! test -s left; do sleep 0.01; done";
    let call =
        serde_json::json!({ "id": "c1", "name": "Bash", "arguments": { "command": command } });
    let ran = toolpost(
        folder.path(),
        &["run", "--mode", "bypass"],
        &call.to_string(),
    );
    assert_eq!(ran.code, 0, "{}", ran.out);
    let left = fs::read_to_string(folder.path().join("left")).unwrap();
    assert!(!lives(left.trim()));
}

#[test]
fn a_timeout_ends_what_hides_from_its_command() {
    for hides in [
        "(setsid env -i bash -c '…' &)",
        "(setsid env TOOLPOST_CALL=x bash -c '…' &)",
        "(set -m; env -i bash -c '…' &)",
        "(setsid -f setsid -f env -i bash -c '…')",
    ] {
        let folder = folder();
        let stays = "echo $$ > left; trap : TERM; while :; do sleep 0.2; done";
        let command = format!("{} ; sleep 300", hides.replace('…', stays));
        let after = "kill -0 $(cat left) && echo there || echo gone";
        let lines: String = [("c1", command.as_str()), ("c2", after)]
            .iter()
            .map(|(id, command)| {
                let call = serde_json::json!({ "id": id, "name": "Bash", "arguments": { "command": command } });
                format!("{call}\n")
            })
            .collect();
        let args = ["run", "--json", "--mode", "bypass", "--timeout", "1s"];
        let ran = toolpost(folder.path(), &args, &lines);
        assert!(ran.out.contains("timed_out"), "{hides}: {}", ran.out);
        assert!(ran.out.contains("gone"), "{hides}: {}", ran.out);
    }
}

#[test]
fn a_timeout_ends_nothing_of_another_call() {
    let folder = folder();
    let tool = |name: &str, timeout: &str, command: &str| {
        format!(
            "[[tool]]\nname = \"{name}\"\ndescription = \"x\"\ninput_schema = {{ type = \"object\" }}\n\
             reads = []\nwrites = []\ntimeout = \"{timeout}\"\ncommand = [\"bash\", \"-c\", \"\"\"{command}\"\"\"]\n"
        )
    };
    let other = "(setsid env -i bash -c 'echo $$ > left; sleep 300' &); sleep 2.5; kill -0 $(cat left) && echo there";
    let tools = tool("a", "1s", "sleep 20") + &tool("b", "9s", other);
    fs::write(folder.path().join("tools.toml"), tools).unwrap();
    let args = [
        "run",
        "--json",
        "--mode",
        "bypass",
        "--tool-file",
        "tools.toml",
    ];
    let ran = toolpost(
        folder.path(),
        &args,
        "{\"id\":\"1\",\"name\":\"a\"}\n{\"id\":\"2\",\"name\":\"b\"}\n",
    );
    assert!(
        ran.out.contains("timed_out") && ran.out.contains("there"),
        "{}",
        ran.out
    );
    // It ends with the session all the same.
    let left = fs::read_to_string(folder.path().join("left")).unwrap();
    assert!(!lives(left.trim()));
}

#[test]
fn a_long_result_is_spilled_and_can_be_read() {
    let folder = folder();
    let tools = r#"
[[tool]]
name = "count"
description = "Count to many."
input_schema = { type = "object", additionalProperties = false }
command = ["seq", "1", "20000"]
"#;
    fs::write(folder.path().join("tools.toml"), tools).unwrap();
    let args = [
        "run",
        "--json",
        "--tool-file",
        "tools.toml",
        "--allow",
        "count",
    ];
    let outcome = &toolpost(folder.path(), &args, r#"{"id":"a","name":"count"}"#).lines()[0];
    let text = outcome["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("left out of"), "{text}");
    assert!(text.contains("19999\n20000"), "the tail is kept");
    let spilled = text.split('`').nth(1).unwrap();
    assert!(
        Path::new(spilled).starts_with(folder.path().join("state")),
        "{spilled}"
    );
    let read =
        serde_json::json!({"id":"b","name":"Read","arguments":{"file_path":spilled,"limit":1}});
    assert_eq!(toolpost(folder.path(), &["run"], &read.to_string()).code, 0);
}

#[test]
fn a_dry_run_tells_what_waits_for_what_and_runs_nothing() {
    let folder = folder();
    let calls = r#"{"id":"a","name":"Write","arguments":{"file_path":"x","content":"1"}}
{"id":"b","name":"Read","arguments":{"file_path":"x"}}
{"id":"c","name":"Read","arguments":{"file_path":"README.md"}}"#;
    let args = ["run", "--json", "--dry-run", "--allow", "Write"];
    let ran = toolpost(folder.path(), &args, calls);
    let lines = ran.lines();
    assert!(
        lines.iter().all(|line| line["status"] == "planned"),
        "{}",
        ran.out
    );
    assert_eq!(lines[1]["time"]["waited_for"], serde_json::json!(["a"]));
    assert!(lines[2]["time"].get("waited_for").is_none());
    assert!(!folder.path().join("x").exists());
}

#[test]
fn explain_tells_the_verdict_and_runs_nothing() {
    let folder = folder();
    let explain = |name: &str, input: &str| {
        let ran = toolpost(folder.path(), &["explain", name, input, "--json"], "");
        assert_eq!(ran.code, 0);
        ran.lines().remove(0)
    };
    let read = explain("Read", r#"{"file_path":"README.md"}"#);
    assert_eq!(
        (&read["verdict"], &read["effects"]["read_only"]),
        (&"allow".into(), &true.into())
    );
    let write = explain("Write", r#"{"file_path":"x","content":""}"#);
    assert_eq!(write["verdict"], "ask");
    assert_eq!(write["flip"], "`--allow 'Edit(./x)'` would allow it");
    assert!(
        write["footprint"][0]["scope"]
            .as_str()
            .unwrap()
            .starts_with("fs/")
    );
    assert!(!folder.path().join("x").exists());
    let outside = explain("Read", r#"{"file_path":"/etc/hostname"}"#);
    assert_eq!(outside["verdict"], "ask");
    assert_eq!(explain("Read", "{").get("verdict"), Some(&"invalid".into()));
    let lines = "{\"id\":\"a\",\"name\":\"Ls\"}\nnonsense\n";
    let ran = toolpost(folder.path(), &["explain", "-", "--json"], lines);
    let verdicts: Vec<_> = ran
        .lines()
        .iter()
        .map(|line| line["verdict"].clone())
        .collect();
    assert_eq!(verdicts, ["allow", "invalid"]);
}

#[test]
fn explain_tells_what_a_call_may_run_beside() {
    let folder = folder();
    let told = |name: &str, input: &str| {
        let out = toolpost(folder.path(), &["explain", name, input], "").out;
        let line = out
            .lines()
            .find(|line| line.starts_with("  runs "))
            .expect(&out);
        line.trim().to_owned()
    };
    let read = "runs beside every call that does not write what it reads";
    assert_eq!(told("Read", r#"{"file_path":"a"}"#), read);
    assert_eq!(told("Bash", r#"{"command":"cat a"}"#), read);
    assert_eq!(told("Bash", r#"{"command":"make"}"#), "runs alone");
    assert_eq!(
        told("Write", r#"{"file_path":"a","content":""}"#),
        "runs beside calls that touch none of what it writes and write none of what it reads"
    );
}

#[test]
fn definitions_come_in_every_dialect() {
    let folder = folder();
    let list = |dialect: &str| {
        let args = ["tools", "list", "--json", "--dialect", dialect];
        let ran = toolpost(folder.path(), &args, "");
        assert_eq!(ran.code, 0, "{dialect}: {}", ran.err);
        ran.lines().remove(0)
    };
    assert_eq!(
        list("native")["input_schema"]["additionalProperties"],
        false
    );
    assert_eq!(list("anthropic")["input_schema"]["type"], "object");
    assert_eq!(list("openai")["function"]["name"], "Read");
    assert_eq!(list("openai-strict")["function"]["strict"], true);
    assert_eq!(list("gemini")["parametersJsonSchema"]["type"], "object");
    assert_eq!(list("mcp")["inputSchema"]["type"], "object");
    assert_eq!(
        toolpost(folder.path(), &["tools", "list", "--dialect", "x"], "").code,
        2
    );
    let shown = toolpost(folder.path(), &["tools", "show", "Read"], "");
    assert!(shown.out.contains("file_path"), "{}", shown.out);
    assert_eq!(
        toolpost(folder.path(), &["tools", "show", "Raed"], "").code,
        2
    );
    assert!(
        toolpost(folder.path(), &["completions", "bash"], "")
            .out
            .contains("toolpost")
    );
}

#[test]
fn our_own_tools_pass_the_lint_and_bad_ones_do_not() {
    let folder = folder();
    let ours = toolpost(folder.path(), &["tools", "lint"], "");
    assert_eq!((ours.code, ours.out.as_str()), (0, ""));
    let bad = r#"{"tools":[
        {"name":"do it","description":"","input_schema":{"type":"object","properties":{"x":{}}},
         "command":["true"],"effects":{"read_only":true},"writes":["fs/{x}"]},
        {"name":"Read","description":"Read a file, differently.","input_schema":{"type":"object","additionalProperties":false}}]}"#;
    fs::write(folder.path().join("bad.json"), bad).unwrap();
    let ran = toolpost(
        folder.path(),
        &["tools", "lint", "--json", "--tool-file", "bad.json"],
        "",
    );
    assert_eq!(ran.code, 1);
    let codes: Vec<String> = ran
        .lines()
        .iter()
        .map(|line| line["code"].as_str().unwrap().to_owned())
        .collect();
    for code in [
        "name_refused",
        "no_description",
        "open_object",
        "no_type",
        "read_only_writes",
        "name_taken",
    ] {
        assert!(
            codes.iter().any(|found| found == code),
            "{code} is not in {codes:?}"
        );
    }
}

#[test]
fn text_for_a_person_shows_control_characters() {
    let folder = folder();
    fs::write(folder.path().join("evil"), "a\u{1b}[31mred\u{202e}x\n").unwrap();
    let call = r#"{"id":"a","name":"Read","arguments":{"file_path":"evil"}}"#;
    let out = toolpost(folder.path(), &["run"], call).out;
    assert!(
        !out.contains('\u{1b}') && !out.contains('\u{202e}'),
        "{out:?}"
    );
    assert!(out.contains("\\u{1b}[31mred"), "{out:?}");
}

#[test]
fn odd_input_is_answered_line_by_line() {
    let folder = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args(["run", "--json"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = b"\xff\xfe\n\n  \n{}\nnull\n[1]\n{\"id\":\"a\",\"name\":\"Ls\",\"arguments\":null}";
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<_> = lines
        .iter()
        .map(|line| (line["line"].clone(), line["status"].clone()))
        .collect();
    let bad = |number: u64| (Value::from(number), Value::from("invalid"));
    assert_eq!(
        told,
        [bad(1), bad(4), bad(5), bad(6), (Value::Null, "done".into())]
    );
}
