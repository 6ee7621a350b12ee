//! A call that is asked about cannot run without an answer.
use toolpost::{AskedCall, Outcome, Surroundings};

async fn skip_the_person(call: AskedCall, around: Surroundings) -> Outcome {
    call.run(around).await
}

fn main() {}
