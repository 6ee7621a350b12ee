use serde_json::json;

use super::{compared, difference};

#[test]
fn ids_and_times_of_outcomes_are_set_aside() {
    let outcome = |id: &str, ended: f64| json!({ "v": 1, "id": id, "status": "done", "time": { "ended_ms": ended } });
    assert_eq!(
        compared(&outcome("a", 1.0)),
        json!({ "v": 1, "status": "done" })
    );
    assert_eq!(
        compared(&[outcome("a", 1.0)]),
        compared(&[outcome("b", 2.0)])
    );
    assert_eq!(compared(&json!({ "id": "a" })), json!({ "id": "a" }));
}

#[test]
fn a_difference_has_its_place() {
    let say = |one, other| difference(&one, &other).unwrap_or_default();
    assert_eq!(say(json!({ "a": [1] }), json!({ "a": [1] })), "");
    assert_eq!(
        say(json!({ "a": [1, "x"] }), json!({ "a": [1, "y"] })),
        "`/a/1` is `\"x\"` and `\"y\"`"
    );
    assert_eq!(
        say(json!({ "a": 1 }), json!({ "a": 1, "b": null })),
        "`/b` is not there and `null`"
    );
    assert_eq!(say(json!(1), json!(2)), "it is `1` and `2`");
    let long = say(json!("a".repeat(99)), json!("b"));
    assert!(long.contains("a…`"), "{long}");
}
