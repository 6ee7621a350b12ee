//! From arguments that fit a strict view back to arguments that fit the contract.

use serde_json::Value;

use super::refs::target;

/// Schemas nest no deeper than this in earnest; a reference that goes round in circles would.
const DEEPEST: u32 = 64;

/// The arguments without the fields that are `null` only because strict mode has no optional ones.
pub(super) fn without_nulls(schema: &Value, mut arguments: Value) -> Value {
    lift(&[schema], schema, &mut arguments, DEEPEST);
    arguments
}

/// `schemas` are all that may apply to the value.
fn lift(schemas: &[&Value], root: &Value, value: &mut Value, depth: u32) {
    let Some(depth) = depth.checked_sub(1) else {
        return;
    };
    let schemas: Vec<&Value> = schemas
        .iter()
        .flat_map(|schema| spread(schema, root, DEEPEST))
        .collect();
    match value {
        Value::Object(fields) => fields.retain(|name, inner| {
            let of_field: Vec<&Value> = schemas
                .iter()
                .filter_map(|schema| schema.get("properties")?.get(name))
                .collect();
            if inner.is_null() {
                return of_field.is_empty()
                    || of_field
                        .iter()
                        .any(|schema| takes_null(schema, root, DEEPEST));
            }
            lift(&of_field, root, inner, depth);
            true
        }),
        Value::Array(items) => {
            let of_items: Vec<&Value> = schemas
                .iter()
                .filter_map(|schema| schema.get("items"))
                .collect();
            for item in items {
                lift(&of_items, root, item, depth);
            }
        }
        _ => {}
    }
}

/// The schema with all that it refers to and all its branches.
fn spread<'s>(schema: &'s Value, root: &'s Value, depth: u32) -> Vec<&'s Value> {
    let mut all = vec![schema];
    let Some(depth) = depth.checked_sub(1) else {
        return all;
    };
    let reference = schema.get("$ref").and_then(Value::as_str);
    let meant = reference.and_then(|reference| target(reference, root));
    let branches = ["anyOf", "oneOf", "allOf"]
        .iter()
        .filter_map(|keyword| schema.get(keyword)?.as_array())
        .flatten();
    for inner in meant.into_iter().chain(branches) {
        all.extend(spread(inner, root, depth));
    }
    all
}

fn takes_null(schema: &Value, root: &Value, depth: u32) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let Value::Object(fields) = schema else {
        return schema == &Value::Bool(true);
    };
    let any = |keyword: &str| {
        fields
            .get(keyword)
            .and_then(Value::as_array)
            .is_none_or(|branches| {
                branches
                    .iter()
                    .any(|branch| takes_null(branch, root, depth))
            })
    };
    let kind = match fields.get("type") {
        None => true,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "null"),
        Some(kind) => kind == "null",
    };
    let listed = fields
        .get("enum")
        .and_then(Value::as_array)
        .is_none_or(|values| values.contains(&Value::Null));
    let meant = fields
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| target(reference, root))
        .is_none_or(|meant| takes_null(meant, root, depth));
    let fixed = fields.get("const").is_none_or(Value::is_null);
    kind && listed && meant && fixed && any("anyOf") && any("oneOf") && all_of(fields, root, depth)
}

fn all_of(fields: &serde_json::Map<String, Value>, root: &Value, depth: u32) -> bool {
    let parts = fields
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    parts.into_iter().all(|part| takes_null(part, root, depth))
}
