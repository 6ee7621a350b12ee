//! Reading without repair, for the tests of drift.

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use toolpost_core::contract::{Contract, ReadOptions, Refusal};

pub fn read<I: DeserializeOwned + JsonSchema>(text: &str) -> Result<I, Refusal> {
    let contract = Contract::<I>::of_type().expect("the type makes a contract");
    let options = ReadOptions {
        repair: false,
        ..ReadOptions::default()
    };
    contract.read(text, &options).map(|reading| reading.input)
}

pub fn accepts<I: DeserializeOwned + JsonSchema + Debug>(text: &str) -> String {
    format!(
        "{:?}",
        read::<I>(text).unwrap_or_else(|refusal| panic!("{text}: {refusal}"))
    )
}

/// The pointers of what is wrong with the input.
pub fn refuses<I: DeserializeOwned + JsonSchema + Debug>(text: &str) -> Vec<String> {
    match read::<I>(text) {
        Err(Refusal::InvalidInput(problems)) => problems
            .into_iter()
            .map(|problem| problem.pointer)
            .collect(),
        other => panic!("{text}: {other:?}"),
    }
}
