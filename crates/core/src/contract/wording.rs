//! Values, places and schemas in plain words.
//!
//! Nothing here echoes more than a few words of an input, so that a refusal never costs a model
//! the text of a whole file.

use serde_json::{Map, Value};

use super::schema::resolve;

/// Characters of a value that an error shows.
const SHOWN: usize = 60;
/// Names or values that an error lists.
const LISTED: usize = 12;

/// At most `most` characters of a text.
pub(super) fn clip(text: &str, most: usize) -> String {
    let mut clipped: String = text.chars().take(most).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

/// A value as JSON, clipped.
pub(super) fn json(value: &Value) -> String {
    match value {
        // A long string is cut before it is escaped.
        Value::String(string) if string.chars().nth(SHOWN).is_some() => {
            format!("{}…", Value::String(string.chars().take(SHOWN).collect()))
        }
        Value::Array(items) if items.len() > SHOWN => "[…]".to_owned(),
        Value::Object(members) if members.len() > SHOWN => "{…}".to_owned(),
        value => clip(&value.to_string(), SHOWN),
    }
}

/// What kind of value it is: "a string".
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number",
        Value::Number(_) => "an integer",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A value with its kind: "a string (`"abc"`)".
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::Null | Value::Array(_) | Value::Object(_) => kind(value).to_owned(),
        value => format!("{} (`{}`)", kind(value), json(value)),
    }
}

/// A place as a subject: "`/a/b`", or "the input".
pub(super) fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        "the input".to_owned()
    } else {
        format!("`{}`", clip(pointer, 120))
    }
}

/// Where something is, as an addition: " in `/a`", or nothing at the top.
pub(super) fn inside(pointer: &str) -> String {
    if pointer.is_empty() {
        String::new()
    } else {
        format!(" in `{}`", clip(pointer, 120))
    }
}

/// Values for a person to choose from: "`a`, `b` or `c`".
pub(super) fn choice(values: &[String]) -> String {
    let shown: Vec<String> = values
        .iter()
        .take(LISTED)
        .map(|value| format!("`{value}`"))
        .collect();
    let more = values.len().saturating_sub(LISTED);
    match (shown.as_slice(), more) {
        ([], _) => "nothing".to_owned(),
        (shown, 1..) => format!("{} or {more} more", shown.join(", ")),
        ([one], 0) => one.clone(),
        ([first @ .., last], 0) => format!("{} or {last}", first.join(", ")),
    }
}

/// An object that has the fields a schema requires, with the values left out.
pub(super) fn example(schema: &Value) -> String {
    let properties = schema.get("properties").and_then(Value::as_object);
    let required = schema.get("required").and_then(Value::as_array);
    let required = required.into_iter().flatten().filter_map(Value::as_str);
    let any = properties
        .into_iter()
        .flat_map(Map::keys)
        .map(String::as_str);
    let mut names: Vec<&str> = required.take(4).collect();
    if names.is_empty() {
        names = any.take(1).collect();
    }
    let fields: Vec<String> = names
        .iter()
        .map(|name| format!("{}: …", Value::from(*name)))
        .collect();
    format!("{{{}}}", fields.join(", "))
}

/// The first sentence of a schema's description, as an addition: ": File to read".
pub(super) fn description(root: &Value, schema: &Value) -> String {
    let said = [schema, resolve(root, schema)]
        .into_iter()
        .find_map(|schema| schema.get("description"));
    let text = said.and_then(Value::as_str).unwrap_or("").trim();
    let sentence = text.split(['\n', '\r']).next().unwrap_or("");
    let sentence = sentence
        .split(". ")
        .next()
        .unwrap_or("")
        .trim_end_matches('.');
    if sentence.is_empty() {
        String::new()
    } else {
        format!(": {}", clip(sentence, 120))
    }
}

/// What a schema wants: "an integer from 1 to 100".
pub(super) fn phrase(root: &Value, schema: &Value) -> String {
    phrase_within(root, schema, 3)
}

fn phrase_within(root: &Value, schema: &Value, left: usize) -> String {
    let Some(left) = left.checked_sub(1) else {
        return "a value".to_owned();
    };
    let schema = resolve(root, schema);
    if let Some(only) = schema.get("const") {
        return format!("`{}`", json(only));
    }
    if let Some(Value::Array(options)) = schema.get("enum") {
        return choice(&options.iter().map(json).collect::<Vec<_>>());
    }
    let kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let branches = ["anyOf", "oneOf"]
        .iter()
        .find_map(|name| schema.get(*name))
        .and_then(Value::as_array);
    let object_only = kinds.is_empty() || kinds == ["object"];
    if let (Some(branches), true) = (branches, object_only) {
        if let Some(tagged) = tagged(root, branches) {
            return tagged;
        }
        return either(
            branches
                .iter()
                .map(|branch| phrase_within(root, branch, left))
                .collect(),
        );
    }
    match kinds.as_slice() {
        [] if schema == &Value::Bool(false) => "nothing".to_owned(),
        [] => "a value".to_owned(),
        kinds => either(
            kinds
                .iter()
                .map(|kind| phrase_of_kind(root, schema, kind, left))
                .collect(),
        ),
    }
}

/// Objects that one field tells apart.
fn tagged(root: &Value, branches: &[Value]) -> Option<String> {
    let fields = |branch| {
        resolve(root, branch)
            .get("properties")
            .and_then(Value::as_object)
    };
    let names = branches
        .first()
        .filter(|_| branches.len() > 1)
        .and_then(fields)?
        .keys();
    names.into_iter().find_map(|name| {
        let tags = branches
            .iter()
            .map(|branch| Some(json(fields(branch)?.get(name)?.get("const")?)));
        let tags = tags.collect::<Option<Vec<_>>>()?;
        Some(format!("an object whose `{name}` is {}", choice(&tags)))
    })
}

