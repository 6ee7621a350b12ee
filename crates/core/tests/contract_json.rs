//! The parser held against `serde_json`, on texts that were edited at random.

#![allow(missing_docs)]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test stops when it is wrong"
)]

mod contract_support;

use contract_support::Dice;
use proptest::prelude::*;
use serde_json::Value;
use toolpost_core::json::{Limits, Node, SyntaxError, SyntaxFault, parse, with_scratch};

fn read(text: &str) -> Result<Value, SyntaxError> {
    with_scratch(|scratch| {
        let node = parse(text, &scratch.bump, &mut scratch.stacks, &Limits::default());
        node.map(|node: Node<'_>| node.to_value())
    })
}

/// Both accept with one value, or both refuse; but ours refuses a name that is given twice.
fn compare(text: &str) {
    match (read(text), serde_json::from_str::<Value>(text)) {
        (Ok(ours), Ok(theirs)) => assert!(same(&ours, &theirs), "{text:?}: {ours} and {theirs}"),
        (Err(_), Err(_)) => {}
        (Err(error), Ok(_)) => {
            assert!(
                matches!(error.fault, SyntaxFault::DuplicateName(_)),
                "{text:?}: {error}"
            );
        }
        (Ok(_), Err(error)) => panic!("{text:?}: only serde_json refuses: {error}"),
    }
}

/// Equal, but for the last bit of a float: `serde_json` does not always round to the nearest one,
/// and ours keeps an integer just below `i64::MIN` from rounding to it.
fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours, theirs) {
        (Value::Number(ours), Value::Number(theirs)) if ours.is_f64() && theirs.is_f64() => {
            let (ours, theirs) = (
                ours.as_f64().expect("a float"),
                theirs.as_f64().expect("a float"),
            );
            ours == theirs || ours.next_up() == theirs || ours.next_down() == theirs
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| same(ours, theirs))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut pairs = ours.iter().zip(theirs);
            ours.len() == theirs.len()
                && pairs.all(|((name, ours), (other, theirs))| name == other && same(ours, theirs))
        }
        _ => ours == theirs,
    }
}

const SEEDS: [&str; 4] = [
    r#"{"a":2,"b":40}"#,
    r#"{"pattern":"fn\\s+\\w+","path":"/src/lib","limits":{"head":200,"timeout_ms":30000},"globs":["*.rs","!target/**"],"on":true}"#,
    r#"[1,-0,0.5,1e2,-1.5E-3,"\u00e9\ud83d\ude00\n",true,false,null,{},[],{"a":[{"b":"c"}]}, 18446744073709551615, -9223372036854775808]"#,
    "{\"long\":\"a plain text that is longer than one chunk of eight bytes, with é and 😀 and \\\"quotes\\\"\"}",
];

const EDITS: &[u8] = b"\"\\{}[],:0123456789eE+-.truefalsn u/bx\x01\n\t \xc3\xa9\x7f";

#[test]
fn edited_texts_are_read_as_serde_json_reads_them() {
    let mut dice = Dice::new(88_172_645_463_325_252);
    let mut compared = 0;
    for _ in 0..120_000 {
        let mut bytes = dice.pick(&SEEDS).as_bytes().to_vec();
        for _ in 0..=dice.roll(3) {
            let at = dice.roll(bytes.len());
            match dice.roll(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, *dice.pick(EDITS)),
                _ => bytes[at] = *dice.pick(EDITS),
            }
        }
        if let Ok(text) = String::from_utf8(bytes) {
            compare(&text);
            compared += 1;
        }
    }
    assert!(compared > 90_000, "{compared}");
}

#[test]
fn a_doubled_name_is_never_read() {
    let mut dice = Dice::new(5);
    for _ in 0..2_000 {
        let names: Vec<String> = (0..1 + dice.roll(40))
            .map(|index| format!("k{index}"))
            .collect();
        let twice = dice.pick(&names).clone();
        let spelled = match dice.roll(2) {
            0 => twice,
            _ => twice
                .encode_utf16()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect(),
        };
        let mut members: Vec<String> = names.iter().map(|name| format!("\"{name}\":1")).collect();
        members.insert(dice.roll(members.len() + 1), format!("\"{spelled}\":2"));
        let text = format!("{{{}}}", members.join(","));
        assert!(
            matches!(
                read(&text),
                Err(SyntaxError {
                    fault: SyntaxFault::DuplicateName(_),
                    ..
                })
            ),
            "{text}"
        );
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map(".{0,6}", inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn what_serde_json_writes_is_read_back(value in any_json()) {
        for text in [value.to_string(), serde_json::to_string_pretty(&value).expect("text")] {
            // Through `serde_json` too, which rounds some long floats.
            let wanted: Value = serde_json::from_str(&text).expect("JSON");
            let read = read(&text).expect("JSON");
            prop_assert!(same(&read, &wanted), "{} and {}", read, wanted);
        }
    }

    #[test]
    fn no_text_is_too_odd(text in ".{0,60}") {
        compare(&text);
    }
}
