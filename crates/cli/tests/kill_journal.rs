//! The command, killed at any moment: the journal opens, and what it says is true of the files.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolpost_run::journal::{Filter, Journal};

const ROUNDS: usize = 300;
/// About how long a round takes when it is not killed.
const LONGEST: Duration = Duration::from_millis(110);

/// Appends, which may not be repeated, and writes of whole files, which may.
fn calls(round: usize) -> Vec<(String, Value)> {
    let mut calls = Vec::new();
    for n in 0..4 {
        let id = format!("r{round}n{n}");
        let command = format!("echo {id} >> appended");
        calls.push((
            id.clone(),
            json!({ "id": id, "name": "Bash", "arguments": { "command": command } }),
        ));
        let id = format!("r{round}w{n}");
        let write = json!({ "file_path": format!("written-{id}"), "content": id });
        calls.push((
            id.clone(),
            json!({ "id": id, "name": "Write", "arguments": write }),
        ));
    }
    calls
}

/// Numbers that look like chance and are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: Duration) -> Duration {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let part = (self.0 >> 40) as f64 / f64::from(1_u32 << 24);
        most.mul_f64(part)
    }
}

/// Runs one round, kills it after so long, and gives what it had printed.
fn round(folder: &Path, number: usize, after: Duration) -> (String, String) {
    let root = folder.join("root");
    let input = folder.join("calls.jsonl");
    let lines: Vec<String> = calls(number)
        .iter()
        .map(|(_, call)| call.to_string())
        .collect();
    fs::write(&input, lines.join("\n")).unwrap();
    let (out, err) = (folder.join("out"), folder.join("err"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args(["run", input.to_str().unwrap(), "--json", "--mode", "bypass"])
        .current_dir(&root)
        .env("HOME", folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .env("XDG_CONFIG_HOME", folder.join("config"))
        .stdin(Stdio::null())
        .stdout(fs::File::create(&out).unwrap())
        .stderr(fs::File::create(&err).unwrap())
        .spawn()
        .unwrap();
    // Not a wait for something: the moment is the point.
    std::thread::sleep(after);
    child.kill().unwrap();
    child.wait().unwrap();
    (
        fs::read_to_string(out).unwrap(),
        fs::read_to_string(err).unwrap(),
    )
}

#[test]
fn killed_at_any_moment_each_call_has_one_state_that_is_true_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    let file = folder.path().join("state/toolpost/journal.db");
    let mut chance = Chance(7);
    let mut printed: HashMap<String, String> = HashMap::new();
    let mut told = 0;
    for number in 0..ROUNDS {
        let (out, err) = round(folder.path(), number, chance.below(LONGEST));
        // The last line may be cut where it was killed.
        for line in out
            .split_inclusive('\n')
            .filter(|line| line.ends_with('\n'))
        {
            let outcome: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| outcome[key].as_str().unwrap().to_owned();
            printed.insert(text("id"), text("status"));
        }
        told += err
            .lines()
            .filter(|line| line.contains("nobody knows how far"))
            .map(|line| line.split(' ').nth(1).unwrap().parse::<usize>().unwrap())
            .sum::<usize>();
    }

    let journal = Journal::open(&file).unwrap();
    journal.tell_unknown(|calls| told += calls).unwrap();
    let mut kept = HashMap::new();
    for call in journal.calls(&Filter::default()).unwrap() {
        assert!(!call.is_open(), "{} is open", call.call);
        let has_begun = call.started.is_some();
        let before = kept.insert(call.call.clone(), (call.status, has_begun));
        assert!(before.is_none(), "{} has two states", call.call);
    }
    let appended = fs::read_to_string(root.join("appended")).unwrap_or_default();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for line in appended.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let mut tally: HashMap<String, usize> = HashMap::new();
    for (id, call) in (0..ROUNDS).flat_map(calls) {
        let is_append = call["name"] == "Bash";
        let count = if is_append {
            counts.get(id.as_str()).copied().unwrap_or_default()
        } else {
            usize::from(root.join(format!("written-{id}")).exists())
        };
        let state = kept.get(&id);
        let is_true = match state.map(|(status, has_begun)| (status.as_str(), *has_begun)) {
            Some(("done", true)) => count == 1,
            Some(("unknown", true)) => is_append && count <= 1,
            Some(("cancelled", true)) => !is_append && count <= 1,
            // It never began, or nothing was ever heard of it.
            Some(("cancelled", false)) | None => count == 0,
            _ => false,
        };
        assert!(
            is_true,
            "{id} is {state:?}, and its effect is there {count} times"
        );
        if let Some(status) = printed.get(&id) {
            let (kept, _) = state.unwrap();
            assert_eq!(kept, status, "{id} was printed otherwise than it is kept");
        }
        let word = state.map_or("none", |(status, _)| status.as_str());
        *tally.entry(word.to_owned()).or_default() += 1;
    }
    let of = |word: &str| tally.get(word).copied().unwrap_or_default();
    assert!(told >= of("unknown"), "told of {told}: {tally:?}");
    // Where the moments were all too early or too late, this has shown nothing.
    assert!(
        of("unknown") > 10 && of("done") > 100 && of("none") > 100,
        "{tally:?}"
    );
    println!("{tally:?}");
}
