//! Two outcomes, ids and times aside.

use serde::Serialize;
use serde_json::Value;

/// More characters of a value are not shown.
const SHOWN: usize = 60;

/// What is compared of an outcome, of several, or of anything else.
pub(super) fn compared(value: &impl Serialize) -> Value {
    let mut value = match serde_json::to_value(value) {
        Ok(value) => value,
        Err(error) => Value::String(error.to_string()),
    };
    match &mut value {
        Value::Array(outcomes) => outcomes.iter_mut().for_each(strip),
        outcome => strip(outcome),
    }
    value
}

fn strip(value: &mut Value) {
    if let Value::Object(fields) = value
        && fields.contains_key("v")
        && fields.contains_key("status")
    {
        fields.shift_remove("id");
        fields.shift_remove("time");
    }
}

/// The first place where two values differ, in words.
pub(super) fn difference(one: &Value, other: &Value) -> Option<String> {
    let (pointer, one, other) = first_other(one, other, String::new())?;
    let place = if pointer.is_empty() {
        "it".to_owned()
    } else {
        format!("`{pointer}`")
    };
    Some(format!("{place} is {} and {}", shown(one), shown(other)))
}

type Other<'a> = (String, Option<&'a Value>, Option<&'a Value>);

fn first_other<'a>(one: &'a Value, other: &'a Value, at: String) -> Option<Other<'a>> {
    match (one, other) {
        (Value::Object(left), Value::Object(right)) => {
            let names = left
                .keys()
                .chain(right.keys().filter(|name| !left.contains_key(*name)));
            names.into_iter().find_map(|name| {
                let at = format!("{at}/{name}");
                within(left.get(name), right.get(name), at)
            })
        }
        (Value::Array(left), Value::Array(right)) => (0..left.len().max(right.len()))
            .find_map(|index| within(left.get(index), right.get(index), format!("{at}/{index}"))),
        _ => (one != other).then_some((at, Some(one), Some(other))),
    }
}

fn within<'a>(one: Option<&'a Value>, other: Option<&'a Value>, at: String) -> Option<Other<'a>> {
    match (one, other) {
        (Some(one), Some(other)) => first_other(one, other, at),
        (one, other) => Some((at, one, other)),
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else {
        return "not there".to_owned();
    };
    let text = value.to_string();
    if text.chars().count() <= SHOWN {
        return format!("`{text}`");
    }
    let head: String = text.chars().take(SHOWN).collect();
    format!("`{head}…`")
}

#[cfg(test)]
mod tests;
