//! A permit comes from a decision or an answer, never from a caller.
use toolpost::{PermittedCall, ValidatedCall};

fn forge(call: ValidatedCall) -> PermittedCall {
    PermittedCall { call }
}

fn main() {}
