//! Checks of definitions as data: what a model cannot use well, and what a provider refuses.

use serde::Serialize;
use serde_json::{Map, Value};
use toolpost_core::Definition;

use crate::dialect::Dialect;
use crate::names;

mod limits;

/// Something that should be mended in a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The tool's name.
    pub tool: String,
    /// JSON pointer into the input schema; empty for the definition as a whole.
    pub pointer: String,
    /// What kind of finding it is, for programs: `no_description`, `open_object`, …
    pub code: &'static str,
    /// What is wrong and what would be right.
    pub message: String,
}

/// Checks one definition.
pub fn lint(tool: &Definition) -> Vec<Finding> {
    let mut lint = Lint {
        tool,
        found: Vec::new(),
    };
    lint.name();
    lint.description("", &tool.name, Some(&tool.description), "the tool");
    lint.root();
    lint.schema(&tool.input_schema, "", 0);
    lint.found.extend(limits::check(tool));
    lint.found
}

/// Deeper than this a schema is not looked at; a provider has refused it long before.
const DEEPEST: usize = 64;

struct Lint<'a> {
    tool: &'a Definition,
    found: Vec<Finding>,
}

impl Lint<'_> {
    fn find(&mut self, pointer: &str, code: &'static str, message: impl Into<String>) {
        self.found.push(Finding {
            tool: self.tool.name.to_string(),
            pointer: pointer.to_owned(),
            code,
            message: message.into(),
        });
    }

    fn name(&mut self) {
        let dialects = Dialect::ALL.into_iter();
        // Strict mode is no other provider.
        let dialects = dialects.filter(|dialect| *dialect != Dialect::OpenaiStrict);
        let refusals: Vec<String> = dialects
            .filter_map(|dialect| names::refused(dialect, &self.tool.name))
            .collect();
        if !refusals.is_empty() {
            let message = format!("{}; use letters, digits, `_` and `-`", refusals.join("; "));
            self.find("", "name_refused", message);
        }
    }

    fn description(&mut self, pointer: &str, name: &str, text: Option<&str>, what: &str) {
        let text = text.unwrap_or_default().trim();
        if text.is_empty() {
            let message = format!("{what} has no description; say what it is for");
            self.find(pointer, "no_description", message);
        } else if is_useless(name, text) {
            let message =
                format!("the description of {what} says no more than its name; say what it is for");
            self.find(pointer, "useless_description", message);
        }
    }

    /// What the providers want of the root.
    fn root(&mut self) {
        let schema = &self.tool.input_schema;
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            self.find(
                "",
                "root_refused",
                "the root needs `\"type\": \"object\"`; every provider wants it",
            );
        }
        for keyword in ["oneOf", "anyOf", "allOf"] {
            if schema.get(keyword).is_some() {
                let message = format!(
                    "Anthropic and OpenAI refuse `{keyword}` at the root; put it into a field"
                );
                self.find("", "root_refused", message);
            }
        }
    }

    fn schema(&mut self, schema: &Value, at: &str, depth: usize) {
        let Value::Object(fields) = schema else {
            return;
        };
        if depth > DEEPEST {
            return;
        }
        if is_kind(fields, "object") || fields.contains_key("properties") {
            self.object(fields, at);
        }
        if is_kind(fields, "array")
            && !fields.contains_key("items")
            && !fields.contains_key("prefixItems")
        {
            self.find(
                at,
                "no_items",
                "Gemini and OpenAI refuse a list without `items`; say what is in it",
            );
        }
        if let Some(Value::Array(values)) = fields.get("enum")
            && values.is_empty()
        {
            self.find(at, "empty_enum", "an empty `enum` takes no value at all");
        }
        if let Some(reference) = fields.get("$ref").and_then(Value::as_str)
            && !reference.starts_with('#')
        {
            self.find(
                at,
                "outside_reference",
                format!("`{reference}` is outside the schema; no provider follows it"),
            );
        }
        self.below(fields, at, depth);
    }

    fn object(&mut self, fields: &Map<String, Value>, at: &str) {
        let is_false = |keyword: &str| fields.get(keyword) == Some(&Value::Bool(false));
        // A map says what its values are; that is no open object.
        let is_map = fields
            .get("additionalProperties")
            .is_some_and(Value::is_object)
            || fields.contains_key("patternProperties");
        if !is_false("additionalProperties") && !is_false("unevaluatedProperties") && !is_map {
            let message = "the object is open, so a misspelled field is dropped without a word; add `\"additionalProperties\": false`";
            self.find(at, "open_object", message);
        }
        let properties = fields.get("properties").and_then(Value::as_object);
        for (name, schema) in properties.into_iter().flatten() {
            let here = format!("{at}/properties/{}", escaped(name));
            if let Some(message) = names::refused_field(name) {
                self.find(&here, "field_name_refused", message);
            }
            let said = schema.get("description").and_then(Value::as_str);
            let is_fixed = schema.get("const").is_some();
            if !is_fixed {
                self.description(&here, name, said, &format!("the field `{name}`"));
            }
            if !says_type(schema) {
                let message =
                    format!("the field `{name}` has no `type`; Gemini and OpenAI refuse that");
                self.find(&here, "no_type", message);
            }
        }
        let required = fields.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if properties.is_none_or(|properties| !properties.contains_key(name)) && !is_map {
                let message =
                    format!("`{name}` is required but not among the fields; Gemini refuses that");
                self.find(at, "required_unknown", message);
            }
        }
    }

    /// All schemas directly inside this one.
    fn below(&mut self, fields: &Map<String, Value>, at: &str, depth: usize) {
        for (keyword, value) in fields {
            let here = format!("{at}/{}", escaped(keyword));
            match (keyword.as_str(), value) {
                (
                    "properties" | "$defs" | "definitions" | "patternProperties",
                    Value::Object(named),
                ) => {
                    for (name, schema) in named {
                        self.schema(schema, &format!("{here}/{}", escaped(name)), depth + 1);
                    }
                }
                ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                    for (index, schema) in list.iter().enumerate() {
                        self.schema(schema, &format!("{here}/{index}"), depth + 1);
                    }
                }
                ("items" | "additionalProperties" | "not" | "if" | "then" | "else", schema) => {
                    self.schema(schema, &here, depth + 1);
                }
                _ => {}
            }
        }
    }
}

