//! Every dependency comes from the registry or from here, under a licence that goes with ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::process::Command;

use serde_json::Value;

/// Licences that ask for no more than their text to be kept.
const FINE: [&str; 12] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "BSL-1.0",
    "0BSD",
    "Unlicense",
    "Unicode-3.0",
];

/// The platform that this runs on: its packages are here already.
fn platform() -> String {
    let output = Command::new("rustc").arg("-vV").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap()
        .to_owned()
}

fn packages() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", &platform()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Whether an SPDX expression can be met with fine licences alone.
fn is_fine(expression: &str) -> bool {
    let plain = expression.replace(['(', ')'], " ").replace('/', " OR ");
    // `AND` binds tighter than `OR`; with brackets gone this can only be too strict.
    let all = |part: &str| part.split(" AND ").all(|name| FINE.contains(&name.trim()));
    plain.split(" OR ").any(all) || {
        let by_and = plain.split(" AND ");
        by_and
            .into_iter()
            .all(|part| part.split(" OR ").any(|name| FINE.contains(&name.trim())))
    }
}

#[test]
fn every_licence_is_fine() {
    for package in packages() {
        let (name, licence) = (
            &package["name"],
            package["license"].as_str().unwrap_or("none"),
        );
        assert!(
            is_fine(licence),
            "{name} is under `{licence}`; do without it, or say why it may stay"
        );
    }
}

#[test]
fn every_source_is_the_registry_or_here() {
    let packages = packages();
    assert!(
        packages.len() > 50,
        "only {} packages were looked at",
        packages.len()
    );
    for package in packages {
        let source = package["source"].as_str().unwrap_or("here");
        assert!(
            source == "here" || source.starts_with("registry+"),
            "{} is from {source}",
            package["name"]
        );
    }
}

#[test]
fn the_check_can_fail() {
    for bad in ["GPL-3.0-or-later", "MIT AND GPL-3.0", "none", "MPL-2.0"] {
        assert!(!is_fine(bad), "{bad}");
    }
    for fine in [
        "MIT",
        "MIT OR Apache-2.0",
        "MIT/Apache-2.0",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ] {
        assert!(is_fine(fine), "{fine}");
    }
}
