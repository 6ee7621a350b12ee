//! The bounds that a type has in Rust, said in the schema.
//!
//! A schema that says `"format": "uint32"` promises 2^32 to a model, and serde refuses it. What
//! cannot be said is the width of an integer *key* of a map: its schema is gone by then, so that
//! is left to the lint of `toolpost-test`.

use serde_json::{Map, Number, Value, json};

pub(super) fn set(schema: &mut Map<String, Value>) {
    let format = schema
        .get("format")
        .and_then(Value::as_str)
        .unwrap_or("")
        .to_owned();
    let (least, most) = match format.as_str() {
        "int8" => (Number::from(i8::MIN), Number::from(i8::MAX)),
        "int16" => (Number::from(i16::MIN), Number::from(i16::MAX)),
        "int32" => (Number::from(i32::MIN), Number::from(i32::MAX)),
        "int64" => (Number::from(i64::MIN), Number::from(i64::MAX)),
        "int" => (Number::from(isize::MIN), Number::from(isize::MAX)),
        "uint8" => (Number::from(u8::MIN), Number::from(u8::MAX)),
        "uint16" => (Number::from(u16::MIN), Number::from(u16::MAX)),
        "uint32" => (Number::from(u32::MIN), Number::from(u32::MAX)),
        "uint64" => (Number::from(u64::MIN), Number::from(u64::MAX)),
        "uint" => (Number::from(usize::MIN), Number::from(usize::MAX)),
        // A number of a call is read as 64 bits or a double; more would not arrive exactly.
        "int128" => (Number::from(i64::MIN), Number::from(u64::MAX)),
        "uint128" => (Number::from(u64::MIN), Number::from(u64::MAX)),
        // Beyond, serde makes it infinite without a word.
        "float" => match (
            Number::from_f64(f32::MIN.into()),
            Number::from_f64(f32::MAX.into()),
        ) {
            (Some(least), Some(most)) => (least, most),
            _ => return,
        },
        "ip" if is_type(schema, "string") => {
            schema.shift_remove("format");
            schema.insert(
                "anyOf".to_owned(),
                json!([{"format": "ipv4"}, {"format": "ipv6"}]),
            );
            return;
        }
        _ => return key_patterns(schema),
    };
    if is_type(schema, "integer") || is_type(schema, "number") {
        tighten(schema, "minimum", least, |said, least| said > least);
        tighten(schema, "maximum", most, |said, most| said < most);
    }
}

fn is_type(schema: &Map<String, Value>, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(said)) => said == kind,
        Some(Value::Array(said)) => said.iter().any(|said| said == kind),
        _ => false,
    }
}

/// Sets a bound, unless the author set a tighter one.
fn tighten(
    schema: &mut Map<String, Value>,
    keyword: &str,
    bound: Number,
    is_tighter: fn(f64, f64) -> bool,
) {
    let said = schema.get(keyword).and_then(Value::as_f64);
    let kept = said
        .zip(bound.as_f64())
        .is_some_and(|(said, bound)| is_tighter(said, bound) || said == bound);
    if !kept {
        schema.insert(keyword.to_owned(), Value::Number(bound));
    }
}

/// Integer keys of a map: spelled as an integer is, with no needless sign or zero.
fn key_patterns(schema: &mut Map<String, Value>) {
    let Some(Value::Object(patterns)) = schema.get_mut("patternProperties") else {
        return;
    };
    for (loose, plain) in [
        (r"^\d+$", "^(0|[1-9][0-9]*)$"),
        (r"^-?\d+$", "^(0|-?[1-9][0-9]*)$"),
    ] {
        if let Some(value) = patterns.shift_remove(loose) {
            patterns.insert(plain.to_owned(), value);
        }
    }
}

/// `Duration` and `SystemTime` refuse some values that fit their integers.
pub(super) fn set_times(schema: &mut Value) {
    let most_of = |name: &str| match name {
        "nanos" | "nanos_since_epoch" => Some(999_999_999_u64),
        // The end of the year 9999, which every system's clock can say.
        "secs_since_epoch" => Some(253_402_300_799),
        _ => None,
    };
    let Some(Value::Object(definitions)) = schema.get_mut("$defs") else {
        return;
    };
    for name in ["Duration", "SystemTime"] {
        let Some(properties) = definitions
            .get_mut(name)
            .and_then(|schema| schema.get_mut("properties"))
        else {
            continue;
        };
        let Value::Object(properties) = properties else {
            continue;
        };
        if properties.len() != 2 {
            continue;
        }
        for (name, schema) in properties.iter_mut() {
            if let (Some(most), Value::Object(schema)) = (most_of(name), schema) {
                tighten(schema, "maximum", most.into(), |said, most| said < most);
            }
        }
    }
}
