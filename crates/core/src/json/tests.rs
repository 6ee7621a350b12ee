//! The parser's promises, one by one.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;

fn read_within(text: &str, limits: &Limits) -> Result<Value, SyntaxError> {
    with_scratch(|scratch| {
        parse(text, &scratch.bump, &mut scratch.stacks, limits).map(|node| node.to_value())
    })
}

fn read(text: &str) -> Result<Value, SyntaxError> {
    read_within(text, &Limits::default())
}

/// What is wrong with a text, with its place.
fn refusal(text: &str) -> String {
    let error = read(text).expect_err("the text is refused");
    format!("{error} | byte {} | `{}`", error.offset, error.path)
}

#[test]
fn values_of_every_kind_are_read() {
    let text = r#" {"a" : [1, -2, 3.5, 1e2, true, false, null, "x\n\u00e9\ud83d\ude00", {}, []]} "#;
    let wanted = json!({"a": [1, -2, 3.5, 100.0, true, false, null, "x\né😀", {}, []]});
    assert_eq!(read(text).expect("JSON"), wanted);
}

#[test]
fn integers_keep_all_64_bits() {
    for text in [
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "-9223372036854775808",
    ] {
        assert_eq!(read(text).expect("JSON").to_string(), text);
    }
}

#[test]
fn an_integer_below_64_bits_does_not_round_to_the_least_one() {
    let value = read("-9223372036854775809").expect("JSON");
    assert!(
        value
            .as_f64()
            .is_some_and(|value| value < -9_223_372_036_854_775_808.0)
    );
}

#[test]
fn integral_floats_stand_for_integers() {
    for (float, integer) in [(3.0, 3), (-0.0, 0), (1e2, 100), (-7.0, -7)] {
        assert_eq!(Number::Float(float).integral(), Number::Signed(integer));
    }
    assert_eq!(
        Number::Float(1e19).integral(),
        Number::Unsigned(10_000_000_000_000_000_000)
    );
    assert_eq!(Number::Float(1e30).integral(), Number::Float(1e30));
    assert_eq!(Number::Float(0.5).integral(), Number::Float(0.5));
    // Above 2^53 a reader that wants any number gets the float.
    assert_eq!(Number::Float(1e16).offered(), Number::Float(1e16));
}

