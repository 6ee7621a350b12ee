//! A value with one change: what models get wrong, and where readers of JSON are lax.

use serde_json::{Number, Value, json};

use super::schema::{Schema, member};

/// What was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Change {
    /// A value of another type, or `null`.
    Type,
    /// Another string.
    Text,
    /// A field is gone.
    Removed,
    /// A field has its name in another case.
    Renamed,
    /// Something that the contract refuses by itself whatever serde does: an unknown field, a
    /// struct as an array, a unit variant as an object, another number, other items of a list.
    Closed,
}

/// A changed input.
pub(super) struct Mutation {
    pub(super) change: Change,
    /// The place of the change; a field that is gone or renamed is its own place.
    pub(super) pointer: String,
    /// Tells changes of one kind apart.
    pub(super) label: String,
    pub(super) input: Value,
}

/// All changes of an input.
pub(super) fn mutations(schema: Schema<'_>, input: &Value) -> Vec<Mutation> {
    let mut found = Vec::new();
    walk(schema, input, input, String::new(), &mut found);
    found
}

fn walk(
    schema: Schema<'_>,
    input: &Value,
    here: &Value,
    pointer: String,
    found: &mut Vec<Mutation>,
) {
    for (change, label, to) in replacements(schema, here, &pointer) {
        let mut changed = input.clone();
        if let Some(place) = changed.pointer_mut(&pointer) {
            *place = to;
            found.push(Mutation {
                change,
                pointer: pointer.clone(),
                label,
                input: changed,
            });
        }
    }
    match here {
        Value::Object(members) => {
            for (name, value) in members {
                let field = member(&pointer, name);
                let mut without = members.clone();
                without.shift_remove(name);
                let mut change = |change, label: String, members| {
                    let mut changed = input.clone();
                    if let Some(place) = changed.pointer_mut(&pointer) {
                        *place = Value::Object(members);
                        found.push(Mutation {
                            change,
                            pointer: field.clone(),
                            label,
                            input: changed,
                        });
                    }
                };
                change(Change::Removed, "removed".to_owned(), without.clone());
                for other in cases(name) {
                    let mut renamed = without.clone();
                    renamed.insert(other.clone(), value.clone());
                    change(Change::Renamed, other, renamed);
                }
                walk(schema, input, value, field, found);
            }
        }
        Value::Array(items) => {
            // One item stands for all.
            if let Some(item) = items.first() {
                walk(schema, input, item, format!("{pointer}/0"), found);
            }
        }
        _ => {}
    }
}

/// What to put in place of a value.
fn replacements(schema: Schema<'_>, here: &Value, pointer: &str) -> Vec<(Change, String, Value)> {
    let mut to: Vec<(Change, Value)> = Vec::new();
    let others = [
        json!(null),
        json!(true),
        json!(7),
        json!(1.5),
        json!("x"),
        json!([]),
        json!({}),
        json!({"zz": 1}),
    ];
    for other in others {
        if kind(&other) != kind(here) {
            let as_array = here.is_object() && other.is_array();
            to.push((
                if as_array {
                    Change::Closed
                } else {
                    Change::Type
                },
                other,
            ));
        }
    }
    match here {
        Value::Null => {}
        Value::Bool(value) => {
            to.extend(
                [json!(value.to_string()), json!(i32::from(*value))]
                    .map(|value| (Change::Type, value)),
            );
        }
        Value::Number(number) => {
            to.push((Change::Type, json!(number.to_string())));
            to.extend(
                other_numbers(schema, number, pointer)
                    .into_iter()
                    .map(|value| (Change::Closed, value)),
            );
        }
        Value::String(text) => {
            to.push((Change::Closed, json!({ text.as_str(): null })));
            to.extend(
                [
                    "no such text",
                    "",
                    &text.to_uppercase(),
                    &format!("{text} "),
                ]
                .map(|other| (Change::Text, json!(other))),
            );
        }
        Value::Array(items) => {
            let doubled: Value = items.iter().chain(items.first()).cloned().collect();
            to.push((Change::Closed, doubled));
            to.push((Change::Closed, items.iter().skip(1).cloned().collect()));
            to.extend(
                items
                    .first()
                    .filter(|item| !item.is_array())
                    .map(|item| (Change::Type, item.clone())),
            );
        }
        Value::Object(members) => {
            let mut more = members.clone();
            more.insert("no_such_field".to_owned(), json!(1));
            to.push((Change::Closed, Value::Object(more)));
            to.push((Change::Closed, members.values().cloned().collect()));
        }
    }
    if !here.is_array() && !here.is_null() && !here.is_object() {
        to.push((Change::Type, json!([here])));
    }
    to.retain(|(_, value)| value != here);
    for (change, value) in &mut to {
        // A type that the place takes too: then something else is wrong with the value.
        if *change == Change::Type && schema.takes_type(pointer, value) {
            *change = Change::Closed;
        }
    }
    to.into_iter()
        .map(|(change, value)| (change, value.to_string(), value))
        .collect()
}

/// Numbers just inside and outside the bounds, and those that do not fit their type.
fn other_numbers(schema: Schema<'_>, number: &Number, pointer: &str) -> Vec<Value> {
    let mut numbers = vec![
        json!(-1),
        json!(0),
        json!(1e30),
        json!(-1e30),
        json!(u64::MAX),
        json!(i64::MIN),
    ];
    if let Some(integer) = number.as_i64() {
        // The same integer as a float, and one that is none.
        numbers.extend(
            integer
                .to_string()
                .parse::<f64>()
                .ok()
                .map(|float| json!(float)),
        );
        numbers.extend(
            integer
                .to_string()
                .parse::<f64>()
                .ok()
                .map(|float| json!(float + 0.5)),
        );
    }
    for place in schema.at(pointer) {
        for name in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            let Some(bound) = place.get(name) else {
                continue;
            };
            numbers.push(bound.clone());
            if let Some(bound) = bound.as_i64() {
                numbers.extend([
                    json!(bound.saturating_sub(1)),
                    json!(bound.saturating_add(1)),
                ]);
            } else if let Some(bound) = bound.as_f64() {
                numbers.extend([json!(bound * 1.1), json!(bound * 0.9)]);
            }
        }
    }
    numbers
}

fn kind(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Array(_) => 4,
        Value::Object(_) => 5,
    }
}

/// The name in the other cases that people write, and its last word.
fn cases(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    for character in name.chars() {
        if matches!(character, '_' | '-' | ' ') {
            words.push(String::new());
            continue;
        }
        let last_is_lower = words
            .last()
            .and_then(|word| word.chars().last())
            .is_some_and(char::is_lowercase);
        if character.is_uppercase() && last_is_lower {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    let capital = |word: &String| {
        let mut letters = word.chars();
        letters
            .next()
            .into_iter()
            .flat_map(char::to_uppercase)
            .chain(letters)
            .collect::<String>()
    };
    let pascal: String = words.iter().map(capital).collect();
    let camel: String = words
        .iter()
        .take(1)
        .cloned()
        .chain(words.iter().skip(1).map(capital))
        .collect();
    let upper = name.to_uppercase();
    let mut cases = vec![
        words.join("_"),
        words.join("-"),
        words.concat(),
        camel,
        pascal,
        upper,
    ];
    cases.extend(words.first().cloned());
    cases.extend(words.last().cloned());
    cases.retain(|other| other != name);
    cases.sort();
    cases.dedup();
    cases
}
