//! Definitions as model providers take them.
//!
//! | form | told by |
//! |---|---|
//! | own, Anthropic | `input_schema` |
//! | MCP | `inputSchema` |
//! | OpenAI chat | `type` is `function`, and `function` |
//! | OpenAI responses | `type` is `function`, and `name` |
//! | Gemini | `functionDeclarations`, or `parameters` without a `type` |

use serde_json::{Map, Value};

use super::Wrong;
use super::entry::{Fields, ToolFileEntry, effects, no_input};

/// The keys of Anthropic's form that are not this project's.
const ANTHROPIC: [&str; 8] = [
    "type",
    "cache_control",
    "strict",
    "defer_loading",
    "allowed_callers",
    "input_examples",
    "eager_input_streaming",
    "title",
];

/// The definitions of a list in any form, also mixed.
pub(super) fn entries(list: Vec<Value>) -> Result<Vec<ToolFileEntry>, Wrong> {
    let mut entries = Vec::new();
    for (number, item) in (1..).zip(list) {
        let Value::Object(object) = item else {
            return Err(Wrong::new(
                None,
                format!("definition {number} is not an object"),
            ));
        };
        add(object, number, &mut entries)?;
    }
    Ok(entries)
}

/// The definitions below the key `tools`: this project's own keys, or those of MCP.
pub(super) fn own_entries(list: Vec<Value>) -> Result<Vec<ToolFileEntry>, Wrong> {
    let is_own = |item: &Value| {
        ![
            "inputSchema",
            "function",
            "functionDeclarations",
            "parameters",
            "function_declarations",
        ]
        .iter()
        .any(|key| item.get(key).is_some())
    };
    if list.iter().all(is_own) {
        list.into_iter().map(ToolFileEntry::from_own).collect()
    } else {
        entries(list)
    }
}

fn add(
    mut object: Map<String, Value>,
    number: usize,
    entries: &mut Vec<ToolFileEntry>,
) -> Result<(), Wrong> {
    for key in ["functionDeclarations", "function_declarations"] {
        if let Some(list) = object.remove(key) {
            let Value::Array(list) = list else {
                return Err(Wrong {
                    key: Some(key.into()),
                    message: format!("`{key}` must be a list"),
                });
            };
            for item in list {
                let Value::Object(item) = item else {
                    return Err(Wrong {
                        key: Some(key.into()),
                        message: format!("`{key}` must be a list of definitions"),
                    });
                };
                entries.push(gemini(&item, number)?);
            }
            return Ok(());
        }
    }
    entries.push(if object.contains_key("inputSchema") {
        mcp(&object, number)?
    } else if let Some(Value::Object(function)) = object.get("function") {
        plain(function, "parameters", number)?
    } else if object.get("type").and_then(Value::as_str) == Some("function") {
        plain(&object, "parameters", number)?
    } else if object.contains_key("input_schema") || object.contains_key("command") {
        object.retain(|key, _| !ANTHROPIC.contains(&key.as_str()));
        ToolFileEntry::from_own(Value::Object(object))?
    } else if object.contains_key("name") {
        gemini(&object, number)?
    } else {
        return Err(Wrong::new(
            None,
            format!(
                "definition {number} is in no form that is known; it needs a `name` and a schema"
            ),
        ));
    });
    Ok(())
}

fn plain(
    object: &Map<String, Value>,
    schema: &'static str,
    number: usize,
) -> Result<ToolFileEntry, Wrong> {
    let fields = Fields(object);
    let name = fields.text("name")?;
    let name =
        name.ok_or_else(|| Wrong::new(None, format!("definition {number} has no `name`")))?;
    let description = fields.text("description")?.unwrap_or_default();
    let input_schema = fields.schema(schema)?.unwrap_or_else(no_input);
    Ok(ToolFileEntry::new(name, description, input_schema))
}

fn mcp(object: &Map<String, Value>, number: usize) -> Result<ToolFileEntry, Wrong> {
    let mut entry = plain(object, "inputSchema", number)?;
    entry.output_schema = Fields(object).schema("outputSchema")?;
    if let Some(Value::Object(hints)) = object.get("annotations") {
        entry.effects = effects(|key| {
            let hint = match key {
                "read_only" => "readOnlyHint",
                "destructive" => "destructiveHint",
                "idempotent" => "idempotentHint",
                _ => "openWorldHint",
            };
            Ok(hints.get(hint).and_then(Value::as_bool))
        })?;
    }
    Ok(entry)
}

fn gemini(object: &Map<String, Value>, number: usize) -> Result<ToolFileEntry, Wrong> {
    if object.contains_key("parametersJsonSchema") {
        return plain(object, "parametersJsonSchema", number);
    }
    let mut entry = plain(object, "parameters", number)?;
    lower_types(&mut entry.input_schema);
    Ok(entry)
}

/// Gemini writes the types of a schema in capitals, and `nullable` for a type that may be null.
fn lower_types(schema: &mut Value) {
    let Value::Object(object) = schema else {
        return;
    };
    if let Some(Value::String(kind)) = object.get_mut("type") {
        kind.make_ascii_lowercase();
    }
    if object.remove("nullable") == Some(Value::Bool(true))
        && let Some(kind) = object.get_mut("type")
    {
        *kind = Value::Array(vec![kind.take(), "null".into()]);
    }
    for (key, below) in object.iter_mut() {
        match (key.as_str(), below) {
            ("properties", Value::Object(properties)) => {
                properties.values_mut().for_each(lower_types);
            }
            ("items" | "additionalProperties", below) => lower_types(below),
            ("anyOf" | "prefixItems", Value::Array(list)) => list.iter_mut().for_each(lower_types),
            _ => {}
        }
    }
}
