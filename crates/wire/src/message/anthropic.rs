//! Anthropic's Messages API: `tool_use` blocks of an assistant turn, answered by `tool_result`
//! blocks that stand together at the head of one user turn.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolpost_core::{Content, RawCall};

use super::{Answer, Message, Misshapen, arguments, object, parse_as, text_block};

#[derive(Deserialize)]
struct Turn<'t> {
    #[serde(borrow)]
    content: &'t RawValue,
}

#[derive(Deserialize)]
struct Block<'t> {
    r#type: String,
    id: Option<String>,
    name: Option<String>,
    #[serde(borrow)]
    input: Option<&'t RawValue>,
}

pub(super) fn read(text: &str, _number: u64, message: &mut Message) -> Result<(), Misshapen> {
    let form = "an assistant message of Anthropic's Messages API";
    let block_or_turn: Block<'_> = match parse_as::<Block<'_>>(text, form) {
        Ok(block) if block.r#type == "tool_use" => block,
        _ => return read_turn(text, form, message),
    };
    add(block_or_turn, message)
}

fn read_turn(text: &str, form: &str, message: &mut Message) -> Result<(), Misshapen> {
    let turn: Turn<'_> = parse_as(text, form)?;
    // Content may be a plain string: a turn without calls.
    if turn.content.get().starts_with('"') {
        return Ok(());
    }
    let blocks: Vec<Block<'_>> = parse_as(turn.content.get(), form)?;
    for block in blocks
        .into_iter()
        .filter(|block| block.r#type == "tool_use")
    {
        add(block, message)?;
    }
    Ok(())
}

fn add(block: Block<'_>, message: &mut Message) -> Result<(), Misshapen> {
    let (Some(id), Some(name)) = (block.id, block.name) else {
        return Err(Misshapen(
            "a `tool_use` block needs an `id` and a `name`".to_owned(),
        ));
    };
    message.call(id.clone(), RawCall::new(id, name, arguments(block.input)));
    Ok(())
}

pub(super) fn reply(answers: &[Answer<'_>]) -> Vec<Value> {
    if answers.is_empty() {
        return Vec::new();
    }
    let results: Vec<Value> = answers
        .iter()
        .map(|answer| {
            let content: Vec<Value> = answer.outcome.model_content().iter().map(block).collect();
            object(json!({
                "type": "tool_result",
                "tool_use_id": answer.key,
                "content": content,
                "is_error": answer.is_error().then_some(true),
            }))
        })
        .collect();
    vec![json!({ "role": "user", "content": results })]
}

fn block(content: &Content) -> Value {
    let source = |mime_type: &str, data: &str| json!({ "type": "base64", "media_type": mime_type, "data": data });
    match content {
        // The API refuses a block of empty text.
        Content::Text { text } if text.is_empty() => text_block("text", "(empty)"),
        Content::Text { text } => text_block("text", text),
        Content::Image { data, mime_type } => {
            json!({ "type": "image", "source": source(mime_type, data) })
        }
        Content::Document {
            data,
            mime_type,
            title,
        } => object(json!({
            "type": "document", "source": source(mime_type, data), "title": title,
        })),
        Content::ResourceLink { uri, name } => text_block("text", &format!("{name}: {uri}")),
        _ => text_block("text", "[a block that this wire form cannot carry]"),
    }
}
