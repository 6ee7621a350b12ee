//! What peers show a model against what they run: the rows about names and forms. See
//! `contract_drift_values.rs`.
//!
//! Rows 14 to 16 are rewrites of a schema that forgot the rewrite when validating; a contract has
//! one schema, so those tests hold what it accepts. Where serde is laxer than the schema and a
//! model is not told (rows 5, 6, 9, 18), `assert_no_drift` of `toolpost-test` tells the author.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]
#![allow(dead_code, reason = "fields are there to be read into")]

mod contract_support;

use contract_support::drift::{accepts, read, refuses};
use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::contract::{Contract, ReadOptions, Refusal};

#[derive(Debug, Deserialize, JsonSchema)]
struct Aliased {
    #[serde(alias = "file_path")]
    path: String,
}

#[test]
fn row_05_an_alias_that_is_not_shown_is_refused() {
    assert_eq!(
        refuses::<Aliased>(r#"{"file_path":"a"}"#),
        ["/file_path", "/path"]
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Aliases {
    #[serde(alias = "ls")]
    List,
    Count,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WithAliases {
    mode: Aliases,
}

#[test]
fn row_06_an_alias_or_any_other_variant_is_refused() {
    assert_eq!(refuses::<WithAliases>(r#"{"mode":"ls"}"#), ["/mode"]);
    assert_eq!(refuses::<WithAliases>(r#"{"mode":"zzz"}"#), ["/mode"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Plain {
    List,
    Count,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct WithPlain {
    mode: Plain,
}

#[test]
fn row_07_a_unit_variant_as_an_object_is_refused() {
    assert_eq!(refuses::<WithPlain>(r#"{"mode":{"list":null}}"#), ["/mode"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Optional {
    path: String,
    offset: Option<u32>,
}

#[test]
fn row_08_a_struct_as_an_array_is_refused() {
    assert_eq!(refuses::<Optional>(r#"["a",5]"#), [""]);
    assert_eq!(refuses::<Nested>(r#"{"i":[1]}"#), ["/i"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Inner {
    a: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct FlatOptional {
    p: u8,
    #[serde(flatten)]
    i: Option<Inner>,
}

#[test]
fn row_09_a_flattened_option_keeps_its_types() {
    assert_eq!(refuses::<FlatOptional>(r#"{"p":1,"a":"x"}"#), ["/a"]);
    assert_eq!(
        accepts::<FlatOptional>(r#"{"p":1}"#),
        "FlatOptional { p: 1, i: None }"
    );
    assert_eq!(
        accepts::<FlatOptional>(r#"{"p":1,"a":2}"#),
        "FlatOptional { p: 1, i: Some(Inner { a: 2 }) }"
    );
}

#[test]
fn row_14_null_for_an_option_is_shown_and_accepted() {
    assert_eq!(
        accepts::<Optional>(r#"{"path":"a","offset":null}"#),
        "Optional { path: \"a\", offset: None }"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum OneOrMany {
    One { path: String },
    Many { paths: Vec<String> },
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Target {
    target: OneOrMany,
}

#[test]
fn row_15_both_forms_of_an_untagged_enum_are_shown_and_accepted() {
    assert_eq!(
        accepts::<Target>(r#"{"target":{"paths":["a"]}}"#),
        "Target { target: Many { paths: [\"a\"] } }"
    );
    assert_eq!(
        accepts::<Target>(r#"{"target":{"path":"a"}}"#),
        "Target { target: One { path: \"a\" } }"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Nested {
    i: Option<Inner>,
}

#[test]
fn row_16_null_for_an_optional_struct_is_shown_and_accepted() {
    assert_eq!(accepts::<Nested>(r#"{"i":null}"#), "Nested { i: None }");
    assert_eq!(
        accepts::<Nested>(r#"{"i":{"a":1}}"#),
        "Nested { i: Some(Inner { a: 1 }) }"
    );
}

#[test]
fn row_17_a_field_given_twice_is_refused() {
    for text in [
        r#"{"path":"a","path":"b"}"#,
        r#"{"path":"a","offset":1,"offset":2}"#,
    ] {
        assert!(matches!(
            read::<Optional>(text),
            Err(Refusal::InvalidJson(_))
        ));
    }
}

#[test]
fn row_18_a_field_and_its_alias_are_refused_for_the_alias() {
    assert_eq!(
        refuses::<Aliased>(r#"{"file_path":"a","path":"b"}"#),
        ["/file_path"]
    );
}

#[test]
fn row_19_a_misspelled_option_is_refused() {
    let refusal = read::<Optional>(r#"{"path":"a","ofset":5}"#).expect_err("no such field");
    assert!(
        refusal
            .to_string()
            .contains("unknown field `ofset`; did you mean `offset`?"),
        "{refusal}"
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Tagged {
    Insert { line: u32 },
    Delete { from: u32, to: u32 },
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Operation {
    op: Tagged,
}

#[test]
fn row_20_an_extra_field_of_a_tagged_variant_is_refused() {
    assert_eq!(
        refuses::<Operation>(r#"{"op":{"kind":"insert","line":1,"zz":2}}"#),
        ["/op/zz"]
    );
}

#[test]
fn row_21_both_forms_of_an_untagged_enum_at_once_are_refused() {
    let pointers = refuses::<Target>(r#"{"target":{"path":"a","paths":["b"]}}"#);
    assert_eq!(pointers, ["/target/paths"]);
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Defaulted {
    #[serde(default)]
    n: u32,
}

#[test]
fn row_25_two_faults_are_told_at_once() {
    assert_eq!(
        refuses::<Optional>(r#"{"path":1,"offset":"x"}"#),
        ["/path", "/offset"]
    );
}

#[test]
fn row_26_a_missing_field_of_a_tagged_variant_is_named() {
    assert_eq!(
        refuses::<Operation>(r#"{"op":{"kind":"delete","from":1}}"#),
        ["/op/to"]
    );
}

#[test]
fn row_27_a_near_miss_of_an_untagged_variant_is_told_of_that_variant() {
    assert_eq!(
        refuses::<Target>(r#"{"target":{"paths":"a"}}"#),
        ["/target/paths"]
    );
}

#[derive(Debug, Deserialize, JsonSchema)]
struct NoFields {}

#[test]
fn row_28_nothing_is_an_empty_object_and_other_oddities_are_refused() {
    for text in ["", " \n", "null", " null\n", "{}"] {
        assert_eq!(accepts::<NoFields>(text), "NoFields");
        assert_eq!(accepts::<Defaulted>(text), "Defaulted { n: 0 }");
    }
    let cut = read::<Optional>(r#"{"path":"a""#).expect_err("cut off");
    assert!(cut.to_string().contains("cut off"), "{cut}");
    // An object in a string is unwrapped by repair only.
    let wrapped = r#""{\"path\":\"a\"}""#;
    assert_eq!(refuses::<Optional>(wrapped), [""]);
    let contract = Contract::<Optional>::of_type().expect("a contract");
    assert_eq!(
        contract
            .read(wrapped, &ReadOptions::default())
            .expect("repaired")
            .input
            .path,
        "a"
    );
}
