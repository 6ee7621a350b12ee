//! serde over the tree, held against `serde_json::from_str`: every shape of type, many texts.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Debug,
};

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use toolpost_core::json::{Limits, NodeDeserializer, Told, Untold, parse, with_scratch};

#[derive(Debug, PartialEq, Deserialize)]
struct Unit;

#[derive(Debug, PartialEq, Deserialize)]
struct Newtype(u32);

#[derive(Debug, PartialEq, Deserialize)]
struct Tuple(u8, String);

#[derive(Debug, PartialEq, Deserialize)]
enum External {
    A,
    B(u32),
    C(u8, u8),
    D { x: i32 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Integer(i64),
    Float(f64),
    String(String),
    Bytes(Vec<u8>),
    Fields { a: u8 },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "t")]
enum Internal {
    A { x: u32 },
    B,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    A(u32),
    B,
}

#[derive(Debug, PartialEq, Deserialize)]
struct Flat {
    a: u8,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Denying {
    a: Option<u8>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Key(String);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
enum KeyEnum {
    A,
    B,
}

const TEXTS: [&str; 35] = [
    "null",
    "true",
    "1",
    "-1",
    "300",
    "1.5",
    r#""A""#,
    r#""x""#,
    "[]",
    r#"[1,"a"]"#,
    "[1,2]",
    "[1,2,3]",
    "{}",
    r#"{"a":1}"#,
    r#"{"a":null}"#,
    r#"{"a":1,"b":[1.5,{"c":null}]}"#,
    r#"{"B":3}"#,
    r#"{"C":[1,2]}"#,
    r#"{"C":[1,2,3]}"#,
    r#"{"D":{"x":-5}}"#,
    r#"{"D":[-5]}"#,
    r#"{"D":{"x":-5},"E":1}"#,
    r#"{"A":null}"#,
    r#"{"t":"A","x":4}"#,
    r#"{"x":4,"t":"A"}"#,
    r#"{"t":"B"}"#,
    r#"{"t":"A","c":7}"#,
    r#"{"c":7,"t":"A"}"#,
    r#"{"1":2,"-3":4}"#,
    r#"{"01":2}"#,
    r#"{"+1":2}"#,
    r#"{"true":1}"#,
    "18446744073709551615",
    r#""\u00e9\n""#,
    "[[1,2],[3]]",
];

fn same<T: DeserializeOwned + PartialEq + Debug>() {
    for text in TEXTS {
        let theirs = serde_json::from_str::<T>(text).ok();
        with_scratch(|scratch| {
            let node =
                parse(text, &scratch.bump, &mut scratch.stacks, &Limits::default()).expect("JSON");
            let ours = T::deserialize(NodeDeserializer::<Untold>::new(node)).ok();
            let told = T::deserialize(NodeDeserializer::<Told>::new(node)).ok();
            assert_eq!(ours, theirs, "{} from {text}", std::any::type_name::<T>());
            assert_eq!(
                told,
                theirs,
                "{} from {text}, told",
                std::any::type_name::<T>()
            );
        });
    }
}

#[test]
fn structs_and_tuples() {
    same::<Unit>();
    same::<Newtype>();
    same::<Tuple>();
    same::<Denying>();
    same::<()>();
    same::<(u8, u8)>();
    same::<[u8; 2]>();
}

#[test]
fn enums_of_every_tagging() {
    same::<External>();
    same::<Untagged>();
    same::<Internal>();
    same::<Adjacent>();
}

#[test]
fn options_and_flattened_fields() {
    same::<Flat>();
    same::<Option<u8>>();
    same::<Option<Option<bool>>>();
}

#[test]
fn scalars() {
    same::<char>();
    same::<i128>();
    same::<u64>();
    same::<f32>();
    same::<f64>();
    same::<Box<str>>();
}

#[test]
fn maps_with_keys_of_every_kind() {
    same::<BTreeMap<i32, u8>>();
    same::<HashMap<bool, u8>>();
    same::<BTreeMap<Key, u8>>();
    same::<BTreeMap<KeyEnum, u8>>();
    same::<Map<String, Value>>();
}

#[test]
fn values_and_lists() {
    same::<Value>();
    same::<Vec<Vec<u8>>>();
}

fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    with_scratch(|scratch| {
        let node =
            parse(text, &scratch.bump, &mut scratch.stacks, &Limits::default()).expect("JSON");
        T::deserialize(NodeDeserializer::<Untold>::new(node)).ok()
    })
}

#[test]
fn integral_floats_are_integers_even_where_serde_buffers() {
    assert_eq!(read(r#"{"t":"A","x":3.0}"#), Some(Internal::A { x: 3 }));
    assert_eq!(read(r#"{"x":1e2,"t":"A"}"#), Some(Internal::A { x: 100 }));
    assert_eq!(read(r#"{"t":"A","x":-0}"#), Some(Internal::A { x: 0 }));
    assert_eq!(read("3.0"), Some(Untagged::Integer(3)));
    assert_eq!(read("-2.0"), Some(-2_i64));
    assert_eq!(read::<i64>("2.5"), None);
    assert_eq!(read("2.0"), Some(2.0_f64));
}
