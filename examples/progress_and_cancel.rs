//! A tool that takes long says how it goes, and stops when it is told to.
//!
//! Run it with `cargo run -p toolpost --example progress_and_cancel`.

use std::time::Duration;

use toolpost::{Context, Event, RawCall, Session, Steps, ToolError, Toolbox, tool};

/// Wait for some time, and say how far it is.
#[tool(read_only, describe = |input| format!("Wait {} steps", input.steps))]
async fn wait(
    /// How many steps of a tenth of a second.
    #[schemars(range(min = 1, max = 100))]
    steps: u64,
    cx: &Context<Steps>,
) -> Result<String, ToolError> {
    for done in 0..steps {
        cx.report(Steps {
            done,
            total: Some(steps),
            message: None,
        });
        tokio::select! {
            // Cleaning up would go here: there is a time of grace for it.
            () = cx.cancel().cancelled() => return Err(ToolError::new("cancelled", "stopped waiting")),
            () = tokio::time::sleep(Duration::from_millis(100)) => {}
        }
    }
    Ok(format!("waited {steps} steps"))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut toolbox = Toolbox::new();
    toolbox.add(wait())?;
    let session = Session::builder(toolbox, "/").build()?;

    let mut call = session.submit(RawCall::new("a", "wait", r#"{"steps":50}"#));
    while let Some(event) = call.events().next().await {
        match event {
            Event::Started { description } => println!("{description}"),
            Event::Progress(report) => {
                // The report is typed: a reader that knows the type gets it back as it was sent.
                let Some(Steps {
                    done,
                    total: Some(total),
                    ..
                }) = report.get()
                else {
                    continue;
                };
                println!("{done} of {total}");
                if *done == 3 {
                    call.cancel();
                }
            }
            _ => {}
        }
    }
    // There is an outcome whatever happened, and it says that the tool had begun.
    let outcome = call.outcome().await;
    println!("{:?}: {}", outcome.status, outcome.model_text());
    Ok(())
}
