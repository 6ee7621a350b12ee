//! The official JSON Schema test suite, over our tree: the required tests of drafts 2020-12 and 7.
//!
//! Formats only describe in these tests, as the drafts have it. A test that fails is named in
//! [`WRONG`]; one that is named and passes fails too, so that the list stays true.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]
#![allow(clippy::disallowed_methods, reason = "a test reads its cases")]

mod contract_support;

use std::{
    collections::{BTreeSet, HashMap},
    error::Error,
    fs,
    path::Path,
};

use contract_support::{Dice, cases, mutate};
use jsonschema::{
    Draft, Retrieve, Uri,
    json::{Json, SerdeJson},
};
use serde_json::Value;
use toolpost_core::{
    contract::{Formats, validator_options},
    json::{Limits, Scratch, Tree, parse},
};

/// Tests that fail, with why.
const WRONG: [&str; 1] = [
    // A meta-schema of its own that leaves out the validation vocabulary: the draft is set here,
    // so all its vocabularies are in force. A contract refuses such a schema outright.
    "draft2020-12/vocabulary/schema that uses custom metaschema with with no validation vocabulary/no validation: invalid number, but it still validates",
];

/// Gives the remote schemas of the suite, and nothing else.
#[derive(Clone)]
struct Remotes(HashMap<String, Value>);

impl Remotes {
    fn load(folder: &Path) -> Self {
        let mut remotes = HashMap::new();
        Self::add(folder, "http://localhost:1234", &mut remotes);
        Self(remotes)
    }

    fn add(folder: &Path, uri: &str, remotes: &mut HashMap<String, Value>) {
        for entry in fs::read_dir(folder).expect("a folder of remotes") {
            let path = entry.expect("an entry").path();
            let uri = format!(
                "{uri}/{}",
                path.file_name().expect("a name").to_string_lossy()
            );
            if path.is_dir() {
                Self::add(&path, &uri, remotes);
            } else {
                let text = fs::read_to_string(&path).expect("a remote is text");
                remotes.insert(uri, serde_json::from_str(&text).expect("a remote is JSON"));
            }
        }
    }
}

impl Retrieve for Remotes {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn Error + Send + Sync>> {
        self.0
            .get(uri.as_str())
            .cloned()
            .ok_or_else(|| format!("{uri} is not in the suite").into())
    }
}

fn validator<F: Json>(schema: &Value, draft: Draft, remotes: &Remotes) -> jsonschema::Validator<F> {
    let options = validator_options::<F>(Formats::Annotate)
        .with_draft(draft)
        .with_retriever(remotes.clone());
    options
        .build(schema)
        .expect("the schema of a test compiles")
}

/// Calls `test` with the name, schema and tests of each group of a draft.
fn groups(draft: &str, mut test: impl FnMut(&str, &Value, &[Value], &Remotes)) {
    let Some(folder) = cases("data/json-schema-test-suite") else {
        return;
    };
    let remotes = Remotes::load(&folder.join("remotes"));
    let mut files: Vec<_> = fs::read_dir(folder.join("tests").join(draft))
        .expect("the tests of a draft")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    assert!(files.len() > 30, "{} files of {draft}", files.len());
    for file in files {
        let text = fs::read_to_string(&file).expect("a test is text");
        let parsed: Vec<Value> = serde_json::from_str(&text).expect("a test is JSON");
        for group in parsed {
            let stem = file.file_stem().expect("a name").to_string_lossy();
            let name = format!(
                "{draft}/{stem}/{}",
                group["description"].as_str().expect("a description")
            );
            test(
                &name,
                &group["schema"],
                group["tests"].as_array().expect("tests"),
                &remotes,
            );
        }
    }
}

fn run(draft: &str, known: Draft) {
    let (mut ran, mut wrong) = (0, BTreeSet::new());
    groups(draft, |name, schema, tests, remotes| {
        let validator = validator::<Tree>(schema, known, remotes);
        for test in tests {
            ran += 1;
            let text = test["data"].to_string();
            let mut scratch = Scratch::default();
            let tree = parse(
                &text,
                &scratch.bump,
                &mut scratch.stacks,
                &Limits::default(),
            );
            let valid = validator.is_valid(&tree.expect("the data of a test is read"));
            if Some(valid) != test["valid"].as_bool() {
                wrong.insert(format!(
                    "{name}/{}",
                    test["description"].as_str().expect("a description")
                ));
            }
        }
    });
    let expected: BTreeSet<String> = WRONG
        .iter()
        .filter(|name| name.starts_with(draft))
        .map(|name| (*name).to_owned())
        .collect();
    if ran > 0 {
        assert!(ran > 700, "{ran} tests of {draft} ran");
        assert_eq!(wrong, expected);
    }
}

#[test]
fn required_tests_of_draft_2020_12() {
    run("draft2020-12", Draft::Draft202012);
}

#[test]
fn required_tests_of_draft_7() {
    run("draft7", Draft::Draft7);
}

/// The validator over our tree says what it says over `serde_json::Value`, with the same errors.
#[test]
fn the_tree_is_judged_as_the_value_is() {
    let mut dice = Dice::new(7);
    groups("draft2020-12", |name, schema, tests, remotes| {
        let ours = validator::<Tree>(schema, Draft::Draft202012, remotes);
        let theirs = validator::<SerdeJson>(schema, Draft::Draft202012, remotes);
        let data = tests.iter().map(|test| test["data"].clone());
        let mutated: Vec<Value> = data
            .flat_map(|data| {
                [data.clone()]
                    .into_iter()
                    .chain((0..8).map(|_| mutate(&mut dice, &data)).collect::<Vec<_>>())
            })
            .collect();
        for value in mutated {
            // As text and back, so that both see what a text can say.
            let text = value.to_string();
            let value: Value = serde_json::from_str(&text).expect("JSON");
            let mut scratch = Scratch::default();
            let tree = parse(
                &text,
                &scratch.bump,
                &mut scratch.stacks,
                &Limits::default(),
            )
            .expect("JSON");
            assert_eq!(
                ours.is_valid(&tree),
                theirs.is_valid(&value),
                "{name}: {text}"
            );
            let ours = ours
                .iter_errors(&tree)
                .map(|error| format!("{} {error}", error.instance_path()));
            let theirs = theirs
                .iter_errors(&value)
                .map(|error| format!("{} {error}", error.instance_path()));
            assert_eq!(
                ours.collect::<BTreeSet<_>>(),
                theirs.collect::<BTreeSet<_>>(),
                "{name}: {text}"
            );
        }
    });
}
