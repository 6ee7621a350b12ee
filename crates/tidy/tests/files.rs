//! Files stay small enough to be read.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::fs;
use std::path::{Path, PathBuf};

const LONGEST: usize = 500;

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            // Tests and benchmarks may be long; what they hold to is not their length.
            if !["tests", "benches", "target"].contains(&name) {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

#[test]
fn no_source_is_longer_than_500_lines() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut found = Vec::new();
    sources(crates, &mut found);
    assert!(
        found.len() > 50,
        "only {} files were looked at",
        found.len()
    );
    for path in found {
        let lines = fs::read_to_string(&path).unwrap().lines().count();
        assert!(
            lines <= LONGEST,
            "{} has {lines} lines; split it",
            path.display()
        );
    }
}
