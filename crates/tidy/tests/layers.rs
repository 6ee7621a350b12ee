//! Each crate may use only those above it in this list, dev-dependencies aside.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LAYERS: [&str; 13] = [
    "core",
    "macros",
    "policy",
    "wire",
    "run",
    "tools",
    "mcp",
    "test",
    "toolpost",
    "cli",
    // Tests of the whole; nobody uses them.
    "compile-fail",
    "tidy",
    "conformance",
];

/// All that the core may use: nothing that does I/O, has a clock or brings a runtime.
const CORE_USES: [&str; 8] = [
    "bumpalo",
    "jsonschema",
    "schemars",
    "serde",
    "serde_json",
    "strsim",
    "thiserror",
    "tokio-util",
];

fn manifest(folder: &Path) -> toml::Table {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    text.parse().unwrap()
}

fn dependencies(manifest: &toml::Table) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let targets = manifest.get("target").and_then(toml::Value::as_table);
    let tables = targets
        .into_iter()
        .flat_map(|targets| targets.values())
        .chain([]);
    let tables = tables.filter_map(toml::Value::as_table).chain([manifest]);
    for table in tables {
        for key in ["dependencies", "build-dependencies"] {
            let listed = table.get(key).and_then(toml::Value::as_table);
            names.extend(listed.into_iter().flat_map(|table| table.keys().cloned()));
        }
    }
    names
}

fn layer(name: &str) -> usize {
    let found = LAYERS.iter().position(|layer| *layer == name);
    found.unwrap_or_else(|| panic!("`{name}` has no place among the layers; give it one in LAYERS"))
}

#[test]
fn each_crate_uses_only_those_above_it() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut seen = 0;
    for entry in fs::read_dir(crates).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap();
        for dependency in dependencies(&manifest(&folder)) {
            let used = match dependency.as_str() {
                "toolpost" => "toolpost",
                other => match other.strip_prefix("toolpost-") {
                    Some(used) => used,
                    None => continue,
                },
            };
            assert!(
                layer(used) < layer(name),
                "`{name}` uses `{used}`, which is not above it"
            );
        }
        seen += 1;
    }
    assert!(seen >= 8, "only {seen} crates were looked at");
}

#[test]
fn the_core_uses_nothing_that_acts() {
    let core = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .join("core");
    let uses = dependencies(&manifest(&core));
    assert_eq!(
        uses,
        CORE_USES.map(str::to_owned).into(),
        "say why, then add it to CORE_USES"
    );
    let features = |name: &str| -> toml::Value {
        let root = manifest(core.parent().unwrap().parent().unwrap());
        root["workspace"]["dependencies"][name].clone()
    };
    assert_eq!(
        features("tokio-util").get("features"),
        None,
        "only the cancellation token"
    );
}
