//! A function is a tool.
//!
//! The doc comments are what the model reads: the function's is the tool's description, each
//! parameter's is a field's. Run it with `cargo run -p toolpost --example first_tool`.

use toolpost::{Facts, RawCall, Session, ToolError, Toolbox, tool};

/// Tell how many days a month has.
#[tool(read_only)]
async fn days_of_month(
    /// The month, 1 for January.
    #[schemars(range(min = 1, max = 12))]
    month: u8,
    /// The year; it matters for February only.
    year: Option<u16>,
) -> Result<u8, ToolError> {
    let year = year.unwrap_or(2026);
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    Ok(match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut toolbox = Toolbox::new();
    toolbox.add(days_of_month())?;

    // What a model is shown. The very same schema validates each call.
    for definition in toolbox.definitions(&Facts::new("/")) {
        println!("{}", serde_json::to_string_pretty(&definition?)?);
    }

    // What comes back. Nothing of this is a Rust error: a model reads it and goes on.
    let session = Session::builder(toolbox, std::env::current_dir()?).build()?;
    for (id, input) in [
        ("good", r#"{"month":2,"year":2028}"#),
        ("mended", r#"{"month":"2"}"#),
        ("out of range", r#"{"month":13}"#),
        ("misspelled", r#"{"month":2,"yaer":2028}"#),
        ("cut off", r#"{"month":2"#),
    ] {
        let outcome = session.call(RawCall::new(id, "days_of_month", input)).await;
        println!("\n{id}: {:?}\n{}", outcome.status, outcome.model_text());
    }
    Ok(())
}
