//! Objects that take the fields they name and no other.
//!
//! An object with fields of its own says `additionalProperties: false`. Where fields come
//! together from several schemas (a flattened enum, a tagged variant around a struct), each part
//! must stay open to the fields of the others; there the whole says `unevaluatedProperties:
//! false`, or the parts are merged into one where that is simple. What the author left open on
//! purpose (a map, a flattened map) stays open.

use serde_json::{Map, Value, json};

use super::walk::{self, SAME_LISTED, target};

/// References in a row that are followed; no type has a longer row.
const ROW: usize = 16;

pub(super) fn close(schema: &mut Value) {
    let root = schema.clone();
    close_one(&root, schema);
}

fn close_one(root: &Value, schema: &mut Value) {
    let Value::Object(members) = schema else {
        return;
    };
    walk::inner(members, &mut |schema| close_one(root, schema));
    if has_fields(members) {
        join_reference(root, members, ROW);
    }
    let composed = members.contains_key("$ref") || parts(members) > 0;
    let merged = parts(members) > 1 || (composed && has_fields(members));
    if merged && is_object(root, members) {
        if !is_said(members) {
            members.insert("unevaluatedProperties".to_owned(), Value::Bool(false));
        }
        each_part(members, &mut |part| open_one(root, part, ROW));
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
    let has_fields = schema.as_object().is_some_and(has_fields);
    if let (Some(definition), false) = (target(root, schema), has_fields) {
        *schema = definition.clone();
        return open_one(root, schema, left);
    }
    let Value::Object(members) = schema else {
        return;
    };
    join_reference(root, members, left);
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        if members.get(keyword) == Some(&Value::Bool(false)) {
            members.shift_remove(keyword);
        }
    }
    walk::inner(members, &mut |schema| close_one(root, schema));
    each_part(members, &mut |part| open_one(root, part, left));
}

/// Makes fields and a reference beside them one object: by putting the fields of a plain struct
/// beside those that are there, or else by an open copy as one more part.
fn join_reference(root: &Value, members: &mut Map<String, Value>, left: usize) {
    let Some(reference) = members.get("$ref").cloned() else {
        return;
    };
    let mut part = json!({ "$ref": reference });
    let Some(definition) = target(root, &part).and_then(Value::as_object) else {
        return;
    };
    members.shift_remove("$ref");
    if merge(members, definition) {
        return walk::inner(members, &mut |schema| close_one(root, schema));
    }
    open_one(root, &mut part, left);
    if let Value::Array(parts) = members.entry("allOf").or_insert_with(|| json!([])) {
        parts.push(part);
    }
}

/// Adds the fields of `definition`, when it is a plain struct and no name is there twice.
fn merge(members: &mut Map<String, Value>, definition: &Map<String, Value>) -> bool {
    const PLAIN: [&str; 6] = [
        "type",
        "properties",
        "required",
        "description",
        "title",
        "additionalProperties",
    ];
    let plain = definition.keys().all(|name| PLAIN.contains(&name.as_str()));
    let open = definition
        .get("additionalProperties")
        .is_some_and(|more| more != &Value::Bool(false));
    let theirs = definition.get("properties").and_then(Value::as_object);
    let (Some(theirs), Some(Value::Object(ours))) = (theirs, members.get_mut("properties")) else {
        return false;
    };
    if !plain || open || theirs.keys().any(|name| ours.contains_key(name)) {
        return false;
    }
    ours.extend(theirs.clone());
    let required = definition
        .get("required")
        .and_then(Value::as_array)
        .cloned();
    if let Value::Array(ours) = members.entry("required").or_insert_with(|| json!([])) {
        ours.extend(required.unwrap_or_default());
    }
    if let (None, Some(said)) = (members.get("description"), definition.get("description")) {
        members.insert("description".to_owned(), said.clone());
    }
    true
}

fn each_part(members: &mut Map<String, Value>, work: &mut impl FnMut(&mut Value)) {
    for name in SAME_LISTED {
        let parts = members.get_mut(name).and_then(Value::as_array_mut);
        parts.into_iter().flatten().for_each(&mut *work);
    }
}

/// How many schemas an object has to keep at once, besides its own fields and a reference.
fn parts(members: &Map<String, Value>) -> usize {
    let all_of = members
        .get("allOf")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let unions = ["anyOf", "oneOf"]
        .iter()
        .filter(|name| members.contains_key(**name))
        .count();
    all_of + unions
}

fn has_fields(members: &Map<String, Value>) -> bool {
    let properties = members.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty())
}

fn is_object(root: &Value, members: &Map<String, Value>) -> bool {
    has_fields(members) || walk::is_object(root, &Value::Object(members.clone()))
}

/// Whether it is said already what becomes of other fields.
fn is_said(members: &Map<String, Value>) -> bool {
    let keywords = [
        "additionalProperties",
        "unevaluatedProperties",
        "patternProperties",
    ];
    keywords
        .iter()
        .any(|keyword| members.contains_key(*keyword))
}

fn takes_objects(kind: &Value) -> bool {
    match kind {
        Value::String(kind) => kind == "object",
        Value::Array(kinds) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    }
}
