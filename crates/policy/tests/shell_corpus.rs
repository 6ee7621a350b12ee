//! The corpus of commands, held against the classifier.
//!
//! `TOOLPOST_CASES` names the folder with `cases/bash-readonly-cases.jsonl`.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail"
)]

use std::path::Path;

use serde_json::Value;
use toolpost_policy::shell::{Analysis, NoShellFacts, analyse};

mod shell_support;

use shell_support::corpus;

/// Commands of the corpus that are called other than read-only though they are, with the reason.
const NOT_CALLED_READ_ONLY: [&str; 0] = [];

fn look(command: &str) -> Analysis {
    analyse(command, Path::new("/proj"), &NoShellFacts)
}

#[test]
fn no_command_that_changes_something_is_called_read_only() {
    let wrong: Vec<String> = corpus()
        .iter()
        .filter(|row| row["read_only"] == Value::Bool(false))
        .filter_map(|row| row["command"].as_str())
        .filter(|command| look(command).is_read_only())
        .map(str::to_owned)
        .collect();
    assert!(wrong.is_empty(), "called read-only:\n{}", wrong.join("\n"));
}

#[test]
fn every_command_that_only_looks_is_called_read_only() {
    let wrong: Vec<String> = corpus()
        .iter()
        .filter(|row| row["read_only"] == Value::Bool(true) && row.get("conditional").is_none())
        .filter_map(|row| row["command"].as_str())
        .filter(|command| !NOT_CALLED_READ_ONLY.contains(command))
        .filter_map(|command| {
            let analysis = look(command);
            let obstacle = analysis.obstacle()?;
            Some(format!("{command}: {obstacle}"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "not called read-only:\n{}",
        wrong.join("\n")
    );
}

/// What the corpus says a command writes inside its folder, the analysis finds or calls unknown.
#[test]
fn writes_of_the_corpus_are_found() {
    let mut missed = Vec::new();
    for row in corpus() {
        let command = row["command"].as_str().unwrap_or("");
        let analysis = look(command);
        for written in row["writes"].as_array().into_iter().flatten() {
            let path = Path::new("/proj").join(written.as_str().unwrap_or(""));
            let is_found = analysis.writes().any(|found| {
                found
                    .path
                    .as_ref()
                    .is_none_or(|found| path.starts_with(found) || found == &path)
            });
            let is_unknown = !analysis.undecidable.is_empty()
                || analysis
                    .commands
                    .iter()
                    .any(|c| !c.is_known || !c.read_only);
            if !is_found && !is_unknown {
                missed.push(format!("{command}: {}", path.display()));
            }
        }
    }
    assert!(missed.is_empty(), "missed:\n{}", missed.join("\n"));
}
