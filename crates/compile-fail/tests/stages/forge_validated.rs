//! A validated call comes from a toolbox that read its input.
use toolpost::{RawCall, ValidatedCall};

fn by_literal(raw: RawCall) -> ValidatedCall {
    ValidatedCall { input: raw.input().to_owned() }
}

fn by_conversion(raw: RawCall) -> ValidatedCall {
    raw.into()
}

fn main() {}
