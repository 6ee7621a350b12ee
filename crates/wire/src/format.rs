//! The wire forms by name, and how they are told apart by shape.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use thiserror::Error;

/// The form of a message with tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// `{"id", "name", "arguments"}`, one call a line.
    Native,
    /// An assistant message of Anthropic's Messages API, with `tool_use` blocks.
    Anthropic,
    /// An assistant message of OpenAI's Chat Completions API, with `tool_calls`.
    Openai,
    /// A `function_call` item of OpenAI's Responses API, or a whole response.
    OpenaiResponses,
    /// A content of Gemini's API, with `functionCall` parts.
    Gemini,
    /// A `tools/call` request of the Model Context Protocol.
    Mcp,
}

/// No wire form has this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no wire form; there are `native`, `anthropic`, `openai`, `openai-responses`, `gemini` and `mcp`"
)]
pub struct UnknownFormat(String);

impl Format {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Native,
        Self::Anthropic,
        Self::Openai,
        Self::OpenaiResponses,
        Self::Gemini,
        Self::Mcp,
    ];

    /// The form's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Anthropic => "anthropic",
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai-responses",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    /// The form that a message has by its shape. What fits none is taken as native, whose errors
    /// say what a call looks like.
    pub fn of(message: &Value) -> Self {
        let has = |key: &str| message.get(key).is_some();
        let blocks = |key: &str, kind: &str| {
            message
                .get(key)
                .and_then(Value::as_array)
                .is_some_and(|blocks| {
                    blocks
                        .iter()
                        .any(|block| block.get("type").and_then(Value::as_str) == Some(kind))
                })
        };
        let kind = message.get("type").and_then(Value::as_str);
        let object = message.get("object").and_then(Value::as_str);
        if has("jsonrpc") {
            Self::Mcp
        } else if has("parts") || has("candidates") || has("functionCall") {
            Self::Gemini
        } else if kind == Some("function_call") || object == Some("response") || has("call_id") {
            Self::OpenaiResponses
        } else if has("tool_calls") || has("choices") {
            Self::Openai
        } else if blocks("content", "tool_use")
            || kind == Some("message")
            || kind == Some("tool_use")
        {
            Self::Anthropic
        } else if has("role") {
            // A turn without calls: text alone is a string at OpenAI and a list at Anthropic.
            if message.get("content").is_some_and(Value::is_array) {
                Self::Anthropic
            } else {
                Self::Openai
            }
        } else {
            Self::Native
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| UnknownFormat(name.chars().take(40).collect()))
    }
}
