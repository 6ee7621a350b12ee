//! One call of one tool, from its input to its outcome.

use serde_json::Value;
use toolpost_core::{
    Answer, Answered, Decided, Facts, Footprint, Outcome, PermittedCall, Progress, RawCall,
    ReadOptions, SimplePolicy, Stop, Surroundings, Tool, Toolbox,
};

/// Runs one call of a tool: validated, permitted (a question is answered with yes), run.
///
/// There is no session around it, so no deadline and no budget; nested calls are refused.
///
/// # Panics
///
/// When the tool cannot be in a toolbox, or the facts lack state that it needs.
pub async fn outcome_of<P: Progress, T: Tool<P>>(tool: T, input: Value, facts: Facts) -> Outcome {
    match prepare(tool, &input, &facts) {
        Ok(prepared) => prepared.call.run(Surroundings::new(facts)).await,
        Err(outcome) => *outcome,
    }
}

/// A call that may run, and what it claims.
pub(crate) struct Prepared {
    pub(crate) call: PermittedCall,
    pub(crate) footprint: Footprint,
}

/// Validates and permits one call; its outcome where it may not run.
#[allow(clippy::panic, reason = "a test stops when it is wrong")]
pub(crate) fn prepare<P: Progress, T: Tool<P>>(
    tool: T,
    input: &Value,
    facts: &Facts,
) -> Result<Prepared, Box<Outcome>> {
    let name = tool.name().to_owned();
    let mut toolbox = Toolbox::new();
    let added = toolbox.add(tool).map(drop);
    if let Err(error) = added.and_then(|()| toolbox.check_needs(facts)) {
        panic!("{error}");
    }
    let raw = RawCall::new("call", name, input.to_string());
    let call = toolbox.validate(raw, facts, &ReadOptions::default())?;
    let footprint = call.footprint(facts);
    let call = match call.decide(&SimplePolicy::new().bypass(), facts) {
        Decided::Permitted(call) => call,
        Decided::Denied(outcome) => return Err(outcome),
        Decided::Asked(asked) => match asked.answer(Answer::Yes) {
            Answered::Permitted(call) => call,
            Answered::Ended(outcome) => return Err(outcome),
            // Only an edit revises a call, and yes is none.
            Answered::Revised(call) => {
                let outcome = Outcome::cancelled(call.id(), call.name(), false);
                return Err(outcome.stopped(&Stop::Cancelled).into());
            }
        },
    };
    Ok(Prepared { call, footprint })
}
