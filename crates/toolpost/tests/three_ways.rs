//! A function, the trait and the builder give the same tool.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost::{
    Context, DynamicTool, Effects, Facts, RawCall, Session, Steps, Tool, ToolBuilder, ToolError,
    Toolbox, tool,
};

/// Repeat a word.
#[tool(name = "repeat", read_only, describe = |input| format!("Repeat {}", input.word))]
async fn by_function(
    /// What to repeat.
    word: String,
    /// How often.
    times: Option<u8>,
    cx: &Context<Steps>,
) -> Result<String, ToolError> {
    cx.report(Steps {
        done: 0,
        total: None,
        message: None,
    });
    Ok(word.repeat(times.unwrap_or(2).into()))
}

#[derive(Deserialize, JsonSchema)]
struct Repeat {
    /// What to repeat.
    word: String,
    /// How often.
    times: Option<u8>,
}

struct ByTrait;

impl Tool for ByTrait {
    type Input = Repeat;
    type Output = String;

    fn name(&self) -> &str {
        "repeat"
    }
    fn description(&self) -> &str {
        "Repeat a word."
    }
    async fn call(&self, input: Repeat, _cx: &Context) -> Result<String, ToolError> {
        Ok(input.word.repeat(input.times.unwrap_or(2).into()))
    }
    fn effects(&self, _input: &Repeat) -> Effects {
        Effects::READ_ONLY
    }
    fn describe(&self, input: &Repeat) -> String {
        format!("Repeat {}", input.word)
    }
}

fn by_builder() -> impl Tool<toolpost::NoProgress, Input = Repeat> {
    ToolBuilder::<Repeat>::new("repeat", "Repeat a word.")
        .read_only()
        .describe(|input| format!("Repeat {}", input.word))
        .call(|input, _cx: Context| async move {
            Ok(input.word.repeat(input.times.unwrap_or(2).into()))
        })
}

fn boxes() -> [Toolbox; 3] {
    let mut boxes = [Toolbox::new(), Toolbox::new(), Toolbox::new()];
    boxes[0].add(by_function()).unwrap();
    boxes[1].add(ByTrait).unwrap();
    boxes[2].add(by_builder()).unwrap();
    boxes
}

#[test]
fn the_definitions_are_equal() {
    let facts = Facts::new("/");
    let [a, b, c] = boxes().map(|toolbox| {
        let definition = toolbox.definitions(&facts).next().unwrap().unwrap();
        serde_json::to_value(definition).unwrap()
    });
    assert_eq!(a, b);
    assert_eq!(b, c);
    assert_eq!(a["description"], "Repeat a word.");
    assert_eq!(
        a["input_schema"]["properties"]["word"]["description"],
        "What to repeat."
    );
    assert_eq!(a["input_schema"]["required"], json!(["word"]));
}

#[tokio::test]
async fn the_outcomes_are_equal() {
    for toolbox in boxes() {
        let session = Session::builder(toolbox, "/").build().unwrap();
        let outcome = session
            .call(RawCall::new("c1", "repeat", r#"{"word":"ab"}"#))
            .await;
        assert_eq!(outcome.model_text(), "abab");
        assert_eq!(outcome.effects, Some(Effects::READ_ONLY));
    }
}

#[tokio::test]
async fn a_dynamic_tool_brings_its_schema_as_data() {
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let double = DynamicTool::define("double", "Double a number.", schema.clone())
        .output_schema(json!({"type": "object", "properties": {"n": {"type": "integer"}}}))
        .effects(|_| Effects::READ_ONLY)
        .call(|input: Value, _cx: Context| async move {
            Ok(json!({ "n": input["n"].as_i64().map_or(json!("none"), |n| json!(n * 2)) }))
        });
    let mut toolbox = Toolbox::new();
    toolbox.add_checked(double).unwrap();
    let session = Session::builder(toolbox, "/").build().unwrap();
    let outcome = session
        .call(RawCall::new("c1", "double", r#"{"n":4}"#))
        .await;
    assert_eq!(outcome.structured, Some(json!({ "n": 8 })));
    let listed = session.toolbox().definition("double").unwrap().unwrap();
    assert_eq!(*listed.input_schema, schema);
}
