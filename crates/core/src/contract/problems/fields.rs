//! The fields that a schema knows.

use serde_json::{Map, Value};

use crate::contract::schema::resolve;

/// Names of the fields of an object under `schema`, also those of the schemas it is composed of.
pub(super) fn known(root: &Value, schema: Option<&Value>) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(schema) = schema {
        collect(root, schema, 8, &mut names);
    }
    names
}

fn collect(root: &Value, schema: &Value, left: usize, names: &mut Vec<String>) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    let own = schema.get("properties").and_then(Value::as_object);
    for name in own.into_iter().flat_map(Map::keys) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if schema.get("$ref").is_some() {
        let target = resolve(root, schema);
        if !std::ptr::eq(target, schema) {
            collect(root, target, left, names);
        }
    }
    for list in ["allOf", "anyOf", "oneOf"] {
        let parts = schema.get(list).and_then(Value::as_array);
        parts
            .into_iter()
            .flatten()
            .for_each(|part| collect(root, part, left, names));
    }
}

/// The schema of a field of an object under `schema`.
pub(super) fn schema_of<'s>(root: &'s Value, schema: &'s Value, name: &str) -> Option<&'s Value> {
    find(root, schema, name, 8)
}

fn find<'s>(root: &'s Value, schema: &'s Value, name: &str, left: usize) -> Option<&'s Value> {
    let left = left.checked_sub(1)?;
    if let Some(found) = schema.get("properties").and_then(|own| own.get(name)) {
        return Some(found);
    }
    let target = resolve(root, schema);
    if !std::ptr::eq(target, schema) {
        return find(root, target, name, left);
    }
    ["allOf", "anyOf", "oneOf"].iter().find_map(|list| {
        let parts = schema.get(*list)?.as_array()?;
        parts.iter().find_map(|part| find(root, part, name, left))
    })
}
