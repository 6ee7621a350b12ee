//! From a validated call to a permitted one: hooks, the policy, and whoever is asked.
//!
//! Nothing here holds a turn, a slot or a lock, so others run meanwhile.

use toolpost_core::{
    Answer, Answered, AskedCall, Decided, Outcome, PermittedCall, RawCall, ValidatedCall,
};

use crate::asking;
use crate::drive::Placed;
use crate::hook::{self, Said};
use crate::session::Inner;

/// Decides, and asks where that must be. Input that a hook or a person edits starts over.
pub(crate) async fn permit(
    inner: &Inner,
    mut call: ValidatedCall,
    place: &mut Placed,
) -> Result<PermittedCall, Box<Outcome>> {
    let mut rounds = 0;
    let mut asking = place.asking.take();
    loop {
        // A command means something else in another folder, so it is decided where it will run.
        if let Some(stands) = place.turn.before_the_shell_stands() {
            asking = None;
            tokio::select! {
                biased;
                () = place.stop.token.cancelled() => return Err(Box::new(call.stop(place.stop.why()))),
                () = stands => {}
            }
            place.record.revise(&call, &inner.facts);
        }
        let said = if inner.hooks.is_empty() {
            Said::Checks(Vec::new())
        } else {
            tokio::select! {
                biased;
                () = place.stop.token.cancelled() => return Err(Box::new(call.stop(place.stop.why()))),
                said = hook::before(&inner.hooks, &call, &inner.facts, rounds) => said,
            }
        };
        call = match said {
            Said::Rewrite(input) => {
                rounds += 1;
                rewritten(inner, &call, input)?
            }
            Said::Checks(checks) => {
                let asked = match call.decide_with(&*inner.policy, &inner.facts, checks) {
                    Decided::Permitted(call) => return Ok(call),
                    Decided::Denied(outcome) => return Err(outcome),
                    Decided::Asked(asked) => asked,
                };
                let Some(answer) = ask(inner, &asked, place, asking.take()).await else {
                    return Err(Box::new(asked.stop(place.stop.why())));
                };
                match asked.answer(answer) {
                    Answered::Permitted(call) => return Ok(call),
                    Answered::Ended(outcome) => return Err(outcome),
                    Answered::Revised(raw) => {
                        rounds = 0;
                        validated(inner, raw, "the person who was asked")?
                    }
                }
            }
        };
        place.record.revise(&call, &inner.facts);
        place.revise(call.footprint(&inner.facts));
    }
}

/// The call with the input that a hook wants.
fn rewritten(
    inner: &Inner,
    call: &ValidatedCall,
    input: String,
) -> Result<ValidatedCall, Box<Outcome>> {
    let raw = RawCall::new(call.id().to_string(), call.name(), input);
    validated(inner, raw, "a hook")
}

/// A call whose input is not the model's. If it is wrong, the model is told whose it was.
fn validated(inner: &Inner, raw: RawCall, whose: &str) -> Result<ValidatedCall, Box<Outcome>> {
    let valid = inner.toolbox.validate(raw, &inner.facts, &inner.read);
    valid.map_err(|mut outcome| {
        if let Some(error) = &mut outcome.error {
            error.message = format!(
                "{whose} changed the input, so this is no fault of yours: {}",
                error.message
            );
        }
        outcome
    })
}

/// Asks, and keeps looking at what the call touches meanwhile; nothing when it was told to stop.
async fn ask(
    inner: &Inner,
    asked: &AskedCall,
    place: &mut Placed,
    asking: Option<asking::Place>,
) -> Option<Answer> {
    let look = place.turn.look();
    let token = place.stop.token.clone();
    let ask = || inner.approver.ask(asked);
    let mut answer = match asking {
        Some(asking) => Box::pin(asking.put(ask)),
        None => ask(),
    };
    loop {
        tokio::select! {
            biased;
            () = token.cancelled() => return None,
            answer = &mut answer => return Some(answer),
            () = look.notified() => place.revise(asked.call().footprint(&inner.facts)),
        }
    }
}
