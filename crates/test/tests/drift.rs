//! Each kind of drift, on a type that has it and on one that has not.

#![allow(missing_docs)]
#![allow(dead_code, reason = "the types are there to be read into")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    net::IpAddr,
    num::{NonZeroI16, NonZeroU8},
    path::PathBuf,
    time::{Duration, SystemTime},
};

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::Value;
use toolpost_test::{DriftKind, assert_no_drift, drift_of};

/// The kinds of drift of a type, with their places.
fn found<T: DeserializeOwned + JsonSchema>() -> Vec<(DriftKind, String)> {
    drift_of::<T>()
        .into_iter()
        .map(|drift| (drift.kind, drift.pointer))
        .collect()
}

fn at(kind: DriftKind, pointer: &str) -> (DriftKind, String) {
    (kind, pointer.to_owned())
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Inner {
    a: u32,
    #[serde(default)]
    b: Vec<String>,
}

#[test]
fn a_type_of_everything_plain_has_none() {
    #[derive(Deserialize, JsonSchema)]
    struct Plain {
        #[schemars(length(min = 1, max = 5))]
        text: String,
        path: PathBuf,
        letter: char,
        #[schemars(range(min = 1, max = 100))]
        ranged: u32,
        #[schemars(regex(pattern = "^[a-z]+$"))]
        word: String,
        #[schemars(email)]
        mail: Option<String>,
        widths: (i8, u8, i16, u16, i32, u32, i64, u64),
        wide: (i128, u128, usize, isize),
        not_zero: (NonZeroI16, NonZeroU8),
        real: f64,
        single: f32,
        duration: Duration,
        time: Option<SystemTime>,
        address: IpAddr,
        set: BTreeSet<u8>,
        map: BTreeMap<String, Inner>,
        inner: Option<Inner>,
        boxed: Option<Box<Tree>>,
        list: Vec<Option<bool>>,
        fixed: [u8; 2],
        any: Value,
        unit: (),
        kind: External,
        tagged: Vec<Tagged>,
        adjacent: Option<Adjacent>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Tree {
        name: String,
        children: Vec<Tree>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum External {
        FirstOne,
        /// With a number.
        Newtype(u8),
        Tuple(u8, bool),
        Struct {
            x: i32,
        },
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Tagged {
        Insert { line: u32 },
        Wrapped(Inner),
        Unit,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "t", content = "c")]
    enum Adjacent {
        Number(u32),
        Nothing,
    }
    assert_no_drift::<Plain>();
}

#[test]
fn attributes_that_schema_and_serde_both_know_make_none() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase", deny_unknown_fields)]
    struct Outer {
        first_name: String,
        #[serde(rename = "type")]
        kind: Transparent,
        #[serde(default = "seven")]
        with_default: u8,
        #[serde(skip)]
        skipped: u8,
        tuple: Pair,
        by_enum: BTreeMap<Side, bool>,
        by_text: BTreeMap<Name, u8>,
        nested: Vec<Vec<Option<Side>>>,
        expression: Expression,
        range: std::ops::Range<u32>,
        outcome: Result<u8, String>,
    }
    fn seven() -> u8 {
        7
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(transparent)]
    struct Transparent {
        inner: Vec<u16>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Pair(u8, Option<String>);
    #[derive(Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
    #[serde(rename_all = "lowercase")]
    enum Side {
        Left,
        Right,
    }
    #[derive(Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord)]
    struct Name(String);
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
    enum Expression {
        Number(f64),
        Sum(Vec<Expression>),
        Call {
            fn_name: String,
            args: Option<Box<Expression>>,
        },
    }
    assert_no_drift::<Outer>();
}

#[test]
fn an_alias_of_a_field() {
    #[derive(Deserialize, JsonSchema)]
    struct Aliased {
        #[serde(alias = "file_path")]
        path: String,
        nested: Option<Nested>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Nested {
        #[serde(default, alias = "size")]
        length: u32,
    }
    assert_eq!(
        found::<Aliased>(),
        [
            at(DriftKind::HiddenName, ""),
            at(DriftKind::HiddenName, "/nested")
        ]
    );
}

#[test]
fn an_alias_of_a_variant() {
    #[derive(Deserialize, JsonSchema)]
    struct With {
        mode: Mode,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        #[serde(alias = "ls")]
        List,
        Count,
    }
    assert_eq!(found::<With>(), [at(DriftKind::HiddenName, "/mode")]);
}

#[test]
fn an_alias_of_a_tag() {
    #[derive(Deserialize, JsonSchema)]
    struct With {
        edit: Edit,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Edit {
        #[serde(alias = "add")]
        Insert {
            line: u32,
        },
        Delete {
            from: u32,
        },
    }
    assert_eq!(found::<With>(), [at(DriftKind::HiddenName, "/edit/kind")]);
}

#[test]
fn an_alias_inside_a_tagged_variant_in_another_case() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Edit {
        Insert {
            #[serde(alias = "fromLine")]
            from_line: u32,
        },
        Delete,
    }
    assert_eq!(found::<Edit>(), [at(DriftKind::HiddenName, "/from_line")]);
}

#[test]
fn a_variant_for_all_others() {
    #[derive(Deserialize, JsonSchema)]
    struct With {
        mode: Mode,
    }
    #[derive(Deserialize, JsonSchema)]
    enum Mode {
        List,
        #[serde(other)]
        Unknown,
    }
    assert_eq!(found::<With>(), [at(DriftKind::OtherVariant, "/mode")]);
}

#[test]
fn an_untagged_choice() {
    #[derive(Deserialize, JsonSchema)]
    struct With {
        target: Target,
        #[serde(default)]
        more: Vec<NumberOrText>,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum Target {
        One { path: String },
        Many { paths: Vec<String> },
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(untagged)]
    enum NumberOrText {
        Number(i64),
        Text(String),
    }
    assert_eq!(
        found::<With>(),
        [
            at(DriftKind::Untagged, "/more/0"),
            at(DriftKind::Untagged, "/target")
        ]
    );
}

#[test]
fn an_option_of_a_struct_is_no_untagged_choice() {
    #[derive(Deserialize, JsonSchema)]
    struct With {
        inner: Option<Inner>,
        address: IpAddr,
    }
    assert_no_drift::<With>();
}

#[test]
fn a_flattened_option() {
    #[derive(Deserialize, JsonSchema)]
    struct Flat {
        p: u8,
        #[serde(flatten)]
        inner: Option<Inner>,
    }
    let kinds = found::<Flat>();
    assert!(
        kinds.contains(&at(DriftKind::FlattenedOption, "/a")),
        "{kinds:?}"
    );
    assert!(
        kinds
            .iter()
            .all(|(kind, _)| *kind == DriftKind::FlattenedOption),
        "{kinds:?}"
    );
}

#[test]
fn flattened_parts_that_are_no_option_have_none() {
    #[derive(Deserialize, JsonSchema)]
    struct Flat {
        p: u8,
        #[serde(flatten)]
        inner: Inner,
    }
    #[derive(Deserialize, JsonSchema)]
    struct FlatMap {
        p: u8,
        #[serde(flatten)]
        rest: BTreeMap<String, u32>,
    }
    #[derive(Deserialize, JsonSchema)]
    struct FlatTagged {
        p: u8,
        #[serde(flatten)]
        choice: Choice,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Choice {
        One { x: bool },
        Two(Inner),
    }
    assert_no_drift::<Flat>();
    assert_no_drift::<FlatMap>();
    assert_no_drift::<FlatTagged>();
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

#[test]
fn a_deserializer_that_takes_more() {
    #[derive(Deserialize, JsonSchema)]
    struct Lax {
        #[serde(deserialize_with = "number_or_text")]
        n: u32,
    }
    assert_eq!(found::<Lax>(), [at(DriftKind::Laxer, "/n")]);
}

fn even<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let number = u32::deserialize(deserializer)?;
    if number % 2 == 0 {
        Ok(number)
    } else {
        Err(serde::de::Error::custom("not even"))
    }
}

#[test]
fn a_deserializer_that_takes_less() {
    #[derive(Deserialize, JsonSchema)]
    struct Strict {
        #[serde(deserialize_with = "even")]
        n: u32,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Said {
        #[serde(deserialize_with = "even")]
        #[schemars(extend("multipleOf" = 2))]
        n: u32,
    }
    assert_eq!(found::<Strict>(), [at(DriftKind::Stricter, "/n")]);
    assert_no_drift::<Said>();
}

#[test]
fn an_option_that_its_deserializer_makes_required() {
    fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
        Option::deserialize(deserializer)
    }
    #[derive(Deserialize, JsonSchema)]
    struct Required {
        #[serde(deserialize_with = "some")]
        n: Option<u32>,
    }
    let drifts = drift_of::<Required>();
    assert!(
        drifts.iter().any(|drift| drift.kind == DriftKind::Stricter),
        "{drifts:?}"
    );
}

#[test]
fn integers_as_keys() {
    #[derive(Deserialize, JsonSchema)]
    struct Keyed {
        map: BTreeMap<u32, String>,
    }
    assert_eq!(found::<Keyed>(), [at(DriftKind::IntegerKey, "/map")]);
}

#[test]
fn a_field_that_the_schema_does_not_show() {
    #[derive(Deserialize, JsonSchema)]
    struct Hidden {
        shown: String,
        #[schemars(skip)]
        #[serde(default)]
        hidden: u32,
    }
    assert_eq!(found::<Hidden>(), [at(DriftKind::HiddenName, "")]);
}

#[test]
fn a_duration_of_its_own_that_overflows() {
    fn millis<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        let seconds = u32::deserialize(deserializer)?;
        seconds
            .checked_mul(1000)
            .ok_or_else(|| serde::de::Error::custom("too long"))
    }
    #[derive(Deserialize, JsonSchema)]
    struct Timed {
        #[serde(deserialize_with = "millis")]
        timeout: u32,
    }
    assert_eq!(found::<Timed>(), [at(DriftKind::Stricter, "/timeout")]);
}

#[test]
fn a_pattern_that_no_usual_text_fits_is_said() {
    #[derive(Deserialize, JsonSchema)]
    struct Odd {
        #[schemars(regex(pattern = "^q{17}z$"))]
        code: String,
    }
    #[derive(Deserialize, JsonSchema)]
    struct Shown {
        #[schemars(regex(pattern = "^q{17}z$"), extend("examples" = ["qqqqqqqqqqqqqqqqqz"]))]
        code: String,
    }
    assert!(found::<Odd>().contains(&at(DriftKind::Unchecked, "/code")));
    assert_no_drift::<Shown>();
}

#[test]
fn a_type_that_makes_no_contract() {
    assert_eq!(found::<Vec<String>>(), [at(DriftKind::NoContract, "")]);
}

#[test]
fn a_failed_assertion_says_what_to_do() {
    #[derive(Deserialize, JsonSchema)]
    struct Aliased {
        #[serde(alias = "file_path")]
        path: String,
    }
    let failed = std::panic::catch_unwind(assert_no_drift::<Aliased>).expect_err("drift");
    let message = failed.downcast_ref::<String>().expect("a message");
    assert!(
        message.contains("serde also reads `file_path`"),
        "{message}"
    );
}
