//! Each kind of finding is found where it is, and nowhere else.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use serde_json::{Value, json};
use toolpost_core::{Definition, Exposure};
use toolpost_wire::lint;

fn good() -> Value {
    json!({
        "type": "object",
        "properties": {
            "file": { "type": "string", "description": "File to count the words of." },
            "deep": { "type": "array", "items": { "type": "string" }, "description": "Folders to go into." },
            "tags": { "type": "object", "additionalProperties": { "type": "string" }, "description": "Free labels to set." },
        },
        "required": ["file"],
        "additionalProperties": false,
    })
}

fn codes(name: &str, description: &str, schema: Value) -> String {
    let tool = Definition {
        name: name.into(),
        description: description.into(),
        input_schema: schema.into(),
        output_schema: None,
        exposure: Exposure::Direct,
        search_hint: None,
        strict: true,
        origin: None,
    };
    let found = lint(&tool)
        .into_iter()
        .map(|finding| format!("{}{}", finding.code, finding.pointer));
    found.collect::<Vec<_>>().join(" ")
}

fn changed(pointer: &str, value: Value) -> String {
    let mut schema = good();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    schema.pointer_mut(parent).unwrap()[key] = value;
    codes("count", "Count the words of a file.", schema)
}

#[test]
fn a_good_definition_has_no_findings() {
    assert_eq!(
        codes("count_words", "Count the words of a file.", good()),
        ""
    );
    assert_eq!(
        codes(
            "now",
            "Tell the time of day.",
            json!({ "type": "object", "additionalProperties": false })
        ),
        ""
    );
}

#[test]
fn descriptions_that_are_missing_or_say_nothing_are_found() {
    assert_eq!(codes("count", "", good()), "no_description");
    assert_eq!(
        codes("countWords", "The count words tool.", good()),
        "useless_description"
    );
    assert_eq!(codes("count", "TODO", good()), "useless_description");
    assert_eq!(
        changed("/properties/file/description", "".into()),
        "no_description/properties/file"
    );
    assert_eq!(
        changed("/properties/file/description", "the file".into()),
        "useless_description/properties/file"
    );
}

#[test]
fn open_objects_are_found_at_any_depth() {
    assert_eq!(changed("/additionalProperties", true.into()), "open_object");
    let nested = json!({ "type": "object", "description": "Where to look.", "properties": { "x": { "type": "integer", "description": "Column, from 0." } } });
    assert_eq!(
        changed("/properties/file", nested.clone()),
        "open_object/properties/file"
    );
    let list = json!({ "type": "array", "description": "Where to look.", "items": nested });
    assert_eq!(
        changed("/properties/file", list),
        "open_object/properties/file/items"
    );
}

#[test]
fn names_that_a_provider_refuses_are_found() {
    assert_eq!(
        codes("a.b", "Count the words of a file.", good()),
        "name_refused"
    );
    let long = "x".repeat(70);
    assert_eq!(
        codes(&long, "Count the words of a file.", good()),
        "name_refused"
    );
    let field = json!({ "type": "string", "description": "Which one it is." });
    assert_eq!(
        changed("/properties/bad name", field.clone()),
        "field_name_refused/properties/bad name"
    );
    assert_eq!(
        changed("/properties/a-b", field),
        "field_name_refused/properties/a-b"
    );
}

#[test]
fn schemas_that_a_provider_refuses_are_found() {
    assert_eq!(
        changed(
            "/properties/file",
            json!({ "description": "File to read." })
        ),
        "no_type/properties/file"
    );
    assert_eq!(changed("/properties/deep/items", Value::Null), "");
    assert_eq!(
        changed(
            "/properties/deep",
            json!({ "type": "array", "description": "Folders to go into." })
        ),
        "no_items/properties/deep"
    );
    assert_eq!(changed("/anyOf", json!([])), "root_refused");
    assert_eq!(changed("/type", Value::Null), "root_refused");
    assert_eq!(changed("/required", json!(["nope"])), "required_unknown");
    assert_eq!(
        changed("/properties/file/enum", json!([])),
        "empty_enum/properties/file"
    );
    let values: Vec<String> = (0..1001).map(|n| format!("v{n}")).collect();
    assert_eq!(changed("/properties/file/enum", json!(values)), "too_large");
    let reference =
        json!({ "$ref": "https://example.org/x.json", "description": "Something far away." });
    assert_eq!(
        changed("/properties/file", reference),
        "outside_reference/properties/file"
    );
}