#[test]
fn a_name_twice_is_refused_however_it_is_spelled() {
    assert_snapshot!(refusal(r#"{"a":{"path":1,"p\u0061th":2}}"#), @"the field `path` is given twice in one object; give it once (line 1, column 16) | byte 15 | `/a/path`");
    let many: Vec<String> = (0..100)
        .map(|index| format!("\"k{index}\":{index}"))
        .collect();
    assert!(read(&format!("{{{}}}", many.join(","))).is_ok());
    assert!(read(&format!("{{{},\"k3\":0}}", many.join(","))).is_err());
    // The same name in two objects is no duplicate.
    assert!(read(r#"[{"a":1},{"a":{"a":1}}]"#).is_ok());
}

#[test]
fn a_text_that_was_cut_off_says_so() {
    assert_snapshot!(refusal(r#"{"file_path": "README.md", "limit": 5"#), @"the JSON ends in the middle of an object; it was probably cut off: send the whole call again (line 1, column 38) | byte 37 | ``");
    assert_snapshot!(refusal(r#"{"content": "fn main() {"#), @"the JSON ends in the middle of a string; it was probably cut off: send the whole call again (line 1, column 25) | byte 24 | `/content`");
    assert_snapshot!(refusal(r#"{"a": ["#), @"the JSON ends in the middle of a value; it was probably cut off: send the whole call again (line 1, column 8) | byte 7 | `/a/0`");
    let whole = r#"{"a":[1.5e3,"\u00e9\n",true,null,{"b":-2}]}"#;
    for end in 1..whole.len() {
        let part = whole.get(..end).expect("the text is ASCII");
        let error = read(part).expect_err("a part is no whole");
        assert!(
            matches!(error.fault, SyntaxFault::Truncated(_)),
            "{part}: {error}"
        );
    }
}

#[test]
fn slips_of_models_have_their_own_words() {
    assert_snapshot!(refusal("{'a': 1}"), @"a single quote where JSON needs a field name in double quotes (line 1, column 2) | byte 1 | ``");
    assert_snapshot!(refusal("{\"a\": True}"), @"`True` where JSON needs a value: an object, array, string, number, `true`, `false` or `null` (line 1, column 7) | byte 6 | `/a`");
    assert_snapshot!(refusal("{\"a\": 1,}"), @"`}` where JSON needs a field name in double quotes (line 1, column 9) | byte 8 | ``");
    assert_snapshot!(refusal("{\"a\": \"x\ny\"}"), @r"a raw line break in a string where JSON needs an escape: inside a string write a line break as `\n` and a tab as `\t` (line 1, column 9) | byte 8 | `/a`");
    assert_snapshot!(refusal("{\"a\": 1} {\"b\": 2}"), @"`{` after the end of the JSON value; send one value and nothing else (line 1, column 10) | byte 9 | ``");
    assert_snapshot!(refusal("{\n  \"a\": 1 // one\n}"), @"a comment where JSON needs `,` or `}` after a field (line 2, column 10) | byte 11 | ``");
    assert_snapshot!(refusal(r#"{"re": "\d+"}"#), @r#"`d` where JSON needs one of `"`, `\`, `/`, `b`, `f`, `n`, `r`, `t`, `u` behind a backslash; write a backslash itself as `\\` (line 1, column 10) | byte 9 | `/re`"#);
    assert_snapshot!(refusal(r#"["\ud800x"]"#), @r"a `\u` escape is half of a surrogate pair; write the whole pair, or the character itself (line 1, column 3) | byte 2 | `/0`");
    assert_snapshot!(refusal("[1e999]"), @"the number `1e999` is too large; a number lies between -1.8e308 and 1.8e308 (line 1, column 2) | byte 1 | `/0`");
    assert_snapshot!(refusal("[007]"), @"a number that starts with 0 where JSON needs a number without leading zeros; put the digits in quotes if they are text (line 1, column 2) | byte 1 | `/0`");
}

#[test]
fn depth_is_bounded_exactly() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(read(&nested(96)).is_ok());
    assert_snapshot!(read(&nested(97)).expect_err("too deep"), @"objects and arrays are nested more than 96 deep; send a flatter value (line 1, column 97)");
    // Beyond the highest cap too, whatever is asked for, and however long the text goes on.
    let limits = Limits {
        depth: usize::MAX,
        ..Limits::default()
    };
    assert!(read_within(&nested(Limits::MAX_DEPTH), &limits).is_ok());
    assert!(read_within(&nested(Limits::MAX_DEPTH + 1), &limits).is_err());
    assert!(read_within(&"{\"a\":".repeat(100_000), &limits).is_err());
}

#[test]
fn size_is_bounded_exactly() {
    let limits = Limits {
        bytes: 10,
        ..Limits::default()
    };
    assert!(read_within("\"12345678\"", &limits).is_ok());
    assert_snapshot!(read_within("\"123456789\"", &limits).expect_err("too large"), @"the arguments are 11 bytes long; at most 10 are taken: send less at once");
}

#[test]
fn lines_and_columns_count_characters() {
    let error = read("{\n  \"é\": ?\n}").expect_err("no value");
    assert_eq!((error.line, error.column, error.offset), (2, 8, 10));
}

#[test]
fn scratch_keeps_its_allocation_for_the_next_call() {
    let mut scratch = Scratch::default();
    let text = format!("[{}]", vec!["1"; 1000].join(","));
    let first = parse(
        &text,
        &scratch.bump,
        &mut scratch.stacks,
        &Limits::default(),
    )
    .expect("JSON");
    assert!(matches!(first, Node::Array(items) if items.len() == 1000));
    let kept = scratch.stacks.items.capacity();
    assert!(kept >= 1000, "{kept}");
    scratch.bump.reset();
    parse(
        "[1]",
        &scratch.bump,
        &mut scratch.stacks,
        &Limits::default(),
    )
    .expect("JSON");
    assert_eq!(scratch.stacks.items.capacity(), kept);
}

#[test]
fn a_failed_parse_leaves_nothing_behind() {
    with_scratch(|scratch| {
        let failed = parse(
            "[1,[2,{\"a\":1,\"b\":]",
            &scratch.bump,
            &mut scratch.stacks,
            &Limits::default(),
        );
        assert!(failed.is_err());
        let next = parse(
            "[[3]]",
            &scratch.bump,
            &mut scratch.stacks,
            &Limits::default(),
        )
        .expect("JSON");
        assert_eq!(next.to_value(), json!([[3]]));
    });
}

#[test]
fn a_tree_comes_from_a_value_too() {
    let value =
        json!({"a": [1, -2, 3.5, "x", null, true, {"b": []}], "c": 18_446_744_073_709_551_615_u64});
    let bump = bumpalo::Bump::new();
    assert_eq!(Node::from_value(&value, &bump).to_value(), value);
    assert!(Node::from_value(&value, &bump).is_heavier_than(10));
    assert!(!Node::from_value(&value, &bump).is_heavier_than(11));
}
