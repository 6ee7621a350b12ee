//! The batch of 12 reads and 8 writes through the command, process starts included.
//!
//! Each call is a shell that takes 50 ms; a write is read-modify-write on a version number in a
//! file. The best that order allows is 250 ms.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark stops when it is wrong"
)]

use std::fs;
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

const ORDER: &str = "rwrwrrwrwrrwrwrrwrwr";
const BEST_MS: f64 = 250.0;

const TOOLS: &str = r#"
[[tool]]
name = "get"
description = "Read a version."
input_schema = { type = "object", properties = { file = { type = "string" } }, required = ["file"], additionalProperties = false }
command = ["sh", "-c", "IFS='\"' read -r a b c file d; read -r seen < $file; sleep 0.05; echo $seen"]
effects = { read_only = true }
reads = ["fs/{file}"]

[[tool]]
name = "put"
description = "Write the next version."
input_schema = { type = "object", properties = { file = { type = "string" } }, required = ["file"], additionalProperties = false }
command = ["sh", "-c", "IFS='\"' read -r a b c file d; read -r seen < $file; sleep 0.05; echo $((seen + 1)) > $file; echo $seen"]
writes = ["fs/{file}"]
"#;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tools.toml"), TOOLS).unwrap();
    let (mut reads, mut writes) = (0, 0);
    let mut calls = String::new();
    let mut expected = Vec::new();
    let mut versions = [0_u64; 4];
    for (n, kind) in ORDER.chars().enumerate() {
        let count = if kind == 'w' { &mut writes } else { &mut reads };
        let file = *count % 4;
        *count += 1;
        expected.push(versions[file].to_string());
        versions[file] += u64::from(kind == 'w');
        let name = if kind == 'w' { "put" } else { "get" };
        calls += &json!({ "id": n.to_string(), "name": name, "arguments": { "file": format!("f{file}") } }).to_string();
        calls += "\n";
    }
    fs::write(folder.path().join("calls.jsonl"), calls).unwrap();
    let mut times = Vec::new();
    for _ in 0..7 {
        for file in 0..4 {
            fs::write(folder.path().join(format!("f{file}")), "0\n").unwrap();
        }
        let start = Instant::now();
        let output = Command::new(env!("CARGO_BIN_EXE_toolpost"))
            .args([
                "run",
                "calls.jsonl",
                "--json",
                "--tool-file",
                "tools.toml",
                "--mode",
                "bypass",
            ])
            .args(["--max-parallel", "20"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        times.push(start.elapsed().as_secs_f64() * 1_000.0);
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stdout)
        );
        let text = String::from_utf8(output.stdout).unwrap();
        let seen: Vec<String> = text
            .lines()
            .map(|line| {
                let outcome: Value = serde_json::from_str(line).unwrap();
                outcome["content"][0]["text"]
                    .as_str()
                    .unwrap()
                    .trim()
                    .to_owned()
            })
            .collect();
        assert_eq!(
            seen, expected,
            "a call saw another version than order implies"
        );
        for (file, version) in versions.iter().enumerate() {
            let kept = fs::read_to_string(folder.path().join(format!("f{file}"))).unwrap();
            assert_eq!(kept.trim(), version.to_string(), "a write was lost");
        }
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!(
        "20 calls through the command: {median:.0} ms (median of {}), {:.2} x the best of {BEST_MS:.0} ms; no write lost, none wrong",
        times.len(),
        median / BEST_MS
    );
}
