//! Strings that a schema accepts.

use serde_json::{Value, json};
use toolpost_core::contract::{Contract, ReadOptions};

/// Strings of many forms; one of them fits most patterns that people write.
const USUAL: [&str; 36] = [
    "a",
    "A",
    "abc",
    "ABC",
    "Abc",
    "abcdef",
    "1",
    "7",
    "12",
    "123",
    "1234",
    "12345",
    "a1",
    "A1",
    "abc123",
    "a-b",
    "a_b",
    "a.b",
    "a/b",
    "/a/b",
    "a:b",
    "a b",
    "#fff",
    "#ffffff",
    "1.2",
    "1.2.3",
    "v1.2.3",
    "1-5",
    "2025-01-31",
    "12:00",
    "12:00:00",
    "2025-01-31T12:00:00Z",
    "name@example.com",
    "https://example.com/",
    "*.rs",
    "00ff",
];

pub(super) fn strings_for(schema: &Value) -> Vec<Value> {
    let length = |name: &str| {
        schema
            .get(name)
            .and_then(Value::as_u64)
            .and_then(|bound| usize::try_from(bound).ok())
    };
    let format = schema.get("format").and_then(Value::as_str).or_else(|| {
        let forms = schema.get("anyOf").and_then(Value::as_array)?;
        forms.iter().find_map(|form| form.get("format")?.as_str())
    });
    let mut candidates: Vec<String> = ["examples", "default"]
        .iter()
        .filter_map(|name| schema.get(*name))
        .flat_map(|said| {
            said.as_array()
                .cloned()
                .unwrap_or_else(|| vec![said.clone()])
        })
        .filter_map(|said| said.as_str().map(str::to_owned))
        .collect();
    candidates.extend(format.and_then(of_format).map(str::to_owned));
    if let Some(least) = length("minLength") {
        candidates.push("a".repeat(least.min(10_000)));
    }
    if let Some(most) = length("maxLength") {
        candidates.push("é".repeat(most.min(10_000)));
    }
    let free = ["pattern", "format", "anyOf", "minLength", "maxLength"]
        .iter()
        .all(|name| schema.get(*name).is_none());
    if free {
        candidates.extend(["text", "", "é😀 \n\"quoted\""].map(str::to_owned));
    } else {
        candidates.extend(USUAL.map(str::to_owned));
    }
    let mut fitting = candidates
        .into_iter()
        .map(Value::from)
        .filter(|text| fits(schema, text))
        .collect::<Vec<_>>();
    fitting.dedup();
    fitting.truncate(6);
    fitting
}

/// Whether a schema without references accepts a value, by the contract's own validator.
pub(super) fn fits(schema: &Value, value: &Value) -> bool {
    let object = json!({"type": "object", "properties": {"value": schema}});
    let options = ReadOptions {
        repair: false,
        ..ReadOptions::default()
    };
    Contract::from_schema(object).is_ok_and(|contract| {
        contract
            .read(&json!({ "value": value }).to_string(), &options)
            .is_ok()
    })
}

fn of_format(format: &str) -> Option<&'static str> {
    Some(match format {
        "email" | "idn-email" => "name@example.com",
        "date-time" => "2025-01-31T12:00:00Z",
        "date" => "2025-01-31",
        "time" => "12:00:00Z",
        "duration" => "PT30S",
        "uri" | "iri" | "uri-reference" | "iri-reference" => "https://example.com/",
        "uuid" => "123e4567-e89b-12d3-a456-426614174000",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "hostname" | "idn-hostname" => "example.com",
        "regex" => "[a-z]+",
        "json-pointer" => "/a/0",
        _ => return None,
    })
}
