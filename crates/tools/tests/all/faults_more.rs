//! Faults that were reported of other tools of this kind: cutting texts, and variations of those
//! that change files.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use toolpost_core::Status;

use crate::common::{Bench, names};

#[tokio::test]
async fn fault_49_mofa_1064_a_text_is_cut_between_two_characters() {
    let bench = Bench::new();
    for letter in ["é", "字", "😀", "e\u{301}"] {
        for shift in 0..4 {
            let line = "x".repeat(shift) + &letter.repeat(3_000);
            let text = format!("{line}NEEDLE{line}\n").repeat(3);
            bench.put("f", &text);
            bench.read("f").await;
            for (mode, more) in [
                ("content", json!(1)),
                ("count", json!(0)),
                ("files_with_matches", json!(0)),
            ] {
                let input = json!({ "pattern": "NEEDLE", "output_mode": mode, "context": more });
                bench.done("Grep", input).await;
            }
            // The diff of a change, and the hint of one that cannot be made.
            bench.done(
                "Edit",
                json!({ "file_path": "f", "old_string": "NEEDLE", "new_string": letter, "replace_all": true }),
            )
            .await;
            let old = format!("{}\n{}", &line[..shift], letter.repeat(5_000));
            assert_eq!(bench.edit("f", &old, "x").await.status, Status::Failed);
            let notebook = json!({ "nbformat": 4, "cells": [{ "cell_type": "code", "source": line.repeat(60),
                "outputs": [{ "output_type": "stream", "text": line.repeat(3) }] }] });
            bench.put("n.ipynb", notebook.to_string());
            bench.read("n.ipynb").await;
        }
    }
}

/// Writes a text in some encoding.
type Form<'f> = &'f dyn Fn(&str) -> Vec<u8>;

