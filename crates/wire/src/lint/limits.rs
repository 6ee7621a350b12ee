//! Limits that a provider sets to a schema's size. The figures are OpenAI's for strict mode, as
//! published in 2026: the tightest of the published ones.

use serde_json::Value;
use toolpost_core::Definition;

use super::Finding;

const PROPERTIES: usize = 5_000;
const LEVELS: usize = 10;
const NAME_CHARS: usize = 120_000;
const ENUM_VALUES: usize = 1_000;

#[derive(Default)]
struct Size {
    properties: usize,
    levels: usize,
    name_chars: usize,
    enum_values: usize,
}

/// The limits that a definition goes over.
pub(super) fn check(tool: &Definition) -> Vec<Finding> {
    let mut size = Size::default();
    measure(&tool.input_schema, 1, &mut size);
    let rows = [
        (size.properties, PROPERTIES, "fields"),
        (size.levels, LEVELS, "levels of objects"),
        (
            size.name_chars,
            NAME_CHARS,
            "characters of names and listed values",
        ),
        (size.enum_values, ENUM_VALUES, "listed values"),
    ];
    let over = rows.into_iter().filter(|(is, limit, _)| is > limit);
    over.map(|(is, limit, what)| Finding {
        tool: tool.name.to_string(),
        pointer: String::new(),
        code: "too_large",
        message: format!("the schema has {is} {what}; OpenAI takes {limit}"),
    })
    .collect()
}

fn measure(schema: &Value, level: usize, size: &mut Size) {
    if level > 200 {
        return;
    }
    match schema {
        Value::Object(fields) => {
            for (keyword, value) in fields {
                let mut deeper = level;
                match (keyword.as_str(), value) {
                    ("properties", Value::Object(named)) => {
                        size.levels = size.levels.max(level);
                        size.properties += named.len();
                        size.name_chars += named.keys().map(String::len).sum::<usize>();
                        deeper += 1;
                    }
                    ("enum", Value::Array(values)) => {
                        size.enum_values += values.len();
                        size.name_chars += values
                            .iter()
                            .filter_map(Value::as_str)
                            .map(str::len)
                            .sum::<usize>();
                        continue;
                    }
                    _ => {}
                }
                measure(value, deeper, size);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| measure(item, level, size)),
        _ => {}
    }
}
