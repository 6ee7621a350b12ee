//! A validated call is not permitted, so it cannot run.
use toolpost::{Outcome, Surroundings, ValidatedCall};

async fn skip_permission(call: ValidatedCall, around: Surroundings) -> Outcome {
    call.run(around).await
}

fn main() {}