/// A file in some encoding and with some line ends, and how its text is changed by each tool.
#[tokio::test]
async fn marks_line_ends_and_encodings_survive_every_tool() {
    let wide = |text: &str| -> Vec<u8> {
        let units = format!("\u{feff}{text}");
        units.encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let gbk = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    let utf8 = |text: &str| format!("\u{feff}{text}").into_bytes();
    let plain = |text: &str| text.as_bytes().to_vec();
    let forms: [Form<'_>; 4] = [&wide, &gbk, &utf8, &plain];
    let old = "第一行内容在这里\r\n第二行内容在这里\r\n第三行内容\r\n最后一行没有换行";
    let new = "第一行内容在这里\r\n新的第二行\r\n再加一行\r\n第三行内容\r\n最后一行没有换行";
    let (from, to) = ("第二行内容在这里\n", "新的第二行\n再加一行\n");
    for (number, form) in forms.iter().enumerate() {
        let calls: [(&str, Value); 4] = [
            (
                "Edit",
                json!({ "file_path": "f", "old_string": from, "new_string": to }),
            ),
            (
                "MultiEdit",
                json!({ "file_path": "f", "edits": [
                { "old_string": "第二行内容在这里", "new_string": "新的" },
                { "old_string": "新的\n", "new_string": to },
            ] }),
            ),
            (
                "ApplyPatch",
                json!({ "patch": "*** Begin Patch\n*** Update File: f\n@@\n 第一行内容在这里\n-第二行内容在这里\n\
                +新的第二行\n+再加一行\n 第三行内容\n*** End Patch" }),
            ),
            (
                "Write",
                json!({ "file_path": "f", "content": new.replace("\r\n", "\n") }),
            ),
        ];
        for (tool, input) in calls {
            let bench = Bench::new();
            bench.put("f", form(old));
            bench.read("f").await;
            bench.done(tool, input).await;
            assert_eq!(bench.bytes("f"), form(new), "{tool} in form {number}");
        }
    }
}

#[tokio::test]
async fn what_looks_like_a_pattern_of_replacement_is_literal_in_every_tool() {
    let bench = Bench::new();
    let odd = r"$& $1 $$ ${x} \1 \\ \n %s {} &";
    bench.put("f", "mark\n");
    bench.read("f").await;
    let edits = json!([{ "old_string": "mark", "new_string": odd }, { "old_string": odd, "new_string": odd.repeat(2) }]);
    bench
        .done("MultiEdit", json!({ "file_path": "f", "edits": edits }))
        .await;
    assert_eq!(bench.bytes("f"), format!("{odd}{odd}\n").as_bytes());
    let patch =
        format!("*** Begin Patch\n*** Update File: f\n@@\n-{odd}{odd}\n+{odd}\n*** End Patch");
    bench.done("ApplyPatch", json!({ "patch": patch })).await;
    assert_eq!(bench.bytes("f"), format!("{odd}\n").as_bytes());
}

#[tokio::test]
async fn links_lead_no_tool_where_the_policy_does_not_look() {
    use toolpost_core::{RawCall, ReadOptions, SimplePolicy, Verdict};
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("f"), "x\n").unwrap();
    symlink(outside.path(), bench.path("out")).unwrap();
    symlink(outside.path().join("f"), bench.path("leaf")).unwrap();
    symlink(outside.path().join("new"), bench.path("dangling")).unwrap();
    let patch =
        |body: &str| json!({ "patch": format!("*** Begin Patch\n*** {body}\n*** End Patch") });
    let calls = [
        (
            "MultiEdit",
            json!({ "file_path": "leaf", "edits": [{ "old_string": "x", "new_string": "y" }] }),
        ),
        (
            "NotebookEdit",
            json!({ "notebook_path": "out/n.ipynb", "edit_mode": "delete", "cell_id": "a" }),
        ),
        ("ApplyPatch", patch("Add File: out/new\n+x")),
        ("ApplyPatch", patch("Add File: dangling\n+x")),
        ("ApplyPatch", patch("Update File: leaf\n@@\n-x\n+y")),
        ("ApplyPatch", patch("Delete File: out/f")),
        (
            "ApplyPatch",
            patch("Update File: inside\n*** Move to: out/moved"),
        ),
        ("ApplyPatch", patch("Add File: ../up\n+x")),
    ];
    let root = bench.root();
    for (tool, input) in calls {
        let raw = RawCall::new("1", tool, input.to_string());
        let call = bench
            .toolbox
            .validate(raw, &bench.facts, &ReadOptions::default())
            .unwrap();
        let outside_named = call
            .subjects(&bench.facts)
            .iter()
            .any(|subject| match subject {
                toolpost_core::Subject::Path { path, .. } => !bench.facts.is_inside(path),
                _ => false,
            });
        assert!(outside_named, "{tool} {input}");
        let explained = call.explain(&SimplePolicy::new(), &bench.facts);
        assert_ne!(explained.decision.effect, Verdict::Allow, "{tool} {input}");
    }
    assert_eq!(names(&root), ["dangling", "leaf", "out"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_and_patches_of_one_file_at_once_all_land() {
    let bench = Bench::new();
    let lines: Vec<String> = (0..24).map(|n| format!("line-{n}-end\n")).collect();
    bench.put("f", lines.concat());
    bench.put("g", "x\n");
    bench.read("f").await;
    bench.read("g").await;
    let calls: Vec<_> = (0..24)
        .map(|n| {
            let (old, new) = (format!("line-{n}-end"), format!("done-{n}"));
            let call = match n % 3 {
                0 => bench.permit("Edit", json!({ "file_path": "f", "old_string": old, "new_string": new })),
                1 => bench.permit("MultiEdit", json!({ "file_path": "f", "edits": [{ "old_string": old, "new_string": new }] })),
                _ => {
                    let body = format!("*** Begin Patch\n*** Update File: f\n@@\n-{old}\n+{new}\n*** Add File: new-{n}\n+x\n*** End Patch");
                    bench.permit("ApplyPatch", json!({ "patch": body }))
                }
            };
            tokio::spawn(call.run(toolpost_core::Surroundings::new(bench.facts.clone())))
        })
        .collect();
    for call in calls {
        let outcome = call.await.unwrap();
        assert_eq!(outcome.status, Status::Done, "{}", outcome.model_text());
    }
    let wanted: String = (0..24).map(|n| format!("done-{n}\n")).collect();
    assert_eq!(bench.bytes("f"), wanted.as_bytes());
    assert_eq!(names(&bench.root()).len(), 10);
}

#[tokio::test]
async fn a_read_only_file_is_left_alone_by_every_tool() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::new();
    for name in ["f", "n.ipynb"] {
        let path = bench.put(name, "{\"nbformat\":4,\"cells\":[]}\n");
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
        bench.read(name).await;
    }
    let patch =
        |body: &str| json!({ "patch": format!("*** Begin Patch\n*** {body}\n*** End Patch") });
    let calls = [
        (
            "MultiEdit",
            json!({ "file_path": "f", "edits": [{ "old_string": "4", "new_string": "5" }] }),
        ),
        (
            "NotebookEdit",
            json!({ "notebook_path": "n.ipynb", "edit_mode": "insert", "new_source": "a" }),
        ),
        ("ApplyPatch", patch("Delete File: f")),
        ("ApplyPatch", patch("Update File: f\n*** Move to: g")),
    ];
    for (tool, input) in calls {
        assert_eq!(bench.fails(tool, input).await.0, "read_only", "{tool}");
    }
    assert_eq!(names(&bench.root()), ["f", "n.ipynb"]);
}
