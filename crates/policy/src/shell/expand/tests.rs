use std::path::Path;

use crate::shell::{NoShellFacts, Unknown, Value, analyse};

/// The words of `echo`'s arguments.
fn words(text: &str) -> Vec<Value> {
    let analysis = analyse(&format!("echo {text}"), Path::new("/proj"), &NoShellFacts);
    let words = analysis.commands.iter().flat_map(|c| &c.argv);
    words.skip(1).map(|word| word.value.clone()).collect()
}

fn literals(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .map(|value| match value {
            Value::Literal(text) => text,
            Value::Unknown(unknown) => format!("?{}", unknown.prefix),
        })
        .collect()
}

fn unknown(text: &str) -> Unknown {
    match words(text).pop() {
        Some(Value::Unknown(unknown)) => unknown,
        other => panic!("`{text}` is {other:?}"),
    }
}

#[test]
fn quotes_vanish() {
    assert_eq!(literals("a'b c'\"d\"\\e"), ["ab cde"]);
    assert_eq!(literals("'' \"\""), ["", ""]);
    assert_eq!(literals("$'\\x74\\t\\u00e9'"), ["t\té"]);
    assert_eq!(literals("\"a\\$b\\c\""), ["a$b\\c"]);
}

#[test]
fn braces_make_words() {
    assert_eq!(literals("-{a,b}"), ["-a", "-b"]);
    assert_eq!(
        literals("{1..3} {c..a} {08..10}"),
        ["1", "2", "3", "c", "b", "a", "08", "09", "10"]
    );
    assert_eq!(literals("{a} {} {a,b"), ["{a}", "{}", "{a,b"]);
    assert_eq!(literals("'{a,b}'"), ["{a,b}"]);
    assert_eq!(literals("{1..9999}"), ["?"]);
    // `$v1`, not `$v` and `1`.
    assert_eq!(literals("$v{1,2}"), ["?"]);
}

#[test]
fn what_is_unknown_says_how_it_begins_and_whether_it_splits() {
    assert_eq!(unknown("a/$x").prefix, "a/");
    assert!(unknown("a/$x").may_split);
    assert!(!unknown("\"a/$x\"").may_split);
    assert!(unknown("\"$@\"").may_split);
    assert!(unknown("\"${a[@]}\"").may_split);
    assert_eq!(unknown("src/*.rs").glob.as_deref(), Some("src/*.rs"));
    assert_eq!(unknown("src/*.rs").prefix, "src/");
    assert_eq!(unknown("'a*'*").glob.as_deref(), Some("a\\**"));
    assert_eq!(unknown("*$x").glob, None);
}

#[test]
fn a_lone_bracket_is_no_pattern() {
    assert_eq!(literals("[ a[ ]"), ["[", "a[", "]"]);
    assert!(unknown("a[bc]").glob.is_some());
}
