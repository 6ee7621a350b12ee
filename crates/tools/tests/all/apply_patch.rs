//! `ApplyPatch`: several files, all or nothing.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use serde_json::{Value, json};
use toolpost_core::{RawCall, ReadOptions, Status};

use crate::common::{Bench, names};

fn patch(body: &str) -> Value {
    json!({ "patch": format!("*** Begin Patch\n{body}\n*** End Patch") })
}

async fn apply(bench: &Bench, body: &str) -> String {
    bench.done("ApplyPatch", patch(body)).await
}

async fn refused(bench: &Bench, body: &str) -> (String, String) {
    bench.fails("ApplyPatch", patch(body)).await
}

/// Files that were read.
async fn files(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::new();
    for (name, text) in files {
        bench.put(name, text);
        bench.read(name).await;
    }
    bench
}

#[tokio::test]
async fn files_are_added_edited_moved_and_deleted_together() {
    let bench = files(&[
        ("a", "one\ntwo\n"),
        ("b", "x\n"),
        ("c", "gone\n"),
        ("d", "d\n"),
    ])
    .await;
    let text = apply(
        &bench,
        "*** Update File: a\n@@\n one\n-two\n+2\n*** Add File: new/e\n+hi\n+there\n*** Delete File: c\n\
         *** Update File: b\n*** Move to: deep/er/b\n@@\n-x\n+y\n*** Update File: d\n*** Move to: d2",
    )
    .await;
    insta::assert_snapshot!(text, @r#"
    edited `a`
    @@ -1,2 +1,2 @@
     one
    -two
    +2
    added `new/e`
    @@ -0,0 +1,2 @@
    +hi
    +there
    deleted `c`
    moved `b` to `deep/er/b`
    @@ -1,1 +1,1 @@
    -x
    +y
    moved `d` to `d2`
    "#);
    assert_eq!(bench.bytes("a"), b"one\n2\n");
    assert_eq!(bench.bytes("new/e"), b"hi\nthere\n");
    assert_eq!(bench.bytes("deep/er/b"), b"y\n");
    assert_eq!(bench.bytes("d2"), b"d\n");
    assert_eq!(names(&bench.root()), ["a", "d2", "deep", "new"]);
    // All of them are known now.
    for (name, old) in [("a", "2"), ("new/e", "hi"), ("deep/er/b", "y"), ("d2", "d")] {
        assert_eq!(
            bench.edit(name, old, "z").await.status,
            Status::Done,
            "{name}"
        );
    }
}

#[tokio::test]
async fn fault_26_oh_my_pi_4023_nothing_is_written_over() {
    let bench = files(&[("a", "one\n"), ("b", "two\n")]).await;
    let (code, message) = refused(&bench, "*** Add File: a\n+x").await;
    assert_eq!(code, "exists");
    insta::assert_snapshot!(message, @"nothing was changed: `a` exists already, and nothing is written over; choose another name");
    let (code, message) = refused(&bench, "*** Update File: a\n*** Move to: b\n@@\n-one\n+1").await;
    assert_eq!(code, "exists");
    insta::assert_snapshot!(message, @"nothing was changed: `b` exists already, and nothing is written over; choose another name");
    symlink("nowhere", bench.path("dangling")).unwrap();
    symlink("b", bench.path("link")).unwrap();
    assert_eq!(
        refused(&bench, "*** Update File: a\n*** Move to: link")
            .await
            .0,
        "exists"
    );
    assert_eq!(refused(&bench, "*** Add File: link\n+x").await.0, "exists");
    std::fs::create_dir(bench.path("folder")).unwrap();
    assert_eq!(
        refused(&bench, "*** Update File: a\n*** Move to: folder")
            .await
            .0,
        "exists"
    );
    assert_eq!(
        refused(&bench, "*** Add File: folder\n+x").await.0,
        "is_directory"
    );
    assert_eq!(bench.bytes("a"), b"one\n");
    assert_eq!(bench.bytes("b"), b"two\n");
}

#[tokio::test]
async fn one_that_fails_keeps_all_from_being_changed() {
    let bench = files(&[("a", "one\n"), ("b", "two\n")]).await;
    let body = "*** Add File: new/file\n+x\n*** Update File: a\n@@\n-one\n+1\n*** Update File: b\n@@\n-tow\n+2\n\
                *** Delete File: nope";
    let (code, message) = refused(&bench, body).await;
    assert_eq!(code, "no_match");
    insta::assert_snapshot!(message, @r#"
    nothing was changed, for 2 reasons:
    - the hunk at line 9 of the patch is not in `b`; Read it again, and copy the text to replace exactly
    - no file `nope`; look with Ls or Glob
    "#);
    assert_eq!(bench.bytes("a"), b"one\n");
    assert_eq!(names(&bench.root()), ["a", "b"]);
}

#[tokio::test]
async fn what_was_done_is_taken_back_when_a_later_step_fails() {
    let bench = files(&[
        ("a", "one\n"),
        ("b", "two\n"),
        ("c", "three\n"),
        ("h", "four\n"),
    ])
    .await;
    std::fs::set_permissions(bench.path("a"), PermissionsExt::from_mode(0o751)).unwrap();
    std::fs::hard_link(bench.path("h"), bench.path("h2")).unwrap();
    let before = bench.path("a").metadata().unwrap();
    // The last file cannot be made: what would be its folder is a file, which is known only when it
    // is tried. A name of 300 characters cannot be given to any file.
    let long = "n".repeat(300);
    let body = format!(
        "*** Update File: a\n@@\n-one\n+1\n*** Update File: h\n@@\n-four\n+4\n*** Delete File: b\n\
         *** Add File: x/y/z\n+z\n*** Add File: x/y/w\n+w\n*** Update File: c\n*** Move to: x/{long}"
    );
    let (code, message) = refused(&bench, &body).await;
    assert_eq!(code, "bad_path", "{message}");
    assert!(
        message.starts_with("nothing was changed: cannot move `c`"),
        "{message}"
    );
    assert_eq!(names(&bench.root()), ["a", "b", "c", "h", "h2"]);
    for (name, text) in [
        ("a", "one\n"),
        ("b", "two\n"),
        ("c", "three\n"),
        ("h2", "four\n"),
    ] {
        assert_eq!(bench.bytes(name), text.as_bytes());
    }
    let after = bench.path("a").metadata().unwrap();
    assert_eq!((after.ino(), after.mode()), (before.ino(), before.mode()));
    assert_eq!(bench.edit("a", "one", "1").await.status, Status::Done);
}

#[tokio::test]
async fn a_move_to_itself_deletes_nothing() {
    let bench = files(&[("a", "one\n")]).await;
    apply(&bench, "*** Update File: a\n*** Move to: ./a\n@@\n-one\n+1").await;
    assert_eq!(bench.bytes("a"), b"1\n");
    let (code, message) = refused(&bench, "*** Update File: a\n*** Move to: a").await;
    assert_eq!(code, "same_text");
    insta::assert_snapshot!(message, @"nothing was changed: the patch leaves `a` as it is; leave that section out");
    assert_eq!(bench.bytes("a"), b"1\n");
}

#[tokio::test]
async fn a_file_is_named_once() {
    let bench = files(&[("a", "one\n"), ("b", "two\n")]).await;
    let (code, message) = refused(&bench, "*** Delete File: a\n*** Add File: ./a\n+x").await;
    assert_eq!(code, "named_twice");
    insta::assert_snapshot!(message, @"nothing was changed: `a` is named twice, at lines 2 and 3; put all changes of a file into one section, and use Write to make a file anew");
    let swap = "*** Update File: a\n*** Move to: b\n*** Update File: b\n*** Move to: a";
    assert_eq!(refused(&bench, swap).await.0, "exists");
    std::fs::hard_link(bench.path("a"), bench.path("a2")).unwrap();
    bench.read("a2").await;
    let both = "*** Update File: a\n@@\n-one\n+1\n*** Update File: a2\n@@\n-one\n+2";
    assert_eq!(refused(&bench, both).await.0, "named_twice");
    assert_eq!(bench.bytes("a"), b"one\n");
}

#[tokio::test]
async fn files_that_were_not_read_or_have_changed_are_refused() {
    let bench = Bench::new();
    bench.put("a", "one\n");
    for body in [
        "*** Update File: a\n@@\n-one\n+1",
        "*** Delete File: a",
        "*** Update File: a\n*** Move to: b",
    ] {
        assert_eq!(refused(&bench, body).await.0, "not_read", "{body}");
    }
    bench.read("a").await;
    bench.put("a", "one!\n");
    for body in [
        "*** Update File: a\n@@\n-one!\n+1",
        "*** Delete File: a",
        "*** Update File: a\n*** Move to: b",
    ] {
        assert_eq!(refused(&bench, body).await.0, "stale", "{body}");
    }
    assert_eq!(names(&bench.root()), ["a"]);
}

#[tokio::test]
async fn fault_04_codex_4003_and_05_openclaw_115943_line_ends_stay_in_patches() {
    let bench = files(&[("a", "a\r\nb\nc\r\n"), ("b", "x\r\ny\r\n")]).await;
    apply(
        &bench,
        "*** Update File: a\n@@\n a\n b\n-c\n+C\n+d\n*** Update File: b\n@@\n x\n+new\n y",
    )
    .await;
    assert_eq!(bench.bytes("a"), b"a\r\nb\nC\r\nd\r\n");
    assert_eq!(bench.bytes("b"), b"x\r\nnew\r\ny\r\n");
}

#[tokio::test]
async fn marks_encodings_modes_links_and_missing_last_ends_stay() {
    let bench = Bench::new();
    bench.put("bom", b"\xef\xbb\xbffirst\nlast");
    bench.put("latin", b"d\xe9j\xe0 vu, d\xe9j\xe0 lu\nfin\n");
    let path = bench.put("real", "#!/bin/sh\n");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    symlink("real", bench.path("link")).unwrap();
    for name in ["bom", "latin", "link"] {
        bench.read(name).await;
    }
    apply(
        &bench,
        "*** Update File: bom\n@@\n-first\n+1st\n last\n+end\n*** Update File: latin\n@@\n déjà vu, déjà lu\n\
         -fin\n+été\n*** Update File: link\n@@\n #!/bin/sh\n+exit",
    )
    .await;
    assert_eq!(bench.bytes("bom"), b"\xef\xbb\xbf1st\nlast\nend");
    assert_eq!(
        bench.bytes("latin"),
        b"d\xe9j\xe0 vu, d\xe9j\xe0 lu\n\xe9t\xe9\n"
    );
    assert_eq!(bench.bytes("real"), b"#!/bin/sh\nexit\n");
    assert!(bench.path("link").is_symlink());
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o755);
    assert_eq!(refused(&bench, "*** Delete File: link").await.0, "is_link");
    let (code, message) = refused(&bench, "*** Update File: latin\n@@\n fin\n+→").await;
    assert_eq!(code, "no_match", "{message}");
    let (code, message) = refused(&bench, "*** Update File: latin\n@@\n été\n+→").await;
    assert_eq!(code, "unwritable");
    insta::assert_snapshot!(message, @"nothing was changed: the hunk at line 3 of the patch: `latin` is written in windows-1252, which has no `→` (U+2192); use other characters");
}

#[tokio::test]
async fn the_texts_of_hunks_that_do_not_fit() {
    let bench = files(&[("f", "fn a() {\n    x();\n}\nfn b() {\n    x();\n}\n")]).await;
    let said = async |hunk: &str| {
        refused(&bench, &format!("*** Update File: f\n{hunk}"))
            .await
            .1
    };
    insta::assert_snapshot!(said("@@\n fn a() {\n-  x();\n+  y();").await, @r#"
    nothing was changed: the hunk at line 3 of the patch is not in `f`; nearest is line 1 (only the white space differs), where `-` is what was asked for and `+` what the file has:
     fn a() {
    -  x();
    +    x();
    "#);
    insta::assert_snapshot!(said("@@\n-    x();\n+    y();").await, @"nothing was changed: the hunk at line 3 of the patch fits `f` at 2 places (lines 2, 5); add more lines that stay, or an `@@` with a line above that is there once");
    insta::assert_snapshot!(said("@@ fn c() {\n-    x();\n+    y();").await, @"nothing was changed: the hunk at line 3 of the patch is to go below `fn c() {`, and `f` has no such line after the hunk before; put a whole line of the file after `@@`");
    insta::assert_snapshot!(said("@@\n+    y();").await, @"nothing was changed: the hunk at line 3 of the patch only adds lines to `f` and does not say where; add a line that stays, an `@@` with the line above, or `*** End of File`");
    insta::assert_snapshot!(said("@@\n fn b() {\n+    y();\n@@\n-fn a() {\n+fn c() {").await, @"nothing was changed: the hunk at line 6 of the patch is in `f` only at line 1, before the end of the hunk before it; put the hunks in the order of the file, and each line into one of them");
    insta::assert_snapshot!(said("@@\n fn b() {\n+    y();\n*** End of File").await, @"nothing was changed: the hunk at line 3 of the patch is in `f`, but not at its end; leave `*** End of File` out");
    let (code, message) = bench
        .fails("ApplyPatch", json!({ "patch": "*** Begin Patch\nfoo" }))
        .await;
    assert_eq!(code, "invalid_patch");
    insta::assert_snapshot!(message, @"the patch is wrong at line 2: `*** Add File:`, `*** Update File:`, `*** Delete File:` or `*** End Patch` should be here, each with one path");
}

#[test]
fn what_a_patch_touches_is_what_it_names_and_nothing_when_it_is_none() {
    let bench = Bench::new();
    bench.put("a", "one\n");
    bench.put("c", "three\n");
    let call = |input: Value| {
        let raw = RawCall::new("1", "ApplyPatch", input.to_string());
        bench
            .toolbox
            .validate(raw, &bench.facts, &ReadOptions::default())
            .unwrap()
    };
    let made = call(patch(
        "*** Update File: a\n*** Move to: new/b\n*** Delete File: c",
    ));
    assert_eq!(made.describe(), "Patch a, c");
    assert!(made.effects().destructive);
    let claims = serde_json::to_value(made.footprint(&bench.facts)).unwrap();
    let scopes: Vec<String> = claims
        .as_array()
        .unwrap()
        .iter()
        .map(|claim| {
            let scope = claim["scope"].as_str().unwrap();
            let root = format!("fs{}/", bench.root().display());
            format!(
                "{} {}",
                claim["access"].as_str().unwrap(),
                scope.strip_prefix(&root).unwrap()
            )
        })
        .collect();
    assert_eq!(
        scopes,
        [
            "read a",
            "write a",
            "read new/b",
            "write new/b",
            "write new",
            "read c",
            "write c"
        ]
    );
    assert_eq!(made.subjects(&bench.facts).len(), 3);
    let none = call(json!({ "patch": "*** Begin Patch\n*** Delete File: a\n" }));
    assert!(none.effects().read_only);
    assert_eq!(
        serde_json::to_value(none.footprint(&bench.facts)).unwrap(),
        json!([])
    );
}
