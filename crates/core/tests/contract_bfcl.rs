//! Real function schemas as dynamic tools: their good calls pass, their bad ones do not.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]

mod contract_support;

use std::collections::BTreeMap;

use contract_support::lines;
use serde_json::Value;
use toolpost_core::contract::{Contract, ReadOptions, Refusal};

fn contracts(line: &Value) -> BTreeMap<&str, Contract<Value>> {
    let tools = line["tools"].as_array().expect("tools");
    let named = tools.iter().map(|tool| {
        let contract = Contract::from_schema(tool["input_schema"].clone());
        (
            tool["name"].as_str().expect("a name"),
            contract.expect("the schema compiles"),
        )
    });
    named.collect()
}

fn calls<'a>(line: &'a Value, kind: &str) -> impl Iterator<Item = (&'a str, String, &'a Value)> {
    let calls = line[kind].as_array().map(Vec::as_slice).unwrap_or_default();
    calls.iter().map(|call| {
        (
            call["name"].as_str().expect("a name"),
            call["arguments"].to_string(),
            call,
        )
    })
}

#[test]
fn good_calls_pass_and_bad_calls_do_not() {
    let Some(lines) = lines("data/bfcl.jsonl") else {
        return;
    };
    let (repairing, plain) = (
        ReadOptions::default(),
        ReadOptions {
            repair: false,
            ..ReadOptions::default()
        },
    );
    let (mut good, mut bad, mut repaired) = (0, 0, 0);
    let mut wrong: Vec<String> = Vec::new();
    for line in &lines {
        let contracts = contracts(line);
        for (name, text, call) in calls(line, "calls") {
            good += 1;
            for options in [&repairing, &plain] {
                match contracts[name].read(&text, options) {
                    Ok(reading) => {
                        assert_eq!(
                            numbers_plain(&reading.input),
                            numbers_plain(&call["arguments"])
                        );
                        assert!(
                            reading.repairs.is_empty() && reading.text.is_none(),
                            "{text}"
                        );
                    }
                    Err(refusal) => {
                        wrong.push(format!("good {} {name} {text}: {refusal}", line["id"]))
                    }
                }
            }
        }
        for (name, text, call) in calls(line, "bad") {
            bad += 1;
            match contracts[name].read(&text, &plain) {
                Ok(_) => wrong.push(format!(
                    "bad passed {} {name} {text}: {}",
                    line["id"], call["why"]
                )),
                Err(Refusal::InvalidInput(problems)) => {
                    let field = field(call["why"].as_str().expect("why"));
                    if !problems
                        .iter()
                        .any(|problem| names(&problem.pointer, &problem.message, &field))
                    {
                        wrong.push(format!("bad {text}: {} not in {problems:?}", call["why"]));
                    }
                }
                Err(other) => wrong.push(format!("bad {text}: {other}")),
            }
            // Repair may save some; what it lets pass it has to list.
            if let Ok(reading) = contracts[name].read(&text, &repairing) {
                assert!(!reading.repairs.is_empty(), "{text}");
                repaired += 1;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong, such as\n{}",
        wrong.len(),
        wrong[..wrong.len().min(10)].join("\n")
    );
    assert_eq!((good, bad), (1907, 9075));
    assert!(repaired < bad);
}

/// The field that a bad call is bad in.
fn field(why: &str) -> String {
    let name = why.strip_prefix("missing ").unwrap_or(why);
    let name = name.strip_suffix(" wrong type").unwrap_or(name);
    let name = name.strip_suffix(" outside enum").unwrap_or(name);
    if name == "unknown field" {
        "no_such_field".to_owned()
    } else {
        name.to_owned()
    }
}

fn names(pointer: &str, message: &str, field: &str) -> bool {
    pointer.contains(field) || message.contains(field)
}

/// With each integral float as an integer.
fn numbers_plain(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|float| float.fract() == 0.0) => {
            Value::from(number.as_f64().expect("a float").to_string())
        }
        Value::Array(items) => items.iter().map(numbers_plain).collect(),
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| (name.clone(), numbers_plain(value)))
                .collect(),
        ),
        other => other.clone(),
    }
}
