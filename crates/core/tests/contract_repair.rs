//! What is repaired, what is listed of it, and what is left alone.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]
#![allow(dead_code, reason = "fields are there to be read into")]

use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost_core::contract::{Contract, ReadOptions};

#[derive(Debug, Deserialize, JsonSchema)]
struct Read {
    file_path: String,
    offset: Option<u32>,
    limit: Option<u32>,
    #[serde(default)]
    ratio: f64,
    #[serde(default)]
    raw: bool,
    #[serde(default)]
    ranges: Vec<u32>,
    #[serde(default)]
    names: Vec<String>,
    #[serde(default)]
    area: Area,
    edits: Option<Vec<Edit>>,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    any: Value,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
struct Area {
    #[serde(default)]
    x: i32,
    inner: Option<Box<Area>>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Edit {
    Insert { line: u32 },
    Delete { from: u32 },
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Text,
    Bytes,
}

/// The repairs as they are written into an outcome, or the refusal.
fn repairs(text: &str) -> String {
    let contract = Contract::<Read>::of_type().expect("a contract");
    match contract.read(text, &ReadOptions::default()) {
        Ok(reading) => {
            let again = reading.text.as_deref().unwrap_or(text);
            let plain = ReadOptions {
                repair: false,
                ..ReadOptions::default()
            };
            assert!(
                contract.read(again, &plain).is_ok(),
                "what was read passes without repair: {again}"
            );
            assert_eq!(reading.text.is_some(), !reading.repairs.is_empty());
            serde_json::to_string(&reading.repairs).expect("JSON")
        }
        Err(refusal) => refusal.to_string(),
    }
}

#[test]
fn numbers_and_booleans_in_strings() {
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":"2","limit":3.0}"#), @r#"[{"pointer":"/offset","from":"\"2\"","to":2},{"pointer":"/limit","from":"3.0","to":3}]"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":" 2 ","ratio":"-1.5e3","raw":"True"}"#), @r#"[{"pointer":"/offset","from":"\" 2 \"","to":2},{"pointer":"/ratio","from":"\"-1.5e3\"","to":-1500.0},{"pointer":"/raw","from":"\"True\"","to":true}]"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","ranges":["1",2,"3"]}"#), @r#"[{"pointer":"/ranges/0","from":"\"1\"","to":1},{"pointer":"/ranges/2","from":"\"3\"","to":3}]"#);
}

#[test]
fn a_number_that_does_not_fit_is_not_repaired() {
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":"2.5"}"#), @r#"invalid arguments: `/offset` is a string (`"2.5"`); give an integer from 0 to 4294967295 or null"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":"-1"}"#), @r#"invalid arguments: `/offset` is a string (`"-1"`); give an integer from 0 to 4294967295 or null"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":"two"}"#), @r#"invalid arguments: `/offset` is a string (`"two"`); give an integer from 0 to 4294967295 or null"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":""}"#), @r#"invalid arguments: `/offset` is a string (`""`); give an integer from 0 to 4294967295 or null"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","raw":1}"#), @"invalid arguments: `/raw` is an integer (`1`); give a boolean (`true` or `false`)");
}

#[test]
fn a_field_that_takes_strings_is_left_alone() {
    assert_snapshot!(repairs(r#"{"file_path":"5","names":["1","true","[]","{}"]}"#), @"[]");
    assert_snapshot!(repairs(r#"{"file_path":5}"#), @"invalid arguments: `/file_path` is an integer (`5`); give a string");
    assert_snapshot!(repairs(r#"{"file_path":"a","any":"5"}"#), @"[]");
    assert_snapshot!(repairs(r#"{"file_path":"a","mode":"1"}"#), @r#"invalid arguments: `/mode` is a string (`"1"`); give `"text"` or `"bytes"`"#);
}

#[test]
fn arrays_and_objects_in_strings() {
    assert_snapshot!(repairs(r#"{"file_path":"a","ranges":"[1, 2]","names":"[\"x\"]"}"#), @r#"[{"pointer":"/ranges","from":"\"[1, 2]\"","to":[1,2]},{"pointer":"/names","from":"\"[\\\"x\\\"]\"","to":["x"]}]"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","area":"{\"x\":\"1\",\"inner\":\"{\\\"x\\\":2}\"}"}"#), @r#"[{"pointer":"/area","from":"\"{\\\"x\\\":\\\"1\\\",\\\"inner\\\":\\\"{\\\\\\\"x\\\\\\\":2}\\\"}\"","to":{"x":"1","inner":"{\"x\":2}"}},{"pointer":"/area/x","from":"\"1\"","to":1},{"pointer":"/area/inner","from":"\"{\\\"x\\\":2}\"","to":{"x":2}}]"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","edits":["{\"kind\":\"insert\",\"line\":\"4\"}"]}"#), @r#"[{"pointer":"/edits/0","from":"\"{\\\"kind\\\":\\\"insert\\\",\\\"line\\\":\\\"4\\\"}\"","to":{"kind":"insert","line":"4"}},{"pointer":"/edits/0/line","from":"\"4\"","to":4}]"#);
    // Inside a string the parser is as strict as outside.
    assert_snapshot!(repairs(r#"{"file_path":"a","area":"{\"x\":1,\"x\":2}"}"#), @r#"invalid arguments: `/area` is a string (`"{\"x\":1,\"x\":2}"`); give an object"#);
}

#[test]
fn one_item_where_a_list_is_wanted() {
    assert_snapshot!(repairs(r#"{"file_path":"a","names":"x","ranges":5,"edits":{"kind":"delete","from":1}}"#), @r#"[{"pointer":"/names","from":"\"x\"","to":["x"]},{"pointer":"/ranges","from":"5","to":[5]},{"pointer":"/edits","from":"{\"kind\":\"delete\",\"from\":1}","to":[{"kind":"delete","from":1}]}]"#);
    assert_snapshot!(repairs(r#"{"file_path":"a","ranges":"5"}"#), @r#"[{"pointer":"/ranges","from":"\"5\"","to":["5"]},{"pointer":"/ranges/0","from":"\"5\"","to":5}]"#);
    // What does not fit the list is shown as it came.
    assert_snapshot!(repairs(r#"{"file_path":"a","names":7}"#), @"invalid arguments: `/names` is an integer (`7`); give an array (each item a string)");
    assert_snapshot!(repairs(r#"{"file_path":"a","names":""}"#), @r#"invalid arguments: `/names` is a string (`""`); give an array (each item a string)"#);
}

#[test]
fn null_for_a_field_that_may_be_left_out() {
    assert_snapshot!(repairs(r#"{"file_path":"a","raw":null,"names":null,"mode":null,"area":null}"#), @r#"[{"pointer":"/raw","from":"null"},{"pointer":"/names","from":"null"},{"pointer":"/mode","from":"null"},{"pointer":"/area","from":"null"}]"#);
    assert_snapshot!(repairs(r#"{"file_path":null}"#), @"invalid arguments: `/file_path` is null; give a string");
    assert_snapshot!(repairs(r#"{"file_path":"a","offset":null}"#), @"[]");
    assert_snapshot!(repairs(r#"{"file_path":"a","ranges":[null]}"#), @"invalid arguments: `/ranges/0` is null; give an integer from 0 to 4294967295");
}

#[test]
fn the_arguments_as_a_string() {
    assert_snapshot!(repairs(r#""{\"file_path\":\"a\",\"limit\":\"1\"}""#), @r#"[{"pointer":"","from":"\"{\\\"file_path\\\":\\\"a\\\",\\\"limit\\\":\\\"1\\\"}\"","to":{"file_path":"a","limit":"1"}},{"pointer":"/limit","from":"\"1\"","to":1}]"#);
    assert_snapshot!(repairs(r#""\"{}\"""#), @r#"invalid arguments: the arguments must be an object such as {"file_path": …}, not a string"#);
    assert_snapshot!(repairs(r#"[{"file_path":"a"}]"#), @r#"invalid arguments: the arguments must be an object such as {"file_path": …}, not an array"#);
}

#[test]
fn what_is_left_is_told_of_the_repaired_input() {
    assert_snapshot!(repairs(r#"{"file_path":"a","area":"{\"y\":\"1\"}","offset":"3","limit":"x"}"#), @r#"
    invalid arguments:
    - unknown field `y` in `/area`; the fields are `x` and `inner`
    - `/limit` is a string (`"x"`); give an integer from 0 to 4294967295 or null
    "#);
}

#[test]
fn repair_is_bounded() {
    let wrapped = (0..12).fold("1".to_owned(), |inner, _| {
        json!({ "x": 1, "inner": inner }).to_string()
    });
    let text = json!({"file_path": "a", "area": wrapped}).to_string();
    assert!(repairs(&text).starts_with("invalid arguments"));
    let many: Vec<String> = (0..5000).map(|number| number.to_string()).collect();
    let text = json!({"file_path": "a", "ranges": many}).to_string();
    assert!(repairs(&text).starts_with("invalid arguments"));
    let deep = format!("{}{}", "[".repeat(95), "]".repeat(95));
    let text = json!({"file_path": "a", "any": 1, "names": deep}).to_string();
    assert!(repairs(&text).starts_with("invalid arguments"));
}

#[test]
fn a_long_value_is_cut_short_in_the_list() {
    let text =
        json!({"file_path": "a", "ranges": format!("[{}]", vec!["1"; 1000].join(","))}).to_string();
    let contract = Contract::<Read>::of_type().expect("a contract");
    let reading = contract
        .read(&text, &ReadOptions::default())
        .expect("repaired");
    assert!(
        reading.repairs[0].from.chars().count() <= 64,
        "{}",
        reading.repairs[0].from
    );
    assert_eq!(reading.input.ranges.len(), 1000);
}

#[test]
fn nothing_is_repaired_when_repair_is_off() {
    let contract = Contract::<Read>::of_type().expect("a contract");
    let plain = ReadOptions {
        repair: false,
        ..ReadOptions::default()
    };
    for text in [
        r#"{"file_path":"a","offset":"2"}"#,
        r#""{\"file_path\":\"a\"}""#,
        r#"{"file_path":"a","raw":null}"#,
    ] {
        assert!(contract.read(text, &plain).is_err(), "{text}");
    }
    let nothing = Contract::from_schema(json!({"type": "object"})).expect("a contract");
    let reading = nothing.read("", &plain).expect("an empty object");
    assert_eq!(
        (reading.text.as_deref(), reading.repairs.len()),
        (Some("{}"), 0)
    );
}

#[test]
fn schemas_that_came_as_data_are_repaired_too() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {
            "level": {"enum": [1, 2]},
            "id": {"type": ["integer", "string"]},
            "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]}
        }
    }));
    let contract = contract.expect("a contract");
    let reading = contract.read(
        r#"{"level":"1","id":"7","either":"true"}"#,
        &ReadOptions::default(),
    );
    assert_snapshot!(reading.expect("repaired").text.unwrap_or_default(), @r#"{"level":1,"id":"7","either":true}"#);
}
