//! What is not plainly allowed is asked, and a person may say yes, no, or something else.
//!
//! Here a callback stands in for the person. Run it with
//! `cargo run -p toolpost --example ask_a_person`.

use toolpost::{
    Answer, Approver, AskedCall, BoxFuture, Effects, RawCall, Session, ToolError, Toolbox, tool,
};

/// Send a letter.
#[tool(effects = |_| Effects::UNKNOWN, describe = |input| format!("Send a letter to {}", input.to))]
async fn send(
    /// Whom to send it to.
    to: String,
    /// What it says.
    text: String,
) -> Result<String, ToolError> {
    Ok(format!("sent to {to}: {text}"))
}

/// Says yes to friends, corrects a name, and says no to strangers.
struct Secretary;

impl Approver for Secretary {
    fn ask<'a>(&'a self, asked: &'a AskedCall) -> BoxFuture<'a, Answer> {
        let call = asked.call();
        println!("? {} ({})", call.describe(), asked.decision().reason);
        let answer = if call.input().contains("Ada") {
            Answer::Yes
        } else if call.input().contains("Adda") {
            // Edited input starts over: it is validated and asked about again.
            Answer::Edit(call.input().replace("Adda", "Ada"))
        } else {
            Answer::No(Some("we do not write to strangers".to_owned()))
        };
        Box::pin(async { answer })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut toolbox = Toolbox::new();
    toolbox.add(send())?;
    let session = Session::builder(toolbox, "/").approver(Secretary).build()?;
    for (id, to) in [("a", "Ada"), ("b", "Adda"), ("c", "Mallory")] {
        let input = serde_json::json!({ "to": to, "text": "good morning" }).to_string();
        let outcome = session.call(RawCall::new(id, "send", input)).await;
        println!("{id}: {:?}: {}\n", outcome.status, outcome.model_text());
    }
    Ok(())
}
