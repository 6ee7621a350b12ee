//! Objects that take the fields they name and no other.
//!
//! An object with fields of its own says `additionalProperties: false`. Where fields come
//! together from several schemas (a flattened enum, a tagged variant around a struct), each part
//! must stay open to the fields of the others; there the whole says `unevaluatedProperties:
//! false`, or the parts are merged into one where that is simple. What the author left open on
//! purpose (a map, a flattened map) stays open.

use serde_json::{Map, Value, json};

use super::walk::{self, SAME_LISTED, target};

pub(super) fn close(schema: &mut Value) {
    let root = schema.clone();
    close_one(&root, schema);
}

fn close_one(root: &Value, schema: &mut Value) {
    let Value::Object(members) = schema else {
        return;
    };
    walk::inner(members, &mut |schema| close_one(root, schema));
    if members.contains_key("properties") && members.contains_key("$ref") {
        merge_reference(root, members);
    }
    let composed =
        members.contains_key("$ref") || SAME_LISTED.iter().any(|name| members.contains_key(*name));
    let merged = composed && (has_fields(members) || parts(members) > 1);
    if merged && is_objects(root, members) {
        if !is_said(members) {
            members.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
        }
        each_part(members, &mut |part| open_one(root, part, 16));
        if let Some(reference) = members.shift_remove("$ref") {
            let mut part = json!({ "$ref": reference });
            open_one(root, &mut part, 16);
            if let Value::Array(parts) = members.entry("allOf").or_insert_with(|| json!([])) {
                parts.push(part);
            }
        }
        return;
    }
    each_part(members, &mut |part| close_one(root, part));
    if !composed && members.get("type").is_some_and(takes_objects) && !is_said(members) {
        members.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
}

/// A part of a merged object: open itself, closed inside. A reference is replaced by an open copy.
fn open_one(root: &Value, schema: &mut Value, left: usize) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    if let Some(definition) = target(root, schema) {
        *schema = definition.clone();
        return open_one(root, schema, left);
    }
    let Value::Object(members) = schema else {
        return;
    };
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        if members.get(keyword) == Some(&Value::Bool(false)) {
            members.shift_remove(keyword);
        }
    }
    walk::inner(members, &mut |schema| close_one(root, schema));
    each_part(members, &mut |part| open_one(root, part, left));
}

fn each_part(members: &mut Map<String, Value>, work: &mut impl FnMut(&mut Value)) {
    for name in SAME_LISTED {
        members
            .get_mut(name)
            .and_then(Value::as_array_mut)
            .into_iter()
            .flatten()
            .for_each(&mut *work);
    }
}

/// How many schemas an object has to keep at once, besides its own fields.
fn parts(members: &Map<String, Value>) -> usize {
    let all_of = members
        .get("allOf")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    all_of
        + ["anyOf", "oneOf", "$ref"]
            .iter()
            .filter(|name| members.contains_key(**name))
            .count()
}

fn has_fields(members: &Map<String, Value>) -> bool {
    members
        .get("properties")
        .and_then(Value::as_object)
        .is_some_and(|properties| !properties.is_empty())
}

fn is_objects(root: &Value, members: &Map<String, Value>) -> bool {
    has_fields(members) || walk::is_object(root, &Value::Object(members.clone()))
}

/// Whether it is said already what becomes of other fields.
fn is_said(members: &Map<String, Value>) -> bool {
    [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
    ]
    .iter()
    .any(|name| members.contains_key(*name))
}

fn takes_objects(kind: &Value) -> bool {
    match kind {
        Value::String(kind) => kind == "object",
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    }
}

/// Puts the fields of a plain struct in place of the reference to it, beside the fields that are
/// there: the content of an internally tagged variant.
fn merge_reference(root: &Value, members: &mut Map<String, Value>) {
    let reference = json!({ "$ref": members.get("$ref") });
    let Some(Value::Object(definition)) = target(root, &reference) else {
        return;
    };
    let plain = definition.keys().all(|name| {
        [
            "type",
            "properties",
            "required",
            "description",
            "title",
            "additionalProperties",
        ]
        .contains(&name.as_str())
    });
    let closed = definition
        .get("additionalProperties")
        .is_none_or(|more| more == &Value::Bool(false));
    let (Some(Value::Object(theirs)), Some(Value::Object(ours))) =
        (definition.get("properties"), members.get("properties"))
    else {
        return;
    };
    if !plain || !closed || theirs.keys().any(|name| ours.contains_key(name)) {
        return;
    }
    let mut theirs = theirs.clone();
    theirs
        .values_mut()
        .for_each(|schema| close_one(root, schema));
    members.shift_remove("$ref");
    if let Some(Value::Object(ours)) = members.get_mut("properties") {
        ours.extend(theirs);
    }
    let required = definition
        .get("required")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if let Value::Array(ours) = members.entry("required").or_insert_with(|| json!([])) {
        ours.extend(required);
    }
    if let (None, Some(description)) = (members.get("description"), definition.get("description")) {
        members.insert("description".to_owned(), description.clone());
    }
}
