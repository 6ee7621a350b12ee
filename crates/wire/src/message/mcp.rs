//! The Model Context Protocol: a `tools/call` request, answered by its result. What went wrong
//! with a call is a result with `isError`, since a protocol error never reaches the model.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolpost_core::{Content, RawCall};

use super::{Answer, Message, Misshapen, arguments, object, parse_as, text_block};

#[derive(Deserialize)]
struct Request<'t> {
    id: Option<Value>,
    method: String,
    #[serde(borrow)]
    params: Option<Params<'t>>,
}

#[derive(Deserialize)]
struct Params<'t> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

pub(super) fn read(text: &str, _number: u64, message: &mut Message) -> Result<(), Misshapen> {
    let request: Request<'_> = parse_as(text, "a `tools/call` request of MCP")?;
    if request.method != "tools/call" {
        let method: String = request.method.chars().take(60).collect();
        return Err(Misshapen(format!(
            "the method is `{method}`; only `tools/call` can be run"
        )));
    }
    let Some(params) = request.params else {
        return Err(Misshapen(
            "a `tools/call` needs `params` with a `name`".to_owned(),
        ));
    };
    let id = match &request.id {
        Some(Value::String(id)) => id.clone(),
        Some(Value::Number(id)) => id.to_string(),
        _ => {
            return Err(Misshapen(
                "a request needs an `id`, a string or a number".to_owned(),
            ));
        }
    };
    message.call(
        request.id,
        RawCall::new(id, params.name, arguments(params.arguments)),
    );
    Ok(())
}

pub(super) fn reply(answers: &[Answer<'_>]) -> Vec<Value> {
    let response = |answer: &Answer<'_>| {
        let content: Vec<Value> = answer.outcome.model_content().iter().map(block).collect();
        let result = object(json!({
            "content": content,
            "structuredContent": answer.outcome.structured,
            "isError": answer.is_error(),
        }));
        json!({ "jsonrpc": "2.0", "id": answer.key, "result": result })
    };
    answers.iter().map(response).collect()
}

fn block(content: &Content) -> Value {
    match content {
        Content::Text { text } => text_block("text", text),
        Content::Image { data, mime_type } => {
            json!({ "type": "image", "data": data, "mimeType": mime_type })
        }
        Content::Document {
            data,
            mime_type,
            title,
        } => json!({
            "type": "resource",
            "resource": {
                "uri": format!("document:{}", title.as_deref().unwrap_or("untitled")),
                "mimeType": mime_type,
                "blob": data,
            },
        }),
        Content::ResourceLink { uri, name } => {
            json!({ "type": "resource_link", "uri": uri, "name": name })
        }
        _ => text_block("text", "[a block that this wire form cannot carry]"),
    }
}
