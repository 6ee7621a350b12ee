use std::path::Path;

use super::{FILES, entries, read};
use crate::shell::{NoShellFacts, analyse};

#[test]
fn every_file_is_valid() {
    for (name, text) in FILES {
        if let Err(error) = read(text) {
            panic!("data/{name}.toml: {error}");
        }
    }
}

#[test]
fn every_example_is_as_it_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let mut check = |name: &str, entry: &super::Entry| {
        assert!(
            entry.same_as.is_some()
                || !entry.read_only.is_empty()
                || !entry.not_read_only.is_empty(),
            "`{name}` has no example"
        );
        let examples = entry
            .read_only
            .iter()
            .map(|e| (e, true))
            .chain(entry.not_read_only.iter().map(|e| (e, false)));
        for (example, expected) in examples {
            count += 1;
            let analysis = analyse(example, Path::new("/proj"), &NoShellFacts);
            if analysis.is_read_only() != expected {
                wrong.push(format!("{name}: `{example}`: {:?}", analysis.obstacle()));
            }
        }
    };
    for (name, entry) in entries() {
        check(name, entry);
        for (sub, entry) in &entry.sub {
            check(&format!("{name} {sub}"), entry);
        }
    }
    assert!(wrong.is_empty(), "of {count}:\n{}", wrong.join("\n"));
}

#[test]
fn what_an_entry_shares_exists() {
    for (name, entry) in entries() {
        if let Some(other) = &entry.same_as {
            assert!(entries().contains_key(other), "`{name}` shares `{other}`");
        }
    }
}
