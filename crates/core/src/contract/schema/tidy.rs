//! What a schema of a type says that helps neither a model nor the validator.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// Formats that only repeat a Rust type; their bounds are set by then.
const NOISE: [&str; 14] = [
    "int8", "int16", "int32", "int64", "int128", "int", "uint8", "uint16", "uint32", "uint64",
    "uint128", "uint", "float", "double",
];

pub(super) fn tidy(schema: &mut Map<String, Value>) {
    // Keeps the order of the rest, unlike `remove`.
    schema.shift_remove("$schema");
    if schema.get("title").is_some_and(Value::is_string) {
        schema.shift_remove("title");
    }
    if schema
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|format| NOISE.contains(&format))
    {
        schema.shift_remove("format");
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.shift_remove("default");
    }
}

/// Drops the definitions that nothing refers to, as after a copy was put in place of a reference.
pub(super) fn drop_unused(schema: &mut Value) {
    let Some(mut definitions) = schema
        .as_object_mut()
        .and_then(|schema| schema.shift_remove("$defs"))
    else {
        return;
    };
    let mut used = BTreeSet::new();
    let mut open = references(schema);
    while let Some(name) = open.pop_first() {
        if let Some(definition) = definitions.get(&name)
            && used.insert(name)
        {
            open.extend(references(definition));
        }
    }
    if let Value::Object(definitions) = &mut definitions {
        definitions.retain(|name, _| used.contains(name));
        if definitions.is_empty() {
            return;
        }
    }
    if let Value::Object(schema) = schema {
        schema.insert("$defs".to_owned(), definitions);
    }
}

fn references(schema: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(schema, &mut found);
    found
}

fn collect(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let reference = members.get("$ref").and_then(Value::as_str);
            if let Some(name) = reference.and_then(|reference| reference.strip_prefix("#/$defs/")) {
                found.insert(name.replace("~1", "/").replace("~0", "~"));
            }
            members.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
