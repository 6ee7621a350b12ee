//! The part of an agent between two requests to a model.
//!
//! A message of the model goes in, calls are run, and the message that answers it comes out, in
//! the form of whichever provider wrote it. Here the model's message is a recorded one.
//! Run it with `cargo run -p toolpost --example agent_loop`.

use toolpost::wire::{self, Dialect};
use toolpost::{RawCall, Session, ToolError, Toolbox, tool};

/// Tell the capital of a country.
#[tool(read_only, concurrency_safe)]
async fn capital(
    /// The country's English name.
    country: String,
) -> Result<String, ToolError> {
    match country.as_str() {
        "France" => Ok("Paris".to_owned()),
        "Kenya" => Ok("Nairobi".to_owned()),
        other => Err(ToolError::new(
            "not_found",
            format!("no country `{other}`; use its English name"),
        )),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut toolbox = Toolbox::new();
    toolbox.add(capital())?;
    let session = Session::builder(toolbox, "/").build()?;

    // 1. The definitions go into the request. What a provider's form cannot carry is reported.
    for definition in session.toolbox().definitions(session.facts()) {
        let lowered = Dialect::Anthropic.lower(&definition?);
        println!("request: {}\n", lowered.definition);
        assert!(lowered.losses.is_empty());
    }

    // 2. The model answers with calls.
    let message = r#"{"role":"assistant","content":[
        {"type":"text","text":"Let me look both up."},
        {"type":"tool_use","id":"t1","name":"capital","input":{"country":"Kenya"}},
        {"type":"tool_use","id":"t2","name":"capital","input":{"country":"Frankreich"}}]}"#;
    let message = wire::read(message, None, 1)?;

    // 3. They run, together as far as they may, and each has an outcome.
    let calls: Vec<RawCall> = message.calls.clone();
    let outcomes = session.run(calls).await;

    // 4. The answer goes into the next request.
    for reply in message.reply(&outcomes) {
        println!("reply: {reply}");
    }
    Ok(())
}
