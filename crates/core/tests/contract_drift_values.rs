//! What peers show a model against what they run, row by row of the comparison: here the schema
//! is the law, so each row has one right answer. Repair is off throughout.
//!
//! These are the rows about values: bounds, numbers, formats, unknown fields. Those about names and
//! forms are in `contract_drift_forms.rs`.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]
#![allow(dead_code, reason = "fields are there to be read into")]

mod contract_support;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use contract_support::drift::{accepts, read, refuses};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use toolpost_core::contract::{Contract, ReadOptions, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
struct Ranged {
    #[schemars(range(min = 1, max = 100))]
    n: u32,
}

#[test]
fn row_01_a_range_has_force() {
    assert_eq!(refuses::<Ranged>(r#"{"n":0}"#), ["/n"]);
    assert_eq!(refuses::<Ranged>(r#"{"n":1000}"#), ["/n"]);
    accepts::<Ranged>(r#"{"n":100}"#);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Long {
    #[schemars(length(min = 1))]
    s: String,
}

#[test]
fn row_02_a_length_has_force() {
    assert_eq!(refuses::<Long>(r#"{"s":""}"#), ["/s"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Patterned {
    #[schemars(regex(pattern = "^[a-z]+$"))]
    s: String,
}

#[test]
fn row_03_a_pattern_has_force() {
    assert_eq!(refuses::<Patterned>(r#"{"s":"ABC 1"}"#), ["/s"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Unique {
    s: BTreeSet<String>,
}

#[test]
fn row_04_an_item_twice_in_a_set_is_refused() {
    assert_eq!(refuses::<Unique>(r#"{"s":["a","a"]}"#), ["/s"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Inner {
    a: u32,
}

fn number_or_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        Number(u32),
        Text(String),
    }
    match Either::deserialize(deserializer)? {
        Either::Number(number) => Ok(number),
        Either::Text(text) => text.parse().map_err(serde::de::Error::custom),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Lax {
    #[serde(deserialize_with = "number_or_text")]
    n: u32,
}

#[test]
fn row_10_a_lax_deserializer_gets_nothing_lax() {
    assert_eq!(refuses::<Lax>(r#"{"n":"5"}"#), ["/n"]);
    assert_eq!(accepts::<Lax>(r#"{"n":5}"#), "Lax { n: 5 }");
    assert_eq!(accepts::<Lax>(r#"{"n":5.0}"#), "Lax { n: 5 }");
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Unsigned {
    n: u32,
}

#[test]
fn row_11_an_integral_float_is_an_integer() {
    assert_eq!(accepts::<Unsigned>(r#"{"n":3.0}"#), "Unsigned { n: 3 }");
    assert_eq!(accepts::<Unsigned>(r#"{"n":1e2}"#), "Unsigned { n: 100 }");
    assert_eq!(accepts::<Unsigned>(r#"{"n":-0}"#), "Unsigned { n: 0 }");
    assert_eq!(refuses::<Unsigned>(r#"{"n":3.5}"#), ["/n"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Widths {
    a: Option<i8>,
    b: Option<u16>,
    c: Option<i32>,
    d: Option<u32>,
    e: Option<i64>,
    f: Option<u64>,
    g: Option<usize>,
    h: Option<i128>,
    i: Option<u128>,
    j: Option<std::num::NonZeroI16>,
    k: Option<std::num::NonZeroU8>,
    l: Option<f32>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Timed {
    d: Duration,
}

#[test]
fn row_12_every_integer_has_the_bounds_of_its_width() {
    let within = [
        ("a", "-128"),
        ("a", "127"),
        ("b", "65535"),
        ("c", "-2147483648"),
        ("d", "4294967295"),
        ("e", "-9223372036854775808"),
        ("e", "9223372036854775807"),
        ("f", "18446744073709551615"),
        ("g", "0"),
        ("h", "-9223372036854775808"),
        ("h", "18446744073709551615"),
        ("i", "18446744073709551615"),
        ("j", "-32768"),
        ("k", "255"),
        ("l", "3.4e38"),
    ];
    let outside = [
        ("a", "-129"),
        ("a", "128"),
        ("b", "65536"),
        ("b", "-1"),
        ("c", "-2147483649"),
        ("d", "4294967296"),
        ("d", "-1"),
        ("e", "9223372036854775808"),
        ("e", "-9223372036854775809"),
        ("e", "9.3e18"),
        ("f", "18446744073709551616"),
        ("f", "1e20"),
        ("g", "-1"),
        ("h", "18446744073709551616"),
        ("i", "-1"),
        ("j", "0"),
        ("j", "32768"),
        ("k", "0"),
        ("k", "256"),
        ("l", "3.5e38"),
    ];
    for (name, number) in within {
        accepts::<Widths>(&format!("{{\"{name}\":{number}}}"));
    }
    for (name, number) in outside {
        let pointers = refuses::<Widths>(&format!("{{\"{name}\":{number}}}"));
        assert_eq!(pointers, [format!("/{name}")], "{number}");
    }
    assert_eq!(
        refuses::<Timed>(r#"{"d":{"secs":1,"nanos":5000000000}}"#),
        ["/d/nanos"]
    );
    assert_eq!(
        refuses::<Timed>(r#"{"d":{"secs":18446744073709551615,"nanos":1000000000}}"#),
        ["/d/nanos"]
    );
    accepts::<Timed>(r#"{"d":{"secs":18446744073709551615,"nanos":999999999}}"#);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Keyed {
    m: BTreeMap<u32, String>,
}

#[test]
fn row_12_integer_keys_are_spelled_as_integers() {
    accepts::<Keyed>(r#"{"m":{"7":"x"}}"#);
    assert_eq!(refuses::<Keyed>(r#"{"m":{"abc":"x"}}"#), ["/m/abc"]);
    assert_eq!(refuses::<Keyed>(r#"{"m":{"07":"x"}}"#), ["/m/07"]);
    // The width of a key is not in the schema; `assert_no_drift` warns of it. Here it is drift.
    let refusal = read::<Keyed>(r#"{"m":{"4294967296":"x"}}"#).expect_err("no such key");
    assert!(
        matches!(&refusal, Refusal::Drift(problem) if problem.pointer == "/m/4294967296"),
        "{refusal:?}"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum NumberOrString {
    Number(i64),
    String(String),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Either {
    v: NumberOrString,
}

#[test]
fn row_13_an_integral_float_reaches_inside_an_untagged_enum() {
    assert_eq!(accepts::<Either>(r#"{"v":3.0}"#), "Either { v: Number(3) }");
    assert_eq!(
        accepts::<Either>(r#"{"v":"x"}"#),
        "Either { v: String(\"x\") }"
    );
    assert_eq!(refuses::<Either>(r#"{"v":3.5}"#), ["/v"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Mail {
    #[schemars(email)]
    to: String,
}

#[test]
fn row_22_a_format_has_force() {
    assert_eq!(refuses::<Mail>(r#"{"to":"nope"}"#), ["/to"]);
    accepts::<Mail>(r#"{"to":"name@example.com"}"#);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Defaulted {
    #[serde(default)]
    n: u32,
}

#[test]
fn row_23_null_for_a_default_is_refused_without_repair_and_dropped_with() {
    assert_eq!(refuses::<Defaulted>(r#"{"n":null}"#), ["/n"]);
    let contract = Contract::<Defaulted>::of_type().expect("a contract");
    let reading = contract
        .read(r#"{"n":null}"#, &ReadOptions::default())
        .expect("repaired");
    assert_eq!((reading.input.n, reading.repairs.len()), (0, 1));
    accepts::<Defaulted>("{}");
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Denying {
    path: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DenyingFlat {
    p: String,
    #[serde(flatten)]
    i: Inner,
}

#[test]
fn row_24_an_unknown_field_is_refused_also_beside_a_flattened_struct() {
    assert_eq!(refuses::<Denying>(r#"{"path":"a","zz":5}"#), ["/zz"]);
    assert_eq!(refuses::<DenyingFlat>(r#"{"p":"x","a":1,"zz":2}"#), ["/zz"]);
    accepts::<DenyingFlat>(r#"{"p":"x","a":1}"#);
}