fn is_kind(fields: &Map<String, Value>, kind: &str) -> bool {
    match fields.get("type") {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(kinds)) => kinds.iter().any(|one| one == kind),
        _ => false,
    }
}

fn says_type(schema: &Value) -> bool {
    ["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"]
        .iter()
        .any(|keyword| schema.get(keyword).is_some())
}

/// `file_path`: "The file path." tells nothing that the name does not.
fn is_useless(name: &str, text: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        let mut spaced = String::new();
        let mut was_lower = false;
        for c in text.chars() {
            if c.is_uppercase() && was_lower {
                spaced.push(' ');
            }
            was_lower = c.is_lowercase();
            spaced.extend(c.to_lowercase());
        }
        let split = spaced
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        split
            .filter(|word| {
                !matches!(
                    *word,
                    "the"
                        | "a"
                        | "an"
                        | "of"
                        | "this"
                        | "tool"
                        | "field"
                        | "parameter"
                        | "argument"
                        | "value"
                        | "input"
                )
            })
            .map(str::to_owned)
            .collect()
    };
    let (name, said) = (words(name), words(text));
    let is_filler = |word: &String| {
        matches!(
            word.as_str(),
            "todo" | "tbd" | "fixme" | "xxx" | "description" | "foo" | "bar" | "none" | "n"
        )
    };
    said.is_empty() || said == name || said.iter().all(is_filler)
}

/// A name as a part of a JSON pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
