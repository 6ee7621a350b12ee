//! The tree under the validator, held against `serde_json::Value` under the same validator.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]

mod contract_support;

use contract_support::{Dice, lines, mutate};
use jsonschema::json::{SerdeJson, conformance};
use serde::Deserialize;
use serde_json::Value;
use toolpost_core::{
    contract::{Formats, validator_options},
    json::{Limits, NodeDeserializer, Scratch, Tree, Untold, parse},
};

#[test]
fn the_tree_keeps_the_contract_of_the_validator() {
    let document = conformance::document().to_string();
    let mut scratch = Scratch::default();
    let tree = parse(
        &document,
        &scratch.bump,
        &mut scratch.stacks,
        &Limits::default(),
    )
    .expect("JSON");
    conformance::assert_conformance::<Tree>(&&tree);
}

#[test]
fn real_schemas_judge_the_tree_as_the_value() {
    let Some(lines) = lines("data/bfcl.jsonl") else {
        return;
    };
    let mut dice = Dice::new(11);
    let (mut compared, mut valid) = (0, 0);
    for tool in lines.iter().flat_map(|line| {
        line["tools"]
            .as_array()
            .expect("tools")
            .iter()
            .map(move |tool| (line, tool))
    }) {
        let (line, tool) = tool;
        let ours = validator_options::<Tree>(Formats::Assert)
            .build(&tool["input_schema"])
            .expect("compiles");
        let theirs = validator_options::<SerdeJson>(Formats::Assert)
            .build(&tool["input_schema"])
            .expect("compiles");
        let calls = line["calls"]
            .as_array()
            .into_iter()
            .chain(line["bad"].as_array())
            .flatten();
        for call in calls.filter(|call| call["name"] == tool["name"]) {
            let mut value = call["arguments"].clone();
            for _ in 0..4 {
                let text = value.to_string();
                let read: Value = serde_json::from_str(&text).expect("JSON");
                let mut scratch = Scratch::default();
                let tree = parse(
                    &text,
                    &scratch.bump,
                    &mut scratch.stacks,
                    &Limits::default(),
                )
                .expect("JSON");
                let judged = ours.is_valid(&tree);
                assert_eq!(judged, theirs.is_valid(&read), "{text}");
                let back =
                    Value::deserialize(NodeDeserializer::<Untold>::new(tree)).expect("any value");
                assert!(jsonschema::json::cmp::equal(&back, &read), "{text}");
                compared += 1;
                valid += usize::from(judged);
                value = mutate(&mut dice, &value);
            }
        }
    }
    assert!(
        compared > 40_000 && valid > 1_900,
        "{compared} compared, {valid} valid"
    );
}
