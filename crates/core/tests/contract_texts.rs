//! The texts that a model reads when its call is refused.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]
#![allow(dead_code, reason = "fields are there to be read into")]

use std::collections::{BTreeMap, BTreeSet};

use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost_core::contract::{Contract, OutputContract, ReadOptions};

#[derive(Debug, Deserialize, JsonSchema)]
struct Search {
    /// Regular expression to look for. Rust syntax.
    #[schemars(length(min = 1))]
    pattern: String,
    /// Folder to search in.
    path: Option<String>,
    /// What to give back.
    #[serde(default)]
    output_mode: Mode,
    #[schemars(range(min = 1, max = 1000))]
    head_limit: Option<u32>,
    #[serde(default)]
    globs: Vec<String>,
    #[serde(default)]
    edits: Vec<Edit>,
    #[serde(default)]
    tags: BTreeMap<String, u8>,
    #[serde(default)]
    names: BTreeSet<String>,
    #[schemars(email)]
    mail: Option<String>,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    word: Option<String>,
    target: Option<Target>,
    shape: Option<Shape>,
    pair: Option<(u8, u8)>,
    ignore_case: Option<bool>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// Matching lines.
    #[default]
    Content,
    /// Paths of files.
    FilesWithMatches,
    /// Numbers of matches.
    Count,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Edit {
    Insert { line: u32, text: String },
    Delete { from: u32, to: u32 },
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Target {
    One { path: String },
    Many { paths: Vec<String>, recursive: bool },
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Shape {
    Point,
    Circle(f64),
    Box { width: u32, height: u32 },
}

/// What is said to a model that sent `text`, without repair.
fn said<I: serde::de::DeserializeOwned>(contract: &Contract<I>, text: &str) -> String {
    let options = ReadOptions {
        repair: false,
        ..ReadOptions::default()
    };
    contract
        .read(text, &options)
        .err()
        .map_or_else(|| "accepted".to_owned(), |refusal| refusal.to_string())
}

fn search(text: &str) -> String {
    said(&Contract::<Search>::of_type().expect("a contract"), text)
}

#[test]
fn unknown_and_missing_fields() {
    assert_snapshot!(search(r#"{"patern":"x"}"#), @r"
    invalid arguments:
    - unknown field `patern`; did you mean `pattern`?
    - missing field `pattern`; give a string that is not empty: Regular expression to look for
    ");
    assert_snapshot!(search(r#"{"pattern":"x","outputMode":"count","zzzzzz":1}"#), @r"
    invalid arguments:
    - unknown field `outputMode`; did you mean `output_mode`?
    - unknown field `zzzzzz`; the fields are `pattern`, `path`, `output_mode`, `head_limit`, `globs`, `edits`, `tags`, `names`, `mail`, `word`, `target`, `shape` and 2 more
    ");
    assert_snapshot!(search("{}"), @"invalid arguments: missing field `pattern`; give a string that is not empty: Regular expression to look for");
    assert_snapshot!(search(r#"{"pattern":"x","edits":[{"kind":"insert","line":1,"text":"","txt":""}]}"#), @"invalid arguments: unknown field `txt` in `/edits/0`; the fields are `kind`, `line` and `text`");
}

#[test]
fn wrong_types() {
    assert_snapshot!(search(r#"{"pattern":1,"path":[],"head_limit":"5","globs":"*.rs","ignore_case":"yes"}"#), @r#"
    invalid arguments:
    - `/pattern` is an integer (`1`); give a string that is not empty
    - `/path` is an array; give a string or null
    - `/head_limit` is a string (`"5"`); give an integer from 1 to 1000 or null
    - `/globs` is a string (`"*.rs"`); give an array (each item a string)
    - `/ignore_case` is a string (`"yes"`); give a boolean (`true` or `false`) or null
    "#);
    assert_snapshot!(search(r#"{"pattern":"x","head_limit":2.5,"pair":{}}"#), @r"
    invalid arguments:
    - `/head_limit` is a number (`2.5`); give an integer from 1 to 1000 or null
    - `/pair` is an object; give an array of 2 items or null
    ");
}

#[test]
fn wrong_values() {
    assert_snapshot!(search(r#"{"pattern":"","output_mode":"counts","head_limit":0}"#), @r#"
    invalid arguments:
    - `/pattern` is too short (`""`); give a string that is not empty
    - `/output_mode` is a string (`"counts"`); give `"content"`, `"files_with_matches"` or `"count"` (did you mean `"count"`?)
    - `/head_limit` is too small (`0`); give an integer from 1 to 1000 or null
    "#);
    assert_snapshot!(search(r#"{"pattern":"x","output_mode":7,"head_limit":5000}"#), @r#"
    invalid arguments:
    - `/output_mode` is an integer (`7`); give `"content"`, `"files_with_matches"` or `"count"`
    - `/head_limit` is too large (`5000`); give an integer from 1 to 1000 or null
    "#);
    assert_snapshot!(search(r#"{"pattern":"x","mail":"nope","word":"ABC 1"}"#), @r#"
    invalid arguments:
    - `/mail` has the wrong format (`"nope"`); give a string that is an email address, such as `name@example.com`
    - `/word` does not match the pattern (`"ABC 1"`); give a string that matches `^[a-z]+$`
    "#);
    assert_snapshot!(search(r#"{"pattern":"x","names":["a","b","a"],"pair":[1,2,3]}"#), @r#"
    invalid arguments:
    - `/names` has the item `"a"` more than once; give each once
    - `/pair` has too many items (3); give an array of 2 items or null
    "#);
    assert_snapshot!(search(r#"{"pattern":"x","tags":{"a":300,"b":"c"},"pair":[1]}"#), @r#"
    invalid arguments:
    - `/tags/a` is too large (`300`); give an integer from 0 to 255
    - `/tags/b` is a string (`"c"`); give an integer from 0 to 255
    - `/pair` has too few items (1); give an array of 2 items or null
    "#);
}

#[test]
fn tagged_unions() {
    assert_snapshot!(search(r#"{"pattern":"x","edits":[{"kind":"delete","from":1}]}"#), @"invalid arguments: missing field `to` in `/edits/0`; give an integer from 0 to 4294967295");
    assert_snapshot!(search(r#"{"pattern":"x","edits":[{"kind":"remove","from":1},{"line":1},7]}"#), @r#"
    invalid arguments:
    - `/edits/0/kind` is a string (`"remove"`); give `"insert"` or `"delete"`
    - missing field `kind` in `/edits/1`, which says what is meant; give `"insert"` or `"delete"`
    - `/edits/2` is an integer (`7`); give an object whose `kind` is `"insert"` or `"delete"`
    "#);
}

#[test]
fn untagged_unions() {
    assert_snapshot!(search(r#"{"pattern":"x","target":{"paths":"a","recursive":true}}"#), @r#"invalid arguments: `/target/paths` is a string (`"a"`); give an array (each item a string) (read as an object with `paths` and `recursive`, the nearest of 2 forms)"#);
    assert_snapshot!(search(r#"{"pattern":"x","target":{"path":"a","paths":["b"]}}"#), @"invalid arguments: unknown field `paths` in `/target`; the fields are `path` (read as an object with `path`, the nearest of 2 forms)");
    assert_snapshot!(search(r#"{"pattern":"x","target":"a"}"#), @r#"invalid arguments: `/target` is a string (`"a"`); give an object with `path` or an object with `paths` and `recursive` or null"#);
}

#[test]
fn unions_by_name() {
    assert_snapshot!(search(r#"{"pattern":"x","shape":{"Box":{"width":1}}}"#), @"invalid arguments: missing field `height` in `/shape/Box`; give an integer from 0 to 4294967295");
    assert_snapshot!(search(r#"{"pattern":"x","shape":{"Square":1}}"#), @r#"invalid arguments: `/shape` is an object; give `"Point"`, `{"Circle":"…"}` or `{"Box":"…"}`"#);
    assert_snapshot!(search(r#"{"pattern":"x","shape":"point"}"#), @r#"invalid arguments: `/shape` is a string (`"point"`); give `"Point"`, `{"Circle":"…"}` or `{"Box":"…"}` (did you mean `"Point"`?)"#);
    assert_snapshot!(search(r#"{"pattern":"x","shape":3}"#), @r#"invalid arguments: `/shape` is an integer (`3`); give `"Point"`, an object with `Circle` or an object with `Box` or null"#);
}

#[test]
fn arguments_that_are_no_object() {
    assert_snapshot!(search(r#"["x"]"#), @r#"invalid arguments: the arguments must be an object such as {"pattern": …}, not an array"#);
    assert_snapshot!(search(r#""x""#), @r#"invalid arguments: the arguments must be an object such as {"pattern": …}, not a string"#);
    assert_snapshot!(search("3"), @r#"invalid arguments: the arguments must be an object such as {"pattern": …}, not an integer"#);
    let open = Contract::from_schema(json!({})).expect("a contract");
    assert_snapshot!(said(&open, "true"), @"invalid arguments: the arguments must be an object such as {}, not a boolean");
}

#[test]
fn many_faults_are_cut_short() {
    let many: Vec<String> = (0..50).map(|index| format!("\"no{index}\":1")).collect();
    let text = search(&format!("{{\"pattern\":\"x\",{}}}", many.join(",")));
    assert_eq!(text.lines().count(), 22);
    assert_snapshot!(text.lines().last().unwrap_or_default(), @"- and 30 more problems like these");
}

#[test]
fn a_long_value_is_never_echoed() {
    let long = "x".repeat(100_000);
    for text in [
        format!("{{\"pattern\":[\"{long}\"],\"mail\":\"{long}\"}}"),
        format!("{{\"{long}\":1}}"),
        format!("{{\"pattern\":\"x\",\"output_mode\":\"{long}\",\"tags\":{{\"{long}\":\"\"}}}}"),
        format!("\"{long}\""),
        format!("{{\"pattern\":{long}}}"),
    ] {
        assert!(search(&text).len() < 1200, "{}", search(&text).len());
    }
}

#[test]
fn schemas_that_came_as_data() {
    let contract = Contract::from_schema(json!({
        "type": "object",
        "properties": {
            "level": {"enum": [1, 2, "max"]},
            "ratio": {"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5},
            "list": {"type": "array", "minItems": 2, "items": {"type": "integer"}, "contains": {"const": 1}},
            "gone": false,
            "odd": {"not": {"const": 0}},
            "either": {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
            "named": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}, "maxProperties": 1},
            "when": {"type": "string", "format": "date-time"}
        },
        "dependentRequired": {"level": ["ratio"]},
        "patternProperties": {"^x-": {"type": "string"}},
        "additionalProperties": false
    }));
    let contract = contract.expect("a contract");
    assert_snapshot!(said(&contract, r#"{"level":"mx","ratio":-1,"list":[2],"gone":1,"odd":0}"#), @r#"
    invalid arguments:
    - `/level` is a string (`"mx"`); give `1`, `2` or `"max"` (did you mean `"max"`?)
    - `/ratio` is too small (`-1`); give a number above 0 that is a multiple of 0.5
    - `/list` has too few items (1); give an array of at least 2 items (each item an integer)
    - `/list` lacks an item that the schema asks for
    - `/gone` must not be there; leave it out
    - `/odd` is what the schema rules out (`0`); give anything but `0`
    "#);
    assert_snapshot!(said(&contract, r#"{"level":1,"either":{"a":1,"b":2},"named":{"A1":1,"b":2},"when":"soon","x-a":1,"y":2}"#), @r#"
    invalid arguments:
    - missing field `ratio`; give a number above 0 that is a multiple of 0.5
    - `/either` fits more than one of the forms that exclude each other; give the fields of one only
    - `/named` has too many fields (2); give an object of at most 1 field
    - the name `A1` in `/named` is not taken; name it so that it matches `^[a-z]+$`
    - `/when` has the wrong format (`"soon"`); give a string that is a date and time, such as `2025-01-31T12:00:00Z`
    - `/x-a` is an integer (`1`); give a string
    - unknown field `y`; the fields are `level`, `ratio`, `list`, `gone`, `odd`, `either`, `named` and `when`
    "#);
}

#[test]
fn a_schema_that_does_not_compile() {
    let error = |schema: Value| {
        Contract::from_schema(schema)
            .expect_err("no contract")
            .to_string()
    };
    assert_snapshot!(error(json!({"type": "objekt"})), @r#"the schema does not compile: "objekt" is not valid under any of the schemas listed in the 'anyOf' keyword (at `/type` in the schema)"#);
    assert_snapshot!(error(json!({"properties": {"a": {"$ref": "https://example.com/schema.json"}}})), @"the schema does not compile: Resource 'https://example.com/schema.json' is not present in a registry and retrieving it failed: Retrieval is disabled, cannot fetch https://example.com/schema.json (at `` in the schema)");
    assert_snapshot!(error(json!({"properties": {"a": {"$ref": "#/$defs/gone"}}})), @"the schema does not compile: Pointer '/$defs/gone' does not exist (at `` in the schema)");
    assert_snapshot!(error(json!({"properties": {"a": {"pattern": "("}}})), @r#"the schema does not compile: "(" is not a "regex" (at `/properties/a/pattern` in the schema)"#);
    assert_snapshot!(error(json!({"$schema": "https://example.com/meta.json"})), @"the schema does not compile: Unknown meta-schema: 'https://example.com/meta.json'. Custom meta-schemas must be registered in the registry before use (at `` in the schema)");
    assert_snapshot!(Contract::<Vec<String>>::of_type().expect_err("no contract"), @"the input must be an object with named fields, but its schema is for an array (each item a string); wrap it in a struct");
    assert_snapshot!(Contract::<()>::of_type().expect_err("no contract"), @"the input must be an object with named fields, but its schema is for null; wrap it in a struct");
}

#[test]
fn drift_is_the_fault_of_the_definition() {
    #[derive(Debug, Deserialize, JsonSchema)]
    struct Strict {
        #[serde(deserialize_with = "even")]
        inner: u32,
    }
    fn even<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let number = u32::deserialize(deserializer)?;
        if number % 2 == 0 {
            Ok(number)
        } else {
            Err(serde::de::Error::custom("the number must be even"))
        }
    }
    let contract = Contract::<Strict>::of_type().expect("a contract");
    assert_snapshot!(said(&contract, r#"{"inner":3}"#), @"a fault of the tool's definition, not of your input: `/inner` fits the schema but the tool cannot read it (the number must be even); the same call will fail again");
}

#[test]
fn an_output_that_breaks_its_promise() {
    let contract = OutputContract::of_type::<BTreeMap<String, u8>>().expect("a contract");
    assert!(contract.check(&json!({"a": 1})).is_ok());
    let problems = contract
        .check(&json!({"a": 300, "b": "x"}))
        .expect_err("two faults");
    assert_snapshot!(serde_json::to_string(&problems).expect("JSON"), @r#"[{"pointer":"/a","message":"`/a` is too large (`300`); give an integer from 0 to 255"},{"pointer":"/b","message":"`/b` is a string (`\"x\"`); give an integer from 0 to 255"}]"#);
}
