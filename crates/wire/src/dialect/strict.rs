//! OpenAI's strict mode: every field required, every object closed, a smaller set of keywords.
//!
//! An optional field becomes a nullable one; [`super::lift`] takes the nulls out again. A keyword
//! that strict mode does not know goes into the description, and into the report.

use serde_json::{Map, Value, json};

use super::{Losses, refs};

/// Keywords that strict mode takes, and notes that do not constrain.
const KNOWN: [&str; 19] = [
    "type",
    "properties",
    "required",
    "additionalProperties",
    "items",
    "enum",
    "const",
    "anyOf",
    "$ref",
    "$defs",
    "description",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
];
const NOTES: [&str; 8] = [
    "title",
    "default",
    "examples",
    "$schema",
    "$id",
    "deprecated",
    "readOnly",
    "$comment",
];
const FORMATS: [&str; 9] = [
    "date-time",
    "time",
    "date",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uuid",
];

/// The schema in strict mode; nothing where an object is open, so that strict mode would forbid
/// what the contract takes.
pub(super) fn schema(schema: &Value, losses: &mut Losses) -> Option<Value> {
    let inlined = refs::inlined(schema);
    if inlined.get("type").and_then(Value::as_str) != Some("object")
        || ["anyOf", "oneOf", "allOf"]
            .iter()
            .any(|keyword| inlined.get(keyword).is_some())
    {
        losses.add(
            "",
            "type",
            "strict mode wants a plain object at the root, so it is not asked for",
        );
        return None;
    }
    let mut lost = Losses::default();
    match view(&inlined, "", &mut lost) {
        Ok(view) => {
            losses.0.append(&mut lost.0);
            Some(view)
        }
        Err(pointer) => {
            let reason = "the object is open, which strict mode cannot say, so it is not asked for";
            losses.add(&pointer, "additionalProperties", reason);
            None
        }
    }
}

/// The view of one schema; an error is the place of an open object.
fn view(schema: &Value, at: &str, losses: &mut Losses) -> Result<Value, String> {
    let Value::Object(fields) = schema else {
        // `true` takes anything, an open object among it.
        return if schema == &Value::Bool(false) {
            Ok(json!({ "enum": [] }))
        } else {
            Err(at.to_owned())
        };
    };
    if fields
        .keys()
        .all(|key| NOTES.contains(&key.as_str()) || key == "description")
    {
        return Err(at.to_owned());
    }
    let mut out = Map::new();
    let mut dropped = Vec::new();
    for (keyword, value) in fields {
        let here = format!("{at}/{keyword}");
        match keyword.as_str() {
            "properties" | "required" | "additionalProperties" => {}
            "items" => {
                out.insert(keyword.clone(), view(value, &here, losses)?);
            }
            "oneOf" | "anyOf" => {
                if keyword == "oneOf" {
                    losses.add(at, "oneOf", "`oneOf` is said as `anyOf`");
                }
                out.insert("anyOf".into(), branches(value, &here, losses)?);
            }
            "$defs" => {
                out.insert(keyword.clone(), each(value, &here, losses)?);
            }
            "format"
                if !value
                    .as_str()
                    .is_some_and(|format| FORMATS.contains(&format)) =>
            {
                dropped.push((keyword, value));
            }
            "maxItems" => {
                out.insert(keyword.clone(), value.clone());
            }
            _ if NOTES.contains(&keyword.as_str()) => {}
            known if KNOWN.contains(&known) => {
                out.insert(keyword.clone(), value.clone());
            }
            _ => dropped.push((keyword, value)),
        }
    }
    if fields.contains_key("properties") || is_object(fields) {
        object(fields, at, &mut out, losses)?;
    }
    for (keyword, value) in dropped {
        losses.add(
            at,
            keyword,
            format!("strict mode does not know `{keyword}: {value}`"),
        );
        note(&mut out, &format!("{keyword}: {value}"));
    }
    Ok(Value::Object(out))
}

fn is_object(fields: &Map<String, Value>) -> bool {
    match fields.get("type") {
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        _ => false,
    }
}

fn object(
    fields: &Map<String, Value>,
    at: &str,
    out: &mut Map<String, Value>,
    losses: &mut Losses,
) -> Result<(), String> {
    let is_closed = fields.get("additionalProperties") == Some(&Value::Bool(false));
    if !is_closed && fields.get("unevaluatedProperties") != Some(&Value::Bool(false)) {
        return Err(at.to_owned());
    }
    let required: Vec<&str> = fields
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut properties = Map::new();
    for (name, schema) in fields
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let mut view = view(schema, &format!("{at}/properties/{name}"), losses)?;
        if !required.contains(&name.as_str()) {
            view = nullable(view);
        }
        properties.insert(name.clone(), view);
    }
    let names: Vec<Value> = properties.keys().cloned().map(Value::from).collect();
    out.insert("properties".into(), Value::Object(properties));
    out.insert("required".into(), Value::Array(names));
    out.insert("additionalProperties".into(), false.into());
    Ok(())
}

fn branches(value: &Value, at: &str, losses: &mut Losses) -> Result<Value, String> {
    let all = value.as_array().into_iter().flatten().enumerate();
    all.map(|(index, branch)| view(branch, &format!("{at}/{index}"), losses))
        .collect()
}

fn each(value: &Value, at: &str, losses: &mut Losses) -> Result<Value, String> {
    let all = value.as_object().into_iter().flatten();
    let views: Result<Map<String, Value>, String> = all
        .map(|(name, schema)| Ok((name.clone(), view(schema, &format!("{at}/{name}"), losses)?)))
        .collect();
    views.map(Value::Object)
}

/// The schema that takes `null` as well.
fn nullable(schema: Value) -> Value {
    let Value::Object(mut fields) = schema else {
        return schema;
    };
    let is_null = |branch: &Value| branch.get("type").is_some_and(|kind| kind == "null");
    let branches = fields.get("anyOf").and_then(Value::as_array);
    if branches.is_some_and(|branches| branches.iter().any(is_null)) {
        return Value::Object(fields);
    }
    let has_plain_type = fields
        .get("type")
        .is_some_and(|kind| kind.is_string() || kind.is_array());
    let is_simple =
        has_plain_type && !fields.contains_key("const") && !fields.contains_key("anyOf");
    if !is_simple {
        let description = fields.remove("description");
        let mut whole = json!({ "anyOf": [Value::Object(fields), { "type": "null" }] });
        if let (Some(description), Some(whole)) = (description, whole.as_object_mut()) {
            whole.insert("description".into(), description);
        }
        return whole;
    }
    if let Some(kind) = fields.get_mut("type") {
        let mut kinds = match kind.take() {
            Value::Array(kinds) => kinds,
            one => vec![one],
        };
        if !kinds.iter().any(|kind| kind == "null") {
            kinds.push("null".into());
        }
        *kind = Value::Array(kinds);
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum")
        && !values.contains(&Value::Null)
    {
        values.push(Value::Null);
    }
    Value::Object(fields)
}

/// A constraint that the schema cannot carry is at least told to the model.
fn note(schema: &mut Map<String, Value>, text: &str) {
    let said = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let whole = if said.is_empty() {
        text.to_owned()
    } else {
        format!("{said} ({text})")
    };
    schema.insert("description".into(), whole.into());
}