/// Joins alternatives, each once.
fn either(phrases: Vec<String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for phrase in phrases {
        if !unique.contains(&phrase) {
            unique.push(phrase);
        }
    }
    if unique.len() > LISTED {
        let more = unique.len() - LISTED;
        unique.truncate(LISTED);
        unique.push(format!("one of {more} other forms"));
    }
    match unique.as_slice() {
        [] => "a value".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

fn phrase_of_kind(root: &Value, schema: &Value, kind: &str, left: usize) -> String {
    match kind {
        "null" => "null".to_owned(),
        "boolean" => "a boolean (`true` or `false`)".to_owned(),
        "integer" => format!("an integer{}", range(schema)),
        "number" => format!("a number{}", range(schema)),
        "string" => string(schema),
        "array" => {
            let size = count(schema, "minItems", "maxItems", "item");
            match schema.get("items").filter(|items| items.is_object()) {
                Some(items) => format!(
                    "an array{size} (each item {})",
                    phrase_within(root, items, left)
                ),
                None => format!("an array{size}"),
            }
        }
        "object" => object(schema),
        other => format!("a value of type {other}"),
    }
}

fn object(schema: &Value) -> String {
    let names = |value: Option<&Value>| -> Vec<String> {
        value
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let required = names(schema.get("required"));
    let properties = schema.get("properties").and_then(Value::as_object);
    // Of a tagged variant the tag is what tells it from the others.
    let tag = properties
        .into_iter()
        .flatten()
        .find_map(|(name, schema)| Some((name, schema.get("const")?)));
    let size = count(schema, "minProperties", "maxProperties", "field");
    match (tag, required.is_empty()) {
        (Some((name, value)), _) => format!("an object with `{name}`: `{}`", json(value)),
        (None, true) => format!("an object{size}"),
        (None, false) => format!(
            "an object{size} with {}",
            choice(&required).replace(" or ", " and ")
        ),
    }
}

fn string(schema: &Value) -> String {
    let says = |name: &str| schema.get(name).and_then(Value::as_str);
    let size = match (
        schema.get("minLength").and_then(Value::as_u64),
        schema.get("maxLength"),
    ) {
        (Some(1), None) => "a string that is not empty".to_owned(),
        _ => format!(
            "a string{}",
            count(schema, "minLength", "maxLength", "character")
        ),
    };
    match (says("format").and_then(format), says("pattern")) {
        (Some(format), _) => format!("{size} that is {format}"),
        (None, Some(pattern)) => format!("{size} that matches `{}`", clip(pattern, 80)),
        (None, None) => size,
    }
}

/// A format of strings, with an example; nothing for a format that is not known.
pub(super) fn format(name: &str) -> Option<&'static str> {
    Some(match name {
        "email" | "idn-email" => "an email address, such as `name@example.com`",
        "date-time" => "a date and time, such as `2025-01-31T12:00:00Z`",
        "date" => "a date, such as `2025-01-31`",
        "time" => "a time, such as `12:00:00Z`",
        "duration" => "a duration, such as `PT30S`",
        "uri" | "iri" => "a URI, such as `https://example.com/`",
        "uri-reference" | "iri-reference" => "a URI or a relative reference",
        "uuid" => "a UUID, such as `123e4567-e89b-12d3-a456-426614174000`",
        "ipv4" => "an IPv4 address, such as `192.0.2.1`",
        "ipv6" => "an IPv6 address, such as `2001:db8::1`",
        "hostname" | "idn-hostname" => "a host name, such as `example.com`",
        "regex" => "a regular expression",
        "json-pointer" => "a JSON pointer, such as `/a/0`",
        _ => return None,
    })
}

/// The range of a number; the bounds of 64 bits go without saying.
fn range(schema: &Value) -> String {
    let bound = |inclusive: &str| {
        let value = schema.get(inclusive).filter(|value| {
            value.as_i64() != Some(i64::MIN)
                && value.as_i64() != Some(i64::MAX)
                && value.as_u64() != Some(u64::MAX)
        });
        value.map(Value::to_string)
    };
    let multiple = match schema.get("multipleOf") {
        Some(step) => format!(" that is a multiple of {step}"),
        None => String::new(),
    };
    let above = schema
        .get("exclusiveMinimum")
        .map(|least| format!(" above {least}"))
        .unwrap_or_default();
    let below = schema
        .get("exclusiveMaximum")
        .map(|most| format!(" below {most}"))
        .unwrap_or_default();
    let within = match (bound("minimum"), bound("maximum")) {
        (None, None) => String::new(),
        (Some(least), None) => format!(" of at least {least}"),
        (None, Some(most)) => format!(" of at most {most}"),
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
    };
    format!("{within}{above}{below}{multiple}")
}

fn count(schema: &Value, least: &str, most: &str, what: &str) -> String {
    let bound = |name: &str| schema.get(name).and_then(Value::as_u64);
    let many = |number: u64| {
        if number == 1 {
            format!("1 {what}")
        } else {
            format!("{number} {what}s")
        }
    };
    match (bound(least).filter(|least| *least > 0), bound(most)) {
        (None, None) => String::new(),
        (Some(least), None) => format!(" of at least {}", many(least)),
        (None, Some(most)) => format!(" of at most {}", many(most)),
        (Some(least), Some(most)) if least == most => format!(" of {}", many(most)),
        (Some(least), Some(most)) => format!(" of {least} to {}", many(most)),
    }
}
