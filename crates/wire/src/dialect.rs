//! Definitions in the form of each provider, with a report of what the form could not carry.
//!
//! A dialect is a view that is derived from the definition; the definition stays the law. What the
//! view accepts, once [`Dialect::lift`] has mapped it back, the contract accepts too, unless a
//! keyword that the report names refuses it.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Map, Value, json};
use thiserror::Error;
use toolpost_core::Definition;

use crate::names;

mod anthropic;
mod lift;
mod refs;
mod strict;

/// The form of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// toolpost's own, whole.
    Native,
    /// `{name, description, input_schema}`.
    Anthropic,
    /// `{type: "function", function: {name, description, parameters}}`.
    Openai,
    /// The same with `strict: true`, where the schema fits strict mode.
    OpenaiStrict,
    /// `{name, description, parametersJsonSchema}`.
    Gemini,
    /// `{name, description, inputSchema, outputSchema}`.
    Mcp,
}

/// No dialect has this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no dialect; there are `native`, `anthropic`, `openai`, `openai-strict`, `gemini` and `mcp`"
)]
pub struct UnknownDialect(String);

/// Something that a dialect could not carry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// JSON pointer into the input schema; empty for the definition as a whole.
    pub pointer: String,
    /// The keyword of the schema that is not in the view, or `name`.
    pub keyword: String,
    /// What that means, in one sentence.
    pub reason: String,
}

/// A definition in a provider's form.
#[derive(Debug, Clone, PartialEq)]
pub struct Lowered {
    /// The definition as the provider takes it.
    pub definition: Value,
    /// What is not in it.
    pub losses: Vec<Loss>,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Native,
        Self::Anthropic,
        Self::Openai,
        Self::OpenaiStrict,
        Self::Gemini,
        Self::Mcp,
    ];

    /// The dialect's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::OpenaiStrict => "openai-strict",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    /// The definition in this form.
    pub fn lower(self, tool: &Definition) -> Lowered {
        let mut losses = Losses::default();
        if let Some(reason) = names::refused(self, &tool.name) {
            losses.add("", "name", reason);
        }
        let schema = &*tool.input_schema;
        let (name, description) = (&tool.name, &tool.description);
        let definition = match self {
            Self::Native => native(tool),
            Self::Anthropic => {
                let schema = anthropic::schema(schema, &mut losses);
                json!({ "name": name, "description": description, "input_schema": schema })
            }
            Self::Openai => openai(tool, schema, None),
            Self::OpenaiStrict => match strict::schema(schema, &mut losses) {
                Some(schema) if tool.strict => openai(tool, &schema, Some(true)),
                _ => openai(tool, schema, Some(false)),
            },
            Self::Gemini => {
                json!({ "name": name, "description": description, "parametersJsonSchema": schema })
            }
            Self::Mcp => mcp(tool, &mut losses),
        };
        Lowered {
            definition,
            losses: losses.0,
        }
    }

    /// Arguments that fit the view as the contract takes them: a field that strict mode made
    /// nullable, since it has no optional ones, is left out where it is `null`.
    pub fn lift(self, tool: &Definition, arguments: Value) -> Value {
        match self {
            Self::OpenaiStrict => lift::without_nulls(&tool.input_schema, arguments),
            _ => arguments,
        }
    }
}

fn native(tool: &Definition) -> Value {
    let mut definition = Map::new();
    definition.insert("v".into(), 1.into());
    if let Ok(Value::Object(fields)) = serde_json::to_value(tool) {
        definition.extend(fields);
    }
    Value::Object(definition)
}

fn openai(tool: &Definition, schema: &Value, strict: Option<bool>) -> Value {
    let mut function = json!({
        "name": tool.name, "description": tool.description, "parameters": schema,
    });
    if let (Some(strict), Some(function)) = (strict, function.as_object_mut()) {
        function.insert("strict".into(), strict.into());
    }
    json!({ "type": "function", "function": function })
}

fn mcp(tool: &Definition, losses: &mut Losses) -> Value {
    let mut definition = json!({
        "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema,
    });
    if let (Some(output), Some(definition)) = (&tool.output_schema, definition.as_object_mut()) {
        // Clients of 2025 refuse the whole list for an output that is no object.
        if output.get("type").and_then(Value::as_str) == Some("object") {
            definition.insert("outputSchema".into(), Value::clone(output));
        } else {
            losses.add(
                "",
                "output_schema",
                "an output that is no object is not declared",
            );
        }
    }
    definition
}

/// What was lost so far.
#[derive(Default)]
struct Losses(Vec<Loss>);

impl Losses {
    fn add(&mut self, pointer: &str, keyword: &str, reason: impl Into<String>) {
        self.0.push(Loss {
            pointer: pointer.to_owned(),
            keyword: keyword.to_owned(),
            reason: reason.into(),
        });
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        let found = Self::ALL.into_iter().find(|dialect| dialect.name() == name);
        found.ok_or_else(|| UnknownDialect(name.chars().take(40).collect()))
    }
}
