//! A contract under inputs and schemas that are out to break it.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]
#![allow(dead_code, reason = "fields are there to be read into")]

use std::thread;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, json};
use toolpost_core::contract::{Contract, Limits, OutputContract, ReadOptions, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    #[serde(default)]
    children: Vec<Tree>,
}

fn nested(depth: usize) -> String {
    format!("{}{}", "{\"children\":[".repeat(depth), "]}".repeat(depth))
}

#[test]
fn a_contract_is_shared_between_threads() {
    fn shared<T: Send + Sync + 'static>(_: &T) {}
    let contract = Contract::<Tree>::of_type().expect("a contract");
    shared(&contract);
    shared(&OutputContract::of_type::<Tree>());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..200 {
                    assert!(contract.read(&nested(3), &ReadOptions::default()).is_ok());
                    assert!(
                        contract
                            .read("{\"children\":[1]}", &ReadOptions::default())
                            .is_err()
                    );
                }
            });
        }
    });
}

#[test]
fn the_deepest_input_that_is_taken_overflows_no_stack() {
    let contract = Contract::<Tree>::of_type().expect("a contract");
    let limits = Limits {
        depth: usize::MAX,
        ..Limits::default()
    };
    let options = ReadOptions {
        limits,
        ..ReadOptions::default()
    };
    assert!(
        contract
            .read(&nested(Limits::MAX_DEPTH / 2), &options)
            .is_ok()
    );
    assert!(matches!(
        contract.read(&nested(Limits::MAX_DEPTH), &options),
        Err(Refusal::InvalidJson(_))
    ));
    // And the deepest that is refused by the schema, with all its errors.
    let wrong = nested(Limits::MAX_DEPTH / 2)
        .replacen("[]", "[1]", 1)
        .replace("{\"children\":[]}", "7");
    assert!(contract.read(&wrong, &options).is_err());
}

#[test]
fn a_huge_input_that_is_wrong_throughout_is_refused_in_short() {
    let contract = Contract::<Tree>::of_type().expect("a contract");
    let items = vec!["1"; 600_000].join(",");
    let refusal = contract.read(
        &format!("{{\"children\":[{items}]}}"),
        &ReadOptions::default(),
    );
    let text = refusal.expect_err("wrong").to_string();
    assert!(text.len() < 200, "{text}");
}

#[test]
fn a_schema_that_refers_to_itself_ends() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}], "$defs": {"a": {"$ref": "#/$defs/a"}}}),
        json!({"properties": {"a": {"$ref": "#"}}, "required": ["a"]}),
        json!({"oneOf": [{"properties": {"a": {"$ref": "#"}}, "required": ["a"]}, {"properties": {"b": {"$ref": "#"}}, "required": ["b"]}]}),
    ] {
        if let Ok(contract) = Contract::from_schema(schema) {
            for text in [
                "{}",
                r#"{"a":{"a":{"b":1}}}"#,
                r#"{"a":null}"#,
                r#"{"b":"[]"}"#,
            ] {
                drop(contract.read(text, &ReadOptions::default()));
            }
        }
    }
}

#[test]
fn a_pattern_that_backtracks_without_end_is_cut_short() {
    let contract =
        Contract::from_schema(json!({"properties": {"s": {"pattern": r"^(?=(a+)+$)(a|aa)+\1$"}}}));
    let contract = contract.expect("a contract");
    let text = json!({"s": format!("{}b", "a".repeat(60))}).to_string();
    assert!(contract.read(&text, &ReadOptions::default()).is_err());
}

/// Reads another call while it is read.
#[derive(Debug, JsonSchema)]
struct Nested {
    inner: String,
}

impl<'de> Deserialize<'de> for Nested {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Plain {
            inner: String,
        }
        let Plain { inner } = Plain::deserialize(deserializer)?;
        if inner.is_empty() {
            return Ok(Self { inner });
        }
        let contract = Contract::<Self>::of_type().map_err(D::Error::custom)?;
        contract
            .read(&inner, &ReadOptions::default())
            .map(|reading| reading.input)
            .map_err(D::Error::custom)
    }
}

#[test]
fn a_read_inside_a_read_has_its_own_tree() {
    let contract = Contract::<Nested>::of_type().expect("a contract");
    let text = json!({"inner": json!({"inner": json!({"inner": ""}).to_string()}).to_string()})
        .to_string();
    let reading = contract.read(&text, &ReadOptions::default()).expect("read");
    assert_eq!(reading.input.inner, "");
}

#[test]
fn a_type_with_a_protocol_of_its_own_is_read_by_way_of_a_value() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Odd {
        /// Asks for a map where the schema says a string, unless a value is read.
        #[serde(deserialize_with = "by_value")]
        text: String,
        number: u32,
    }
    fn by_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
        if std::any::type_name::<D>().contains("toolpost") {
            return Err(D::Error::custom("only from a value"));
        }
        String::deserialize(deserializer)
    }
    let contract = Contract::<Odd>::of_type().expect("a contract");
    let reading = contract
        .read(r#"{"text":"x","number":3.0}"#, &ReadOptions::default())
        .expect("read");
    assert_eq!(
        (reading.input.text.as_str(), reading.input.number),
        ("x", 3)
    );
}

#[test]
fn a_schema_of_an_older_draft_is_held_as_its_draft_says() {
    let schema = json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "properties": {"pair": {"type": "array", "items": [{"type": "integer"}, {"type": "string"}], "additionalItems": false}},
        "definitions": {}
    });
    let contract = Contract::from_schema(schema.clone()).expect("a contract");
    assert_eq!(**contract.schema(), schema);
    assert!(
        contract
            .read(r#"{"pair":[1,"a"]}"#, &ReadOptions::default())
            .is_ok()
    );
    assert!(
        contract
            .read(r#"{"pair":[1,"a",2]}"#, &ReadOptions::default())
            .is_err()
    );
    assert!(
        contract
            .read(r#"{"pair":["1","a"]}"#, &ReadOptions::default())
            .is_ok_and(|reading| reading.input == json!({"pair": [1, "a"]}))
    );
}

#[test]
fn an_open_schema_that_came_as_data_stays_open() {
    let contract =
        Contract::from_schema(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    let reading = contract
        .expect("a contract")
        .read(r#"{"a":"x","b":[1.0]}"#, &ReadOptions::default());
    assert_eq!(
        reading.expect("read").input,
        Value::from_iter([("a", json!("x")), ("b", json!([1]))])
    );
}
