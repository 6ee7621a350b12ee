//! A permit comes from a decision or an answer, never from a caller.
use toolpost::{Decision, PermittedCall, ValidatedCall};

fn forge(call: ValidatedCall, decision: Decision) -> PermittedCall {
    PermittedCall::new(call, decision)
}

fn main() {}
