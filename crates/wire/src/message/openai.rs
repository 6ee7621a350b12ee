//! OpenAI's Chat Completions API: `tool_calls` of an assistant message, each answered by a message
//! with the role `tool`.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolpost_core::{Content, RawCall};

use super::{Answer, Message, Misshapen, arguments, made_up, parse_as, uncarried};

#[derive(Deserialize)]
struct Turn<'t> {
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'t>>>,
    #[serde(borrow)]
    choices: Option<Vec<Choice<'t>>>,
}

#[derive(Deserialize)]
struct Choice<'t> {
    #[serde(borrow)]
    message: Inner<'t>,
}

#[derive(Deserialize)]
struct Inner<'t> {
    #[serde(borrow)]
    tool_calls: Option<Vec<Call<'t>>>,
}

#[derive(Deserialize)]
struct Call<'t> {
    id: Option<String>,
    #[serde(borrow)]
    function: Option<Function<'t>>,
    /// A call with free text for input. No tool here takes that, and the model is told so.
    #[serde(borrow)]
    custom: Option<Custom<'t>>,
}

#[derive(Deserialize)]
struct Custom<'t> {
    name: String,
    #[serde(borrow)]
    input: Option<&'t RawValue>,
}

#[derive(Deserialize)]
struct Function<'t> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

pub(super) fn read(text: &str, number: u64, message: &mut Message) -> Result<(), Misshapen> {
    let turn: Turn<'_> = parse_as(
        text,
        "an assistant message of OpenAI's Chat Completions API",
    )?;
    let in_choices = turn
        .choices
        .into_iter()
        .flatten()
        .filter_map(|choice| choice.message.tool_calls);
    let calls = turn.tool_calls.into_iter().chain(in_choices).flatten();
    for (index, call) in calls.enumerate() {
        let (name, input) = match (call.function, call.custom) {
            (Some(function), _) => (function.name, arguments(function.arguments)),
            (None, Some(custom)) => (
                custom.name,
                custom.input.map_or("", RawValue::get).to_owned(),
            ),
            (None, None) => {
                let message = "a tool call needs a `function` with a `name` and `arguments`";
                return Err(Misshapen(message.to_owned()));
            }
        };
        // Some gateways leave the id empty.
        let id = call.id.filter(|id| !id.is_empty());
        let id = id.map_or_else(|| made_up(number, index), Into::into);
        message.call(&*id, RawCall::new(id.clone(), name, input));
    }
    Ok(())
}

pub(super) fn reply(answers: &[Answer<'_>]) -> Vec<Value> {
    let message = |answer: &Answer<'_>| json!({ "role": "tool", "tool_call_id": answer.key, "content": text(answer) });
    answers.iter().map(message).collect()
}

fn text(answer: &Answer<'_>) -> String {
    let blocks = answer.outcome.model_content();
    let texts: Vec<String> = blocks.into_iter().map(plain).collect();
    texts.join("\n")
}

fn plain(content: Content) -> String {
    match content {
        Content::Text { text } => text,
        Content::Image { data, mime_type } => uncarried("image", &mime_type, data.len()),
        Content::Document {
            data, mime_type, ..
        } => uncarried("document", &mime_type, data.len()),
        Content::ResourceLink { uri, name } => format!("{name}: {uri}"),
        _ => "[a block that this wire form cannot carry]".to_owned(),
    }
}
