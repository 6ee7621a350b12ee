//! What the tests of the shell analysis share.

#![allow(dead_code, reason = "each test binary uses a part of it")]

use std::path::PathBuf;

use serde_json::Value;

/// The rows of the corpus; none where `TOOLPOST_CASES` is not set.
pub(crate) fn corpus() -> Vec<Value> {
    let Some(folder) = std::env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES is not set");
        return Vec::new();
    };
    let file = PathBuf::from(folder).join("bash-readonly-cases.jsonl");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a row of JSON"))
        .collect()
}

/// The commands of the corpus.
pub(crate) fn commands() -> Vec<String> {
    corpus()
        .iter()
        .filter_map(|row| row["command"].as_str().map(str::to_owned))
        .collect()
}
