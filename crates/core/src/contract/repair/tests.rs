//! Places in a value. What is repaired is in `tests/contract_repair.rs`.

use serde_json::json;

use super::place::{is_at_or_below, member_pointer, put, take_member};

#[test]
fn a_member_is_taken_and_put_back_whatever_its_name() {
    for name in ["a", "a/b", "a~b", "", "0"] {
        let before = json!({"x": [{name: 1, "other": 2}]});
        let pointer = member_pointer("/x/0", name);
        let mut value = before.clone();
        assert_eq!(take_member(&mut value, &pointer), Some(json!(1)), "{name}");
        assert_eq!(value, json!({"x": [{"other": 2}]}), "{name}");
        put(&mut value, &pointer, json!(1));
        assert_eq!(value, before, "{name}");
    }
}

#[test]
fn an_item_of_a_list_is_not_taken() {
    let mut value = json!([1, 2]);
    assert_eq!(take_member(&mut value, "/0"), None);
    assert_eq!(take_member(&mut value, ""), None);
    put(&mut value, "/0", json!(3));
    put(&mut value, "/9/gone", json!(4));
    assert_eq!(value, json!([3, 2]));
}

#[test]
fn a_place_is_inside_another_by_whole_steps() {
    assert!(is_at_or_below("/a", "/a"));
    assert!(is_at_or_below("/a/0", "/a"));
    assert!(!is_at_or_below("/ab", "/a"));
    assert!(!is_at_or_below("/a", "/a/0"));
}
