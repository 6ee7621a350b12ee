//! `MultiEdit`: several edits, all or none.

use serde_json::{Value, json};

use crate::common::Bench;

fn edits(pairs: &[(&str, &str)]) -> Value {
    let edits: Vec<Value> = pairs
        .iter()
        .map(|(old, new)| json!({ "old_string": old, "new_string": new }))
        .collect();
    json!({ "file_path": "f", "edits": edits })
}

#[tokio::test]
async fn each_edit_sees_those_before_it_and_one_write_is_made() {
    let bench = Bench::new();
    bench.put("f", "one\r\ntwo\r\nthree\r\n");
    bench.read("f").await;
    let text = bench
        .done(
            "MultiEdit",
            edits(&[("one", "1"), ("1\ntwo", "1\n2\n2b"), ("three", "3")]),
        )
        .await;
    insta::assert_snapshot!(text, @r#"
    edited `f` (3 edits)
    @@ -1,3 +1,4 @@
    -one
    -two
    -three
    +1
    +2
    +2b
    +3
    "#);
    assert_eq!(bench.bytes("f"), b"1\r\n2\r\n2b\r\n3\r\n");
    // What was written is known, so that the next edit goes on from it.
    bench.done("MultiEdit", edits(&[("2b", "b")])).await;
}

#[tokio::test]
async fn fault_22_pi_lens_637_when_one_edit_fails_none_is_made() {
    let bench = Bench::new();
    bench.put("f", "one\ntwo\n");
    bench.read("f").await;
    let (code, message) = bench
        .fails(
            "MultiEdit",
            edits(&[("one", "1"), ("tow", "2"), ("two", "3")]),
        )
        .await;
    assert_eq!(code, "no_match");
    insta::assert_snapshot!(message, @"edit 2 of 3 (after the edits before it), so none was made: `old_string` is not in `f`; Read it again, and copy the text to replace exactly");
    let (code, message) = bench
        .fails("MultiEdit", edits(&[("one", "two"), ("two", "2")]))
        .await;
    assert_eq!(code, "not_unique");
    insta::assert_snapshot!(message, @"edit 2 of 2 (after the edits before it), so none was made: `old_string` is 2 times in `f` (lines 1, 2); add lines around it until it is there once, or set `replace_all`");
    let (code, _) = bench
        .fails("MultiEdit", edits(&[("one", "1"), ("", "x")]))
        .await;
    assert_eq!(code, "empty_old_string");
    assert_eq!(bench.bytes("f"), b"one\ntwo\n");
    assert_eq!(crate::common::names(&bench.root()), ["f"]);
}

#[tokio::test]
async fn a_new_file_is_made_by_an_empty_first_text() {
    let bench = Bench::new();
    let input = edits(&[("", "a\nb\n"), ("b", "c")]);
    insta::assert_snapshot!(bench.done("MultiEdit", input).await, @r#"
    created `f` (2 edits)
    @@ -0,0 +1,2 @@
    +a
    +c
    "#);
    assert_eq!(bench.bytes("f"), b"a\nc\n");
    let (code, _) = bench
        .fails(
            "MultiEdit",
            json!({ "file_path": "g", "edits": [{ "old_string": "a", "new_string": "b" }] }),
        )
        .await;
    assert_eq!(code, "not_found");
}

#[tokio::test]
async fn edits_that_undo_each_other_leave_the_file_alone() {
    let bench = Bench::new();
    let path = bench.put("f", "one\n");
    crate::common::set_time(&path, 1);
    bench.read("f").await;
    let time = path.metadata().unwrap().modified().unwrap();
    let text = bench
        .done("MultiEdit", edits(&[("one", "two"), ("two", "one")]))
        .await;
    insta::assert_snapshot!(text, @"no change: the 2 edits leave `f` as it was");
    assert_eq!(path.metadata().unwrap().modified().unwrap(), time);
}

#[tokio::test]
async fn a_file_never_read_or_changed_since_is_refused() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    assert_eq!(
        bench.fails("MultiEdit", edits(&[("one", "1")])).await.0,
        "not_read"
    );
    bench.read("f").await;
    bench.put("f", "one!\n");
    assert_eq!(
        bench.fails("MultiEdit", edits(&[("one", "1")])).await.0,
        "stale"
    );
    assert_eq!(bench.bytes("f"), b"one!\n");
}

#[tokio::test]
async fn marks_encodings_and_dollars_are_kept_in_every_edit() {
    let bench = Bench::new();
    bench.put("f", b"\xef\xbb\xbfa $& \\1\r\nb\xff\n");
    bench.read("f").await;
    let input = json!({ "file_path": "f", "edits": [
        { "old_string": "$&", "new_string": "$$1" },
        { "old_string": "a ", "new_string": "$& " },
        { "old_string": "$", "new_string": "\\n", "replace_all": true },
    ] });
    bench.done("MultiEdit", input).await;
    assert_eq!(bench.bytes("f"), b"\xef\xbb\xbf\\n& \\n\\n1 \\1\r\nb\xff\n");
}
