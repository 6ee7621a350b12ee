//! What a verdict is bound to: the bytes of the input and the objects that its paths lead to.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};
use toolpost_core::{Binding, DecidedBy, Decision, Verdict};

use crate::prepared::Prepared;

/// What a verdict about this question is bound to.
pub fn bind(prepared: &Prepared<'_>) -> Binding {
    Binding {
        digest: digest(&prepared.question.input).into(),
        objects: prepared.objects(),
    }
}

/// SHA-256 of a text, in hexadecimal.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// The verdict at the start of execution: what it was, or a denial that says what changed.
pub fn recheck(before: (&Decision, &Binding), now: (Decision, &Binding)) -> Decision {
    let (then, bound) = before;
    let (decision, found) = now;
    if let Some(change) = bound.change(found, then.effect == Verdict::Ask) {
        return Decision::new(Verdict::Deny, DecidedBy::Tool, change);
    }
    if decision.effect > then.effect {
        let reason = format!(
            "what it rests on has changed since it was permitted: {}",
            decision.reason
        );
        let denied = Decision {
            effect: Verdict::Deny,
            reason: reason.into(),
            may_be_lifted: false,
            ..decision
        };
        return denied;
    }
    then.clone()
}
