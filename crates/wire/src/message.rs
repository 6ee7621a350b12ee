//! One message with tool calls: reading it, and answering it.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use thiserror::Error;
use toolpost_core::{Outcome, RawCall};

use crate::format::Format;

mod anthropic;
mod gemini;
mod mcp;
mod native;
mod openai;
mod responses;

/// A message that is not one of its form, in words for whoever wrote it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Misshapen(pub String);

/// A message taken apart.
#[derive(Debug, Clone)]
pub struct Message {
    format: Format,
    /// What the answer must repeat, call by call: an id as the provider wrote it, or nothing.
    keys: Vec<Value>,
    /// The calls in the order in which the message has them.
    pub calls: Vec<RawCall>,
}

/// Reads one message. `number` is the message's place in its input, from 1: it makes ids for calls
/// that bring none. Without a format, the message's shape tells.
///
/// # Errors
///
/// When the text is not JSON, or not a message of its form.
pub fn read(text: &str, format: Option<Format>, number: u64) -> Result<Message, Misshapen> {
    let format = match format {
        Some(format) => format,
        None => Format::of(&parse(text)?),
    };
    let mut message = Message {
        format,
        keys: Vec::new(),
        calls: Vec::new(),
    };
    match format {
        Format::Native => native::read(text, number, &mut message)?,
        Format::Anthropic => anthropic::read(text, number, &mut message)?,
        Format::Openai => openai::read(text, number, &mut message)?,
        Format::OpenaiResponses => responses::read(text, number, &mut message)?,
        Format::Gemini => gemini::read(text, number, &mut message)?,
        Format::Mcp => mcp::read(text, number, &mut message)?,
    }
    Ok(message)
}

impl Message {
    /// The form that the message came in.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The answer in the same form: one message a value. The outcomes must be those of
    /// [`Message::calls`], in their order.
    pub fn reply(&self, outcomes: &[Outcome]) -> Vec<Value> {
        let answers: Vec<Answer<'_>> = self
            .keys
            .iter()
            .zip(outcomes)
            .map(|(key, outcome)| Answer { key, outcome })
            .collect();
        match self.format {
            Format::Native => native::reply(&answers),
            Format::Anthropic => anthropic::reply(&answers),
            Format::Openai => openai::reply(&answers),
            Format::OpenaiResponses => responses::reply(&answers),
            Format::Gemini => gemini::reply(&answers),
            Format::Mcp => mcp::reply(&answers),
        }
    }

    fn call(&mut self, key: impl Into<Value>, call: RawCall) {
        self.keys.push(key.into());
        self.calls.push(call);
    }
}

/// An outcome with what its answer must repeat.
struct Answer<'a> {
    key: &'a Value,
    outcome: &'a Outcome,
}

impl Answer<'_> {
    /// Whether the model must be told that the call did not do what it was for.
    fn is_error(&self) -> bool {
        !self.outcome.is_done()
    }
}

fn parse(text: &str) -> Result<Value, Misshapen> {
    serde_json::from_str(text).map_err(|error| not_json(&error))
}

/// Reads a message of a known form; the error says what is missing.
fn parse_as<'t, T: Deserialize<'t>>(text: &'t str, form: &str) -> Result<T, Misshapen> {
    serde_json::from_str(text).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Misshapen(format!("not {form}: {error}")),
        _ => not_json(&error),
    })
}

fn not_json(error: &serde_json::Error) -> Misshapen {
    Misshapen(format!("not JSON: {error}"))
}

/// The text of arguments that are an object, or a string with JSON in it. The text is kept as it
/// was written, so that nothing is lost before the contract reads it.
fn arguments(raw: Option<&RawValue>) -> String {
    let Some(raw) = raw else { return String::new() };
    let text = raw.get();
    if text.starts_with('"') {
        serde_json::from_str(text).unwrap_or_else(|_| text.to_owned())
    } else {
        text.to_owned()
    }
}

fn made_up(number: u64, index: usize) -> Arc<str> {
    format!("call-{number}-{}", index.saturating_add(1)).into()
}

/// An object without the fields that are `null`.
fn object(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .filter(|(_, value)| !value.is_null())
                .collect::<Map<_, _>>(),
        ),
        other => other,
    }
}

/// Stands for a block that a wire form cannot carry.
fn uncarried(kind: &str, mime_type: &str, bytes: usize) -> String {
    format!("[{kind} of type {mime_type}, {bytes} bytes in base64: this wire form cannot carry it]")
}

fn text_block(kind: &str, text: &str) -> Value {
    json!({ "type": kind, "text": text })
}
