//! Ways through a schema: its subschemas, its references.

use serde_json::{Map, Value};

/// Keywords whose value is a schema for a part of the value.
const INNER: [&str; 7] = [
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "items",
    "contains",
    "propertyNames",
    "additionalItems",
];
/// Keywords whose value holds named schemas for parts of the value.
const INNER_NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "definitions"];
/// Keywords whose value is a schema for the same value.
const SAME: [&str; 4] = ["not", "if", "then", "else"];
/// Keywords whose value lists schemas for the same value.
pub(super) const SAME_LISTED: [&str; 3] = ["allOf", "anyOf", "oneOf"];

/// Calls `work` with every subschema that is an object, the outer before the inner.
pub(super) fn each(schema: &mut Value, work: &mut impl FnMut(&mut Map<String, Value>)) {
    let Value::Object(members) = schema else {
        return;
    };
    work(members);
    inner(members, &mut |schema| each(schema, work));
    for (name, value) in members.iter_mut() {
        if SAME.contains(&name.as_str()) {
            each(value, work);
        } else if SAME_LISTED.contains(&name.as_str()) {
            value
                .as_array_mut()
                .into_iter()
                .flatten()
                .for_each(|schema| each(schema, work));
        }
    }
}

/// Calls `work` with each direct subschema for a part of the value, definitions too.
pub(super) fn inner(members: &mut Map<String, Value>, work: &mut impl FnMut(&mut Value)) {
    for (name, value) in members.iter_mut() {
        let name = name.as_str();
        if INNER_NAMED.contains(&name) {
            value
                .as_object_mut()
                .into_iter()
                .flat_map(Map::values_mut)
                .for_each(&mut *work);
        } else if name == "prefixItems" || (name == "items" && value.is_array()) {
            value
                .as_array_mut()
                .into_iter()
                .flatten()
                .for_each(&mut *work);
        } else if INNER.contains(&name) {
            work(value);
        }
    }
}

/// The schema that `schema` stands for, when it is a reference into `root`.
pub(in crate::contract) fn resolve<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut schema = schema;
    // A chain of references longer than this is a circle.
    for _ in 0..16 {
        match target(root, schema) {
            Some(next) => schema = next,
            None => break,
        }
    }
    schema
}

/// Where one reference leads.
pub(super) fn target<'s>(root: &'s Value, schema: &Value) -> Option<&'s Value> {
    root.pointer(schema.get("$ref")?.as_str()?.strip_prefix('#')?)
}

/// Whether a schema takes objects and nothing else.
pub(super) fn is_object(root: &Value, schema: &Value) -> bool {
    is_object_within(root, schema, 16)
}

fn is_object_within(root: &Value, schema: &Value, left: usize) -> bool {
    let Some(left) = left.checked_sub(1) else {
        return false;
    };
    if let Some(kind) = schema.get("type") {
        return kind == "object";
    }
    let each = |branch: &Value| is_object_within(root, branch, left);
    if let Some(target) = target(root, schema) {
        return each(target);
    }
    let listed = |name: &str| schema.get(name).and_then(Value::as_array);
    ["anyOf", "oneOf"]
        .iter()
        .filter_map(|name| listed(name))
        .any(|branches| branches.iter().all(each))
        || listed("allOf").is_some_and(|parts| parts.iter().any(each))
}
