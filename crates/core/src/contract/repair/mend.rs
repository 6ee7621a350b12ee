//! What a value of the wrong type may have been meant to be.

use jsonschema::{JsonType, JsonTypeSet};
use serde_json::{Value, json};

use super::{
    super::{
        Limits,
        problems::{Fault, Finding},
    },
    read,
};
use crate::json::Number;

/// A change that may help.
pub(super) struct Mend {
    pub(super) pointer: String,
    /// What to put there; nothing drops the field.
    pub(super) to: Option<Value>,
    /// Whether it puts the value into a list.
    pub(super) is_wrap: bool,
}

pub(super) fn mend(finding: &Finding<'_>, limits: &Limits) -> Option<Mend> {
    // Arguments as a whole are unwrapped elsewhere, and never dropped or listed.
    if finding.pointer.is_empty() {
        return None;
    }
    let mend = |to, is_wrap| {
        Some(Mend {
            pointer: finding.pointer.clone(),
            to,
            is_wrap,
        })
    };
    let wanted = match &finding.fault {
        Fault::Type(wanted) => *wanted,
        Fault::Values(options) => options
            .iter()
            .map(type_of)
            .fold(JsonTypeSet::empty(), JsonTypeSet::insert),
        _ => return None,
    };
    if finding.value.is_null() {
        return mend(None, false);
    }
    if wanted.contains(JsonType::String) {
        return None;
    }
    if let Some(text) = finding.value.as_str() {
        if let Some(inner) = unquote(text, wanted, &finding.pointer, limits) {
            return mend(Some(inner), false);
        }
        if text.trim().is_empty() {
            return None;
        }
    }
    let is_type = matches!(finding.fault, Fault::Type(_));
    if is_type && wanted.contains(JsonType::Array) {
        return mend(Some(json!([finding.value])), true);
    }
    None
}

fn type_of(value: &Value) -> JsonType {
    match value {
        Value::Null => JsonType::Null,
        Value::Bool(_) => JsonType::Boolean,
        Value::Number(_) => JsonType::Number,
        Value::String(_) => JsonType::String,
        Value::Array(_) => JsonType::Array,
        Value::Object(_) => JsonType::Object,
    }
}

/// The value in a string, when it is of a wanted type.
fn unquote(text: &str, wanted: JsonTypeSet, pointer: &str, limits: &Limits) -> Option<Value> {
    let text = text.trim();
    // What is inside may be as deep as the limit leaves at this place.
    let depth = limits.depth.checked_sub(pointer.matches('/').count())?;
    let inner = match text {
        "True" => Value::Bool(true),
        "False" => Value::Bool(false),
        text => read(text, &Limits { depth, ..*limits })?,
    };
    let fits = match &inner {
        Value::Bool(_) => wanted.contains(JsonType::Boolean),
        Value::Number(number) => {
            wanted.contains(JsonType::Number)
                || (wanted.contains(JsonType::Integer) && Number::from(number).is_integer())
        }
        Value::Array(_) => wanted.contains(JsonType::Array),
        Value::Object(_) => wanted.contains(JsonType::Object),
        Value::Null | Value::String(_) => false,
    };
    fits.then_some(inner)
}
