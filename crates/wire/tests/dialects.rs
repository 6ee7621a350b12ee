//! What a view accepts, once it is mapped back, the contract accepts, unless a keyword that the
//! report names refuses it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::collections::BTreeMap;
use std::path::Path;

use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolpost_core::{Contract, Definition, Exposure, ReadOptions};
use toolpost_wire::{Dialect, Lowered};

fn definition(name: &str, schema: Value) -> Definition {
    Definition {
        name: name.into(),
        description: "A tool.".into(),
        input_schema: schema.into(),
        output_schema: None,
        exposure: Exposure::Direct,
        search_hint: None,
        strict: true,
        origin: None,
    }
}

fn takes(schema: &Value, input: &Value) -> bool {
    let options = ReadOptions {
        repair: false,
        ..ReadOptions::default()
    };
    let contract = Contract::from_schema(schema.clone()).unwrap();
    contract.read(&input.to_string(), &options).is_ok()
}

/// The schema in a lowered definition, and whether strict mode is asked for.
fn view(lowered: &Lowered) -> (&Value, bool) {
    let definition = &lowered.definition;
    let inner = definition.get("function").unwrap_or(definition);
    let schema = [
        "input_schema",
        "parameters",
        "parametersJsonSchema",
        "inputSchema",
    ]
    .iter()
    .find_map(|key| inner.get(key))
    .unwrap();
    (schema, inner.get("strict") == Some(&true.into()))
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is looked at")]
struct Search {
    /// What to look for.
    #[schemars(length(min = 1))]
    pattern: String,
    /// Where.
    path: Option<String>,
    /// How.
    #[serde(default)]
    mode: Mode,
    /// What to do with it.
    op: Option<Op>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Content,
    Count,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is looked at")]
enum Op {
    Insert { line: u32 },
    Delete { from: u32, to: Option<u32> },
}

fn search() -> Definition {
    let contract = Contract::<Search>::of_type().unwrap();
    definition("search", Value::clone(contract.schema()))
}

#[test]
fn strict_mode_wants_every_field_and_no_keyword_that_it_does_not_know() {
    let lowered = Dialect::OpenaiStrict.lower(&search());
    let (schema, strict) = view(&lowered);
    assert!(strict);
    assert_snapshot!(serde_json::to_string_pretty(schema).unwrap(), @r#"
    {
      "type": "object",
      "properties": {
        "pattern": {
          "type": "string",
          "description": "What to look for. (minLength: 1)"
        },
        "path": {
          "type": [
            "string",
            "null"
          ],
          "description": "Where."
        },
        "mode": {
          "type": [
            "string",
            "null"
          ],
          "enum": [
            "content",
            "count",
            null
          ],
          "description": "How."
        },
        "op": {
          "anyOf": [
            {
              "anyOf": [
                {
                  "type": "object",
                  "properties": {
                    "kind": {
                      "type": "string",
                      "const": "insert"
                    },
                    "line": {
                      "type": "integer",
                      "minimum": 0,
                      "maximum": 4294967295
                    }
                  },
                  "required": [
                    "kind",
                    "line"
                  ],
                  "additionalProperties": false
                },
                {
                  "type": "object",
                  "properties": {
                    "kind": {
                      "type": "string",
                      "const": "delete"
                    },
                    "from": {
                      "type": "integer",
                      "minimum": 0,
                      "maximum": 4294967295
                    },
                    "to": {
                      "type": [
                        "integer",
                        "null"
                      ],
                      "minimum": 0,
                      "maximum": 4294967295
                    }
                  },
                  "required": [
                    "kind",
                    "from",
                    "to"
                  ],
                  "additionalProperties": false
                }
              ]
            },
            {
              "type": "null"
            }
          ],
          "description": "What to do with it."
        }
      },
      "required": [
        "pattern",
        "path",
        "mode",
        "op"
      ],
      "additionalProperties": false
    }
    "#);
    let told: Vec<String> = lowered
        .losses
        .iter()
        .map(|l| format!("{} {}", l.pointer, l.keyword))
        .collect();
    assert_snapshot!(told.join("\n"), @r#"
    /properties/pattern minLength
    /properties/op/anyOf/0 oneOf
    "#);
}

#[test]
fn nulls_that_strict_mode_asked_for_are_taken_out_again() {
    let tool = search();
    let said = json!({ "pattern": "x", "path": null, "mode": null, "op": { "kind": "delete", "from": 1, "to": null } });
    assert!(takes(view(&Dialect::OpenaiStrict.lower(&tool)).0, &said));
    let lifted = Dialect::OpenaiStrict.lift(&tool, said);
    assert_eq!(lifted.get("mode"), None);
    assert!(takes(&tool.input_schema, &lifted), "{lifted}");
}

#[test]
fn an_open_object_is_not_closed_behind_its_authors_back() {
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Tags {
        /// Free tags.
        tags: BTreeMap<String, String>,
    }
    let schema = Value::clone(Contract::<Tags>::of_type().unwrap().schema());
    let lowered = Dialect::OpenaiStrict.lower(&definition("tags", schema.clone()));
    assert_eq!(view(&lowered), (&schema, false));
    assert_eq!(lowered.losses[0].keyword, "additionalProperties");
}

#[test]
fn references_stand_in_place_of_themselves_where_they_end() {
    let schema = json!({
        "type": "object", "additionalProperties": false,
        "properties": {
            "a": { "$ref": "#/$defs/Leaf", "description": "The leaf." },
            "b": { "$ref": "#/$defs/Tree" },
        },
        "$defs": {
            "Leaf": { "type": "string" },
            "Tree": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Tree" } }, "additionalProperties": false },
        },
    });
    let lowered = Dialect::Anthropic.lower(&definition("t", schema.clone()));
    let (view, _) = view(&lowered);
    assert_eq!(
        view["properties"]["a"],
        json!({ "type": "string", "description": "The leaf." })
    );
    assert_eq!(view["properties"]["b"]["$ref"], "#/$defs/Tree");
    for input in [
        json!({}),
        json!({ "a": "x", "b": { "next": { "next": {} } } }),
        json!({ "b": 1 }),
    ] {
        assert_eq!(takes(view, &input), takes(&schema, &input), "{input}");
    }
}

#[test]
fn a_name_or_root_that_a_provider_refuses_is_a_loss() {
    let any = json!({ "type": "object", "anyOf": [{ "required": ["a"] }], "additionalProperties": false });
    let keywords = |dialect: Dialect, name: &str, schema: &Value| {
        let losses = dialect.lower(&definition(name, schema.clone())).losses;
        losses
            .into_iter()
            .map(|loss| loss.keyword)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let plain = json!({ "type": "object", "additionalProperties": false });
    assert_eq!(keywords(Dialect::Openai, "a.b", &plain), "name");
    assert_eq!(keywords(Dialect::Gemini, "1a", &plain), "name");
    assert_eq!(
        keywords(Dialect::Anthropic, &"x".repeat(65), &plain),
        "name"
    );
    assert_eq!(keywords(Dialect::Mcp, &"x".repeat(65), &plain), "");
    assert_eq!(
        keywords(Dialect::Anthropic, "a", &any),
        "anyOf additionalProperties"
    );
    assert_eq!(keywords(Dialect::OpenaiStrict, "a", &any), "type");
}

/// Inputs near a good one: each field left out, made null, or made something else.
fn mutations(good: &Map<String, Value>) -> Vec<Value> {
    let mut all = vec![Value::Object(good.clone())];
    for (name, value) in good {
        for other in [
            Value::Null,
            json!(0),
            json!("x"),
            json!([]),
            json!({}),
            json!([null]),
        ] {
            let mut changed = good.clone();
            changed.insert(name.clone(), other);
            all.push(Value::Object(changed));
        }
        let mut without = good.clone();
        without.remove(name);
        all.push(Value::Object(without));
        if let Value::Object(inner) = value {
            for inner in mutations(inner) {
                let mut changed = good.clone();
                changed.insert(name.clone(), inner);
                all.push(Value::Object(changed));
            }
        }
    }
    all
}

/// The input with `null` for every field that the schema has and the input has not.
fn filled(schema: &Value, input: &mut Value) {
    let Value::Object(fields) = input else { return };
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let value = fields.entry(name.clone()).or_insert(Value::Null);
        filled(inner, value);
    }
}

#[test]
fn over_real_schemas_no_view_promises_what_the_contract_refuses() {
    let Some(cases) = std::env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES is not set");
        return;
    };
    let text = std::fs::read_to_string(Path::new(&cases).join("data/bfcl.jsonl")).unwrap();
    let (mut accepted, mut asked_strict) = (0, 0);
    for line in text.lines().step_by(3) {
        let line: Value = serde_json::from_str(line).unwrap();
        for call in line["calls"].as_array().unwrap() {
            let tools = line["tools"].as_array().unwrap();
            let tool = tools
                .iter()
                .find(|tool| tool["name"] == call["name"])
                .unwrap();
            let tool = definition("t", tool["input_schema"].clone());
            let contract = Contract::from_schema(Value::clone(&tool.input_schema)).unwrap();
            for dialect in Dialect::ALL.into_iter().skip(1) {
                let lowered = dialect.lower(&tool);
                let (schema, strict) = view(&lowered);
                asked_strict += usize::from(strict);
                let seen = Contract::from_schema(schema.clone()).unwrap();
                let options = ReadOptions {
                    repair: false,
                    ..ReadOptions::default()
                };
                for (index, mut input) in mutations(call["arguments"].as_object().unwrap())
                    .into_iter()
                    .enumerate()
                {
                    if strict {
                        filled(schema, &mut input);
                    }
                    let taken = seen.read(&input.to_string(), &options).is_ok();
                    assert!(
                        taken || index > 0,
                        "{dialect} refuses the good call {input}\n{schema}"
                    );
                    if !taken {
                        continue;
                    }
                    accepted += 1;
                    let lifted = dialect.lift(&tool, input);
                    let refusal = contract.read(&lifted.to_string(), &options).err();
                    let excused = !lowered.losses.is_empty();
                    assert!(
                        refusal.is_none() || excused,
                        "{dialect}: {lifted}\n{refusal:?}"
                    );
                }
            }
        }
    }
    assert!(
        accepted > 5_000 && asked_strict > 300,
        "{accepted} {asked_strict}"
    );
}
