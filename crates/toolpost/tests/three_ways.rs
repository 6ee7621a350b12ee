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
    Context, DynamicTool, Effects, ErrorKind, Facts, RawCall, Session, Status, Steps, Tool,
    ToolBuilder, ToolError, Toolbox, tool,
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

#[tokio::test]
async fn an_output_that_breaks_its_schema_is_the_tools_fault() {
    let schema = json!({"type": "object", "additionalProperties": false});
    let liar = DynamicTool::define("liar", "Promise a number.", schema)
        .output_schema(
            json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
        )
        .effects(|_| Effects::READ_ONLY)
        .call(|_: Value, _cx: Context| async move { Ok(json!({ "n": "many" })) });
    let mut toolbox = Toolbox::new();
    toolbox.add_checked(liar).unwrap();
    let session = Session::builder(toolbox, "/").build().unwrap();
    let outcome = session.call(RawCall::new("c1", "liar", "{}")).await;
    let error = outcome.error.unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidOutput);
    assert_eq!(error.problems[0].pointer, "/n");
}

/// Serde takes less than the schema shows.
#[derive(Debug)]
struct Even(u32);

impl<'de> Deserialize<'de> for Even {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let n = u32::deserialize(deserializer)?;
        if n % 2 == 0 {
            Ok(Self(n))
        } else {
            Err(serde::de::Error::custom("odd"))
        }
    }
}

impl JsonSchema for Even {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Even".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        u32::json_schema(generator)
    }
}

/// Halve an even number.
#[tool(read_only)]
async fn halve(
    /// The number.
    n: Even,
) -> Result<u32, ToolError> {
    Ok(n.0 / 2)
}

#[tokio::test]
async fn an_input_that_only_the_type_refuses_is_reported_as_drift() {
    let mut toolbox = Toolbox::new();
    toolbox.add(halve()).unwrap();
    let session = Session::builder(toolbox, "/").build().unwrap();
    assert_eq!(
        session
            .call(RawCall::new("c1", "halve", r#"{"n":4}"#))
            .await
            .model_text(),
        "2"
    );
    let outcome = session
        .call(RawCall::new("c2", "halve", r#"{"n":5}"#))
        .await;
    let error = outcome.error.unwrap();
    assert_eq!(
        (outcome.status, error.kind),
        (Status::Failed, ErrorKind::Drift)
    );
    assert_eq!(error.problems[0].pointer, "/n");
    assert!(
        error.message.contains("not of your input"),
        "{}",
        error.message
    );
}
