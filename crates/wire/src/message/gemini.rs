//! Gemini's API: `functionCall` parts of a model content, answered by as many `functionResponse`
//! parts in the same order. Ids are optional there; they are repeated only where the call had one.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolpost_core::{Content, RawCall};

use super::{Answer, Message, Misshapen, arguments, made_up, object, parse_as};

#[derive(Deserialize)]
struct Turn<'t> {
    #[serde(borrow, default)]
    parts: Vec<Part<'t>>,
    #[serde(borrow, default)]
    candidates: Vec<Candidate<'t>>,
    #[serde(borrow, default, rename = "functionCall", alias = "function_call")]
    function_call: Option<Call<'t>>,
}

#[derive(Deserialize)]
struct Candidate<'t> {
    #[serde(borrow)]
    content: Option<Inner<'t>>,
}

#[derive(Deserialize)]
struct Inner<'t> {
    #[serde(borrow, default)]
    parts: Vec<Part<'t>>,
}

#[derive(Deserialize)]
struct Part<'t> {
    #[serde(borrow, default, rename = "functionCall", alias = "function_call")]
    function_call: Option<Call<'t>>,
}

#[derive(Deserialize)]
struct Call<'t> {
    id: Option<String>,
    name: String,
    #[serde(borrow)]
    args: Option<&'t RawValue>,
}

pub(super) fn read(text: &str, number: u64, message: &mut Message) -> Result<(), Misshapen> {
    let turn: Turn<'_> = parse_as(text, "a content of Gemini's API")?;
    let in_candidates = turn
        .candidates
        .into_iter()
        .filter_map(|candidate| candidate.content)
        .flat_map(|c| c.parts);
    let parts = turn.parts.into_iter().chain(in_candidates);
    let calls = turn
        .function_call
        .into_iter()
        .chain(parts.filter_map(|part| part.function_call));
    for (index, call) in calls.enumerate() {
        let key = json!({ "id": call.id, "name": call.name });
        let id = call.id.map_or_else(|| made_up(number, index), Into::into);
        message.call(key, RawCall::new(id, call.name, arguments(call.args)));
    }
    Ok(())
}

pub(super) fn reply(answers: &[Answer<'_>]) -> Vec<Value> {
    if answers.is_empty() {
        return Vec::new();
    }
    let parts: Vec<Value> = answers.iter().map(response).collect();
    vec![json!({ "role": "user", "parts": parts })]
}

fn response(answer: &Answer<'_>) -> Value {
    let text = answer.outcome.model_text();
    let body = if answer.is_error() {
        json!({ "error": text })
    } else {
        json!({ "output": text })
    };
    let attached: Vec<Value> = answer
        .outcome
        .content
        .iter()
        .filter_map(attachment)
        .collect();
    json!({ "functionResponse": object(json!({
        "id": answer.key.get("id"),
        "name": answer.key.get("name"),
        "response": body,
        "parts": (!attached.is_empty()).then_some(attached),
    })) })
}

fn attachment(content: &Content) -> Option<Value> {
    match content {
        Content::Image { data, mime_type }
        | Content::Document {
            data, mime_type, ..
        } => Some(json!({ "inlineData": { "mimeType": mime_type, "data": data } })),
        _ => None,
    }
}
