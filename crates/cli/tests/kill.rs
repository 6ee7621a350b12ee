//! The command killed amid many writes: every file is an old one or a new one, whole.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const FILES: usize = 50;
const WRITES: usize = 1_000;
const BYTES: usize = 20_000;

fn name(number: usize) -> String {
    format!("file-{:02}.txt", number % FILES)
}

/// Text of one letter, so that a mixture of two is seen.
fn content(letter: u8) -> String {
    let mut text = char::from(letter).to_string().repeat(BYTES);
    text.push('\n');
    text
}

/// Calls that read all files, and then write them again and again.
fn calls() -> String {
    let call = |id: String, name: &str, arguments: Value| {
        format!(
            "{}\n",
            json!({ "id": id, "name": name, "arguments": arguments })
        )
    };
    let reads = (0..FILES).map(|number| {
        let input = json!({ "file_path": name(number), "limit": 1 });
        call(format!("r{number}"), "Read", input)
    });
    let writes = (0..WRITES).map(|number| {
        let letter = b'b' + u8::try_from(number / FILES).unwrap();
        let input = match number % 10 {
            // A new file in a new folder, now and then.
            9 => json!({ "file_path": format!("new-{number}/f.txt"), "content": content(letter) }),
            _ => json!({ "file_path": name(number), "content": content(letter) }),
        };
        call(format!("w{number}"), "Write", input)
    });
    reads.chain(writes).collect()
}

/// Runs the calls, and kills the command when so many of them have their outcome. Says how many
/// were done by then.
fn run_and_kill(root: &Path, around: &Path, calls: &str, after: usize) -> usize {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args(["run", "-", "--json", "--allow", "Write"])
        .current_dir(root)
        .env("HOME", around)
        .env("XDG_STATE_HOME", around.join("state"))
        .env("XDG_CONFIG_HOME", around.join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    std::thread::scope(|scope| {
        // It breaks off when the command is gone.
        scope.spawn(move || drop(input.write_all(calls.as_bytes())));
        let mut done = 0;
        for (count, line) in (1..).zip(output.lines()) {
            let outcome: Value = serde_json::from_str(&line.unwrap()).unwrap();
            assert_eq!(outcome["status"], "done", "{outcome}");
            done = count;
            if count == after {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        done
    })
}

fn assert_whole(path: &Path) {
    let text = fs::read(path).unwrap();
    assert_eq!(text.len(), BYTES + 1, "{}", path.display());
    let letter = text[0];
    assert!(
        text[..BYTES].iter().all(|byte| *byte == letter),
        "{}",
        path.display()
    );
}

#[test]
fn killed_amid_a_thousand_writes_every_file_is_whole_and_no_other_is_seen() {
    let calls = calls();
    let mut amid = 0;
    for after in [51, 120, 400, 1_000] {
        let folder = tempfile::tempdir().unwrap();
        let around = tempfile::tempdir().unwrap();
        let root = folder.path();
        for number in 0..FILES {
            fs::write(root.join(name(number)), content(b'a')).unwrap();
        }
        let done = run_and_kill(root, around.path(), &calls, after);
        amid += usize::from(done < FILES + WRITES);
        let mut visible = Vec::new();
        for entry in fs::read_dir(root).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                for inner in fs::read_dir(&path).unwrap() {
                    let inner = inner.unwrap().file_name().into_string().unwrap();
                    if !inner.starts_with('.') {
                        assert_eq!(inner, "f.txt");
                        assert_whole(&path.join(&inner));
                        visible.push(format!("{name}/{inner}"));
                    }
                }
            } else if !name.starts_with('.') {
                assert_whole(&path);
                visible.push(name);
            }
        }
        visible.sort();
        assert!(visible.iter().filter(|name| !name.contains('/')).count() == FILES);
        // What our own searches find is that and nothing else.
        let search = [
            json!({ "id": "g", "name": "Glob", "arguments": { "pattern": "**/*", "limit": 10_000 } }),
            json!({ "id": "s", "name": "Grep", "arguments": { "pattern": ".", "head_limit": 10_000 } }),
        ];
        let input = search.map(|call| format!("{call}\n")).concat();
        let ran = common::toolpost(root, around.path(), &["run", "-", "--json"], &input);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        for line in ran.out.lines() {
            let outcome: Value = serde_json::from_str(line).unwrap();
            let text = outcome["content"][0]["text"].as_str().unwrap();
            let mut found: Vec<&str> = text.lines().collect();
            found.sort_unstable();
            assert_eq!(found, visible);
        }
    }
    assert!(amid >= 3, "killed too late {} times", 4 - amid);
}
