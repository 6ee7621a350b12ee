//! Each form is told by its shape, read, and answered in kind.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::sync::Arc;

use insta::assert_snapshot;
use serde_json::Value;
use toolpost_core::{Content, ErrorKind, Outcome, OutcomeError, Status};
use toolpost_wire::{Format, Message, read};

fn done(id: &str, content: Vec<Content>) -> Outcome {
    let id: Arc<str> = id.into();
    let error = OutcomeError::new(ErrorKind::BadLine, "");
    Outcome {
        status: Status::Done,
        error: None,
        content,
        ..Outcome::invalid(&id, "Read", error)
    }
}

fn failed(id: &str) -> Outcome {
    let id: Arc<str> = id.into();
    Outcome::invalid(
        &id,
        "Read",
        OutcomeError::new(ErrorKind::InvalidInput, "no such field"),
    )
}

/// The calls of a message, and the answers to a picture and an error.
fn round(text: &str) -> String {
    let message = read(text, None, 3).unwrap();
    let mut lines = vec![message.format().to_string()];
    for call in &message.calls {
        lines.push(format!("{} {} {}", call.id(), call.name(), call.input()));
    }
    let picture = Content::Image {
        data: "QUJD".into(),
        mime_type: "image/png".into(),
    };
    let outcomes = [done("a", vec![Content::text("fine"), picture]), failed("b")];
    lines.extend(message.reply(&outcomes).iter().map(Value::to_string));
    lines.join("\n")
}

#[test]
fn anthropic() {
    let text = r#"{"role":"assistant","content":[{"type":"text","text":"hm"},
        {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"a"}},
        {"type":"tool_use","id":"toolu_2","name":"Read","input":{"x":1,"x":2}}]}"#;
    assert_snapshot!(round(text), @r#"
    anthropic
    toolu_1 Read {"file_path":"a"}
    toolu_2 Read {"x":1,"x":2}
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"fine"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]},{"type":"tool_result","tool_use_id":"toolu_2","content":[{"type":"text","text":"no such field"}],"is_error":true}]}
    "#);
}

#[test]
fn openai() {
    let text = r#"{"role":"assistant","content":null,"tool_calls":[
        {"id":"call_1","type":"function","function":{"name":"Read","arguments":"{\"file_path\":\"a\"}"}},
        {"id":"","type":"function","function":{"name":"Read","arguments":""}}]}"#;
    assert_snapshot!(round(text), @r#"
    openai
    call_1 Read {"file_path":"a"}
    call-3-2 Read 
    {"role":"tool","tool_call_id":"call_1","content":"fine\n[image of type image/png, 4 bytes in base64: this wire form cannot carry it]"}
    {"role":"tool","tool_call_id":"call-3-2","content":"no such field"}
    "#);
}

#[test]
fn openai_takes_a_whole_response_and_arguments_that_are_no_string() {
    let text = r#"{"choices":[{"message":{"tool_calls":[
        {"id":"c","function":{"name":"Read","arguments":{"file_path":"a"}}},
        {"id":"d","type":"custom","custom":{"name":"Patch","input":"free text"}}]}}]}"#;
    assert_snapshot!(round(text), @r#"
    openai
    c Read {"file_path":"a"}
    d Patch "free text"
    {"role":"tool","tool_call_id":"c","content":"fine\n[image of type image/png, 4 bytes in base64: this wire form cannot carry it]"}
    {"role":"tool","tool_call_id":"d","content":"no such field"}
    "#);
}

#[test]
fn responses() {
    let text = r#"{"object":"response","output":[{"type":"message","content":[]},
        {"type":"function_call","call_id":"call_a","name":"Ls","arguments":"{\"path\":\".\"}"},
        {"type":"function_call","call_id":"call_b","name":"Ls","arguments":"{}"}]}"#;
    assert_snapshot!(round(text), @r#"
    openai-responses
    call_a Ls {"path":"."}
    call_b Ls {}
    {"type":"function_call_output","call_id":"call_a","output":[{"type":"input_text","text":"fine"},{"type":"input_image","image_url":"data:image/png;base64,QUJD","detail":"auto"}]}
    {"type":"function_call_output","call_id":"call_b","output":"no such field"}
    "#);
}

#[test]
fn gemini() {
    let text = r#"{"role":"model","parts":[{"text":"hm"},
        {"functionCall":{"name":"Glob","args":{"pattern":"*"}},"thoughtSignature":"abc"},
        {"functionCall":{"id":"f1","name":"Read"}}]}"#;
    assert_snapshot!(round(text), @r#"
    gemini
    call-3-1 Glob {"pattern":"*"}
    f1 Read 
    {"role":"user","parts":[{"functionResponse":{"name":"Glob","response":{"output":"fine"},"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]}},{"functionResponse":{"id":"f1","name":"Read","response":{"error":"no such field"}}}]}
    "#);
}

#[test]
fn mcp() {
    let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Read","arguments":{"file_path":"a"}}}"#;
    assert_snapshot!(round(text), @r#"
    mcp
    7 Read {"file_path":"a"}
    {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"fine"},{"type":"image","data":"QUJD","mimeType":"image/png"}],"isError":false}}
    "#);
}

#[test]
fn native() {
    let read = |text| read(text, None, 1);
    let call = |message: Message| message.calls[0].input().to_owned();
    assert_eq!(call(read(r#"{"id":"c","name":"Read"}"#).unwrap()), "");
    assert_eq!(
        call(read(r#"{"id":"c","name":"Read","arguments":"{\"a\": 1"}"#).unwrap()),
        r#"{"a": 1"#
    );
    assert_eq!(
        call(read(r#"{"id":"c","name":"Read","arguments":["x"]}"#).unwrap()),
        r#"["x"]"#
    );
    for bad in [
        "this line is not JSON",
        "[]",
        "{}",
        r#"{"id":1,"name":"Read"}"#,
        r#"{"id":"c","name":"Read","args":{}}"#,
        r#"{"id":"c","id":"d","name":"Read"}"#,
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
    assert_snapshot!(read(r#"{"id":"c","name":"Read","args":{}}"#).unwrap_err(), @r#"not a call such as {"id":"c1","name":"Read","arguments":{…}}: unknown field `args`, expected one of `id`, `name`, `arguments` at line 1 column 30"#);
    assert_snapshot!(read("nonsense").unwrap_err(), @"not JSON: expected ident at line 1 column 2");
}

#[test]
fn a_turn_without_calls_is_no_mistake() {
    for text in [
        r#"{"role":"assistant","content":"hello"}"#,
        r#"{"role":"assistant","content":[{"type":"text","text":"hello"}]}"#,
        r#"{"role":"model","parts":[{"text":"hello"}]}"#,
        r#"{"role":"assistant","content":"hello","tool_calls":null}"#,
    ] {
        let message = read(text, None, 1).unwrap();
        assert!(message.calls.is_empty(), "{text}");
        assert!(message.reply(&[]).is_empty(), "{text}");
    }
}

#[test]
fn a_named_form_is_not_guessed() {
    assert!(read(r#"{"id":"c","name":"Read"}"#, Some(Format::Mcp), 1).is_err());
    assert_eq!("openai-responses".parse(), Ok(Format::OpenaiResponses));
    assert!("claude".parse::<Format>().is_err());
}
