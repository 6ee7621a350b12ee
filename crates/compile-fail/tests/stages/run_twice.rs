//! A permit is used up by running.
use toolpost::{Outcome, PermittedCall, Surroundings};

async fn again(call: PermittedCall, around: Surroundings) -> (Outcome, Outcome) {
    let first = call.run(around.clone()).await;
    let second = call.run(around).await;
    (first, second)
}

fn main() {}
