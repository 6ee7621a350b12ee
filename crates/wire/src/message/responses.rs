//! OpenAI's Responses API: `function_call` items, each answered by a `function_call_output` item.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolpost_core::{Content, RawCall};

use super::{Answer, Message, Misshapen, arguments, object, parse_as, text_block};

#[derive(Deserialize)]
struct Response<'t> {
    #[serde(borrow)]
    output: Vec<Item<'t>>,
}

#[derive(Deserialize)]
struct Item<'t> {
    r#type: String,
    call_id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    arguments: Option<&'t RawValue>,
}

pub(super) fn read(text: &str, _number: u64, message: &mut Message) -> Result<(), Misshapen> {
    let form = "a `function_call` item or a response of OpenAI's Responses API";
    let items = match parse_as::<Response<'_>>(text, form) {
        Ok(response) => response.output,
        Err(_) => vec![parse_as::<Item<'_>>(text, form)?],
    };
    for item in items
        .into_iter()
        .filter(|item| item.r#type == "function_call")
    {
        let (Some(id), Some(name)) = (item.call_id, item.name) else {
            return Err(Misshapen(
                "a `function_call` needs a `call_id` and a `name`".to_owned(),
            ));
        };
        message.call(
            id.clone(),
            RawCall::new(id, name, arguments(item.arguments)),
        );
    }
    Ok(())
}

pub(super) fn reply(answers: &[Answer<'_>]) -> Vec<Value> {
    let item = |answer: &Answer<'_>| json!({ "type": "function_call_output", "call_id": answer.key, "output": output(answer) });
    answers.iter().map(item).collect()
}

/// A plain string where text is all there is, a list of parts otherwise.
fn output(answer: &Answer<'_>) -> Value {
    let blocks = answer.outcome.model_content();
    if blocks.iter().all(|block| block.as_text().is_some()) {
        return answer.outcome.model_text().into();
    }
    blocks.iter().map(part).collect()
}

fn part(content: &Content) -> Value {
    let url = |mime_type: &str, data: &str| format!("data:{mime_type};base64,{data}");
    match content {
        Content::Text { text } => text_block("input_text", text),
        Content::Image { data, mime_type } => {
            json!({ "type": "input_image", "image_url": url(mime_type, data), "detail": "auto" })
        }
        Content::Document {
            data,
            mime_type,
            title,
        } => object(json!({
            "type": "input_file", "file_data": url(mime_type, data), "filename": title,
        })),
        Content::ResourceLink { uri, name } => text_block("input_text", &format!("{name}: {uri}")),
        _ => text_block("input_text", "[a block that this wire form cannot carry]"),
    }
}
