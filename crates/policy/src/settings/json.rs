//! From TOML to JSON.

use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

pub(super) fn of_table(table: &DeTable<'_>) -> Value {
    let fields = table
        .iter()
        .map(|(key, value)| (key.get_ref().to_string(), of(value.get_ref())));
    Value::Object(fields.collect::<Map<_, _>>())
}

pub(super) fn of(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Integer(number) => integer(number.as_str(), number.radix()),
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map_or(Value::Null, Value::Number),
        DeValue::Boolean(truth) => Value::Bool(*truth),
        DeValue::Datetime(time) => Value::String(time.to_string()),
        DeValue::Array(items) => items.iter().map(|item| of(item.get_ref())).collect(),
        DeValue::Table(table) => of_table(table),
    }
}

fn integer(digits: &str, radix: u32) -> Value {
    match i64::from_str_radix(digits, radix) {
        Ok(number) => number.into(),
        Err(_) => u64::from_str_radix(digits, radix).map_or(Value::Null, Value::from),
    }
}
