//! One call of one tool, from its input to its outcome.

use serde_json::Value;
use toolpost_core::{
    Answer, Answered, Decided, Facts, Outcome, Progress, RawCall, ReadOptions, SimplePolicy, Stop,
    Surroundings, Tool, Toolbox,
};

/// Runs one call of a tool: validated, permitted (a question is answered with yes), run.
///
/// There is no session around it, so no deadline and no budget; nested calls are refused.
///
/// # Panics
///
/// When the tool cannot be in a toolbox, or the facts lack state that it needs.
#[allow(clippy::panic, reason = "a test stops when it is wrong")]
pub async fn outcome_of<P: Progress, T: Tool<P>>(tool: T, input: Value, facts: Facts) -> Outcome {
    let name = tool.name().to_owned();
    let mut toolbox = Toolbox::new();
    let added = toolbox.add(tool).map(drop);
    if let Err(error) = added.and_then(|()| toolbox.check_needs(&facts)) {
        panic!("{error}");
    }
    let raw = RawCall::new("call", name, input.to_string());
    let call = match toolbox.validate(raw, &facts, &ReadOptions::default()) {
        Ok(call) => call,
        Err(outcome) => return *outcome,
    };
    let permitted = match call.decide(&SimplePolicy::new().bypass(), &facts) {
        Decided::Permitted(call) => call,
        Decided::Denied(outcome) => return *outcome,
        Decided::Asked(asked) => match asked.answer(Answer::Yes) {
            Answered::Permitted(call) => call,
            Answered::Ended(outcome) => return *outcome,
            // Only an edit revises a call, and yes is none.
            Answered::Revised(call) => {
                return Outcome::cancelled(call.id(), call.name(), false).stopped(&Stop::Cancelled);
            }
        },
    };
    permitted.run(Surroundings::new(facts)).await
}
