//! References inside a schema, put in place of themselves where they do not go round in circles.

use serde_json::{Map, Value};

/// The schema with each reference that does not lead back to itself replaced by what it means.
/// Definitions that are still needed stay.
pub(super) fn inlined(schema: &Value) -> Value {
    let mut whole = inline(schema, schema, &mut Vec::new());
    let is_used = whole.to_string().contains("\"$ref\"");
    if let (false, Some(root)) = (is_used, whole.as_object_mut()) {
        root.remove("$defs");
        root.remove("definitions");
    }
    whole
}

fn inline(schema: &Value, root: &Value, open: &mut Vec<String>) -> Value {
    match schema {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str)
                && let Some(target) = target(reference, root)
                && !open.iter().any(|name| name == reference)
                && !leads_to(target, reference, root, &mut Vec::new())
            {
                open.push(reference.to_owned());
                let meant = inline(target, root, open);
                open.pop();
                return beside(meant, fields, root, open);
            }
            let inner = fields
                .iter()
                .map(|(key, value)| (key.clone(), inline(value, root, open)));
            Value::Object(inner.collect())
        }
        Value::Array(items) => items.iter().map(|item| inline(item, root, open)).collect(),
        other => other.clone(),
    }
}

/// What stands beside a reference holds as well. Annotations win; constraints join by `allOf`.
fn beside(
    meant: Value,
    fields: &Map<String, Value>,
    root: &Value,
    open: &mut Vec<String>,
) -> Value {
    let is_note = |key: &str| matches!(key, "description" | "title" | "default" | "examples");
    let others = fields.iter().filter(|(key, _)| *key != "$ref");
    let (notes, rules): (Vec<_>, Vec<_>) = others.partition(|(key, _)| is_note(key));
    let mut whole = match meant {
        Value::Object(whole) if rules.is_empty() => whole,
        Value::Bool(true) => Map::new(),
        other => {
            let rules: Map<String, Value> = rules
                .iter()
                .map(|(key, value)| ((*key).clone(), inline(value, root, open)))
                .collect();
            let mut all = vec![other];
            if !rules.is_empty() {
                all.push(Value::Object(rules));
            }
            Map::from_iter([("allOf".to_owned(), Value::Array(all))])
        }
    };
    whole.extend(
        notes
            .into_iter()
            .map(|(key, value)| (key.clone(), value.clone())),
    );
    Value::Object(whole)
}

/// What a reference inside the schema points to.
pub(super) fn target<'s>(reference: &str, root: &'s Value) -> Option<&'s Value> {
    let pointer = reference.strip_prefix('#')?;
    if pointer.is_empty() {
        Some(root)
    } else {
        root.pointer(pointer)
    }
}

/// Whether following references from here comes back to `goal`.
fn leads_to(schema: &Value, goal: &str, root: &Value, seen: &mut Vec<String>) -> bool {
    match schema {
        Value::Object(fields) => {
            if let Some(reference) = fields.get("$ref").and_then(Value::as_str) {
                if reference == goal {
                    return true;
                }
                if !seen.iter().any(|name| name == reference) {
                    seen.push(reference.to_owned());
                    if target(reference, root).is_some_and(|next| leads_to(next, goal, root, seen))
                    {
                        return true;
                    }
                }
            }
            fields
                .values()
                .any(|value| leads_to(value, goal, root, seen))
        }
        Value::Array(items) => items.iter().any(|item| leads_to(item, goal, root, seen)),
        _ => false,
    }
}
