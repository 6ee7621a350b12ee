//! Faults that were reported of other tools of this kind, and must not be ours: changing files.

use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use crate::common::{Bench, names, set_time};
use serde_json::json;
use toolpost_core::Status;

#[tokio::test]
async fn fault_01_crush_684_lf_matches_crlf() {
    let bench = Bench::new();
    bench.put("f", "one\r\ntwo\r\nthree\r\n");
    bench.read_and_edit("f", "one\ntwo\n", "one\n2\n2b\n").await;
    assert_eq!(bench.bytes("f"), b"one\r\n2\r\n2b\r\nthree\r\n");
}

#[tokio::test]
async fn fault_02_qwen_2474_both_sides_are_normalised() {
    let bench = Bench::new();
    bench.put("f", "one\r\ntwo\r\n");
    bench.read_and_edit("f", "one\r\ntwo", "1\r\n2").await;
    assert_eq!(bench.bytes("f"), b"1\r\n2\r\n");
    bench.put("g", "one\ntwo\n");
    bench.read_and_edit("g", "one\r\ntwo", "1\r\n2").await;
    assert_eq!(bench.bytes("g"), b"1\n2\n");
}

#[tokio::test]
async fn fault_03_reasonix_2918_gbk_and_crlf_together() {
    let bench = Bench::new();
    let encode = |text: &str| encoding_rs::GBK.encode(text).0.into_owned();
    bench.put("f", encode("第一行内容\r\n第二行内容\r\n第三行内容\r\n"));
    let shown = bench.read("f").await;
    assert!(
        shown.contains("第二行内容") && shown.contains("GBK"),
        "{shown}"
    );
    bench
        .read_and_edit("f", "第一行内容\n第二行", "第一行内容\n新的第二行")
        .await;
    assert_eq!(
        bench.bytes("f"),
        encode("第一行内容\r\n新的第二行内容\r\n第三行内容\r\n")
    );
}

#[tokio::test]
async fn fault_04_codex_4003_new_lines_take_the_files_ending() {
    let bench = Bench::new();
    bench.put("f", "a\r\nb\r\n");
    bench.read_and_edit("f", "a", "x\ny\nz").await;
    assert_eq!(bench.bytes("f"), b"x\r\ny\r\nz\r\nb\r\n");
}

#[tokio::test]
async fn fault_05_openclaw_115943_untouched_lines_are_the_same_bytes() {
    let bench = Bench::new();
    bench.put("f", "a\r\nb\nc\r\nd\n");
    bench.read_and_edit("f", "a\nb\nc\nd", "a\nb\nC\nd").await;
    assert_eq!(bench.bytes("f"), b"a\r\nb\nC\r\nd\n");
}

#[tokio::test]
async fn fault_06_claude_code_13363_write_keeps_the_mark() {
    let bench = Bench::new();
    bench.put("f", b"\xef\xbb\xbfold\r\nlines\r\n");
    bench.read("f").await;
    bench
        .done(
            "Write",
            json!({ "file_path": "f", "content": "new\nlines\n" }),
        )
        .await;
    assert_eq!(bench.bytes("f"), b"\xef\xbb\xbfnew\r\nlines\r\n");
}

#[tokio::test]
async fn fault_07_kimi_3825_edit_keeps_the_mark() {
    let bench = Bench::new();
    bench.put("f", b"\xef\xbb\xbfhello world\n");
    bench.read_and_edit("f", "world", "there").await;
    assert_eq!(bench.bytes("f"), b"\xef\xbb\xbfhello there\n");
}

#[tokio::test]
async fn fault_08_openclaw_45432_the_first_line_matches_after_the_mark() {
    let bench = Bench::new();
    bench.put("f", b"\xef\xbb\xbffirst\nsecond\n");
    let shown = bench.read("f").await;
    assert!(shown.starts_with("1\tfirst\n"), "{shown:?}");
    bench.read_and_edit("f", "first\nsecond", "1\n2").await;
    assert_eq!(bench.bytes("f"), b"\xef\xbb\xbf1\n2\n");
}

#[tokio::test]
async fn fault_09_opencode_49881_other_encodings_keep_their_bytes() {
    let bench = Bench::new();
    bench.put("latin", b"caf\xe9\nprix\n");
    bench.read_and_edit("latin", "prix", "cost").await;
    assert_eq!(bench.bytes("latin"), b"caf\xe9\ncost\n");
    bench.put(
        "stray",
        "ä ö ü\nstray: \u{1}\n".replace('\u{1}', "#").into_bytes(),
    );
    let mut bytes = "ä ö ü\nx\n".as_bytes().to_vec();
    bytes.extend(b"\xff\xfe stray\n");
    bench.put("stray", &bytes);
    bench.read_and_edit("stray", "x", "y").await;
    let mut wanted = "ä ö ü\ny\n".as_bytes().to_vec();
    wanted.extend(b"\xff\xfe stray\n");
    assert_eq!(bench.bytes("stray"), wanted);
}

#[tokio::test]
async fn fault_10_gemini_24685_a_replacement_character_is_text() {
    let bench = Bench::new();
    bench.put("f", "a \u{fffd} b\n");
    assert_eq!(bench.read("f").await, "1\ta \u{fffd} b");
}

#[tokio::test]
async fn fault_11_servers_4157_dollars_are_literal() {
    let bench = Bench::new();
    bench.put("f", "price\n");
    bench.read_and_edit("f", "price", r"$& $$ $1 \1 \n").await;
    assert_eq!(bench.bytes("f"), b"$& $$ $1 \\1 \\n\n");
}

#[tokio::test]
async fn fault_12_opencode_45892_dollars_are_literal_everywhere() {
    let bench = Bench::new();
    bench.put("f", "a a a\n");
    bench.read("f").await;
    let input =
        json!({ "file_path": "f", "old_string": "a", "new_string": "$&$$", "replace_all": true });
    bench.done("Edit", input).await;
    assert_eq!(bench.bytes("f"), b"$&$$ $&$$ $&$$\n");
}

#[tokio::test]
async fn fault_13_deepagents_5589_and_14_thclaws_121_empty_old_text_is_an_error() {
    let bench = Bench::new();
    bench.put("f", "abc\n");
    bench.read("f").await;
    for all in [true, false] {
        let input =
            json!({ "file_path": "f", "old_string": "", "new_string": "x", "replace_all": all });
        assert_eq!(bench.fails("Edit", input).await.0, "empty_old_string");
    }
    assert_eq!(bench.bytes("f"), b"abc\n");
}

#[tokio::test]
async fn fault_15_oh_my_pi_10454_and_16_cline_9555_a_failed_match_changes_nothing() {
    let bench = Bench::new();
    let path = bench.put("f", "fn a() {\n    one();\n}\n");
    set_time(&path, 0);
    bench.read("f").await;
    let outcome = bench
        .edit("f", "fn a() {\n    two();\n}", "fn b() {}")
        .await;
    assert_eq!(outcome.error.unwrap().code.unwrap(), "no_match");
    assert_eq!(bench.bytes("f"), b"fn a() {\n    one();\n}\n");
    assert_eq!(path.metadata().unwrap().mtime(), 1_000_000_000);
    assert_eq!(names(&bench.root()), ["f"]);
}

#[tokio::test]
async fn fault_17_cline_11439_a_part_of_the_last_line_is_enough() {
    let bench = Bench::new();
    bench.put("f", "let a = 1;\nlet b = compute(2);\n");
    bench
        .read_and_edit("f", "let a = 1;\nlet b", "let a = 7;\nlet c")
        .await;
    assert_eq!(bench.bytes("f"), b"let a = 7;\nlet c = compute(2);\n");
}

#[tokio::test]
async fn fault_18_opencode_31786_composed_and_decomposed_is_said() {
    let bench = Bench::new();
    bench.put("f", "caf\u{65}\u{301} noir\n");
    bench.read("f").await;
    let outcome = bench.edit("f", "caf\u{e9} noir", "x").await;
    let message = outcome.error.unwrap().message;
    assert!(
        message.contains("only characters that look the same differ"),
        "{message}"
    );
}

#[tokio::test]
async fn fault_19_supertool_259_the_mode_is_kept() {
    let bench = Bench::new();
    let path = bench.put("f", "#!/bin/sh\n");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    bench.read_and_edit("f", "sh", "bash").await;
    assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o755);
    bench
        .done("Write", json!({ "file_path": "f", "content": "x" }))
        .await;
    assert_eq!(path.metadata().unwrap().mode() & 0o7777, 0o755);
}

#[tokio::test]
async fn fault_20_serena_2041_the_new_file_takes_the_place_of_the_old() {
    let bench = Bench::new();
    let path = bench.put("f", "one\n");
    let before = path.metadata().unwrap().ino();
    bench.read_and_edit("f", "one", "two").await;
    assert_ne!(path.metadata().unwrap().ino(), before);
    assert_eq!(names(&bench.root()), ["f"]);
}

#[tokio::test]
async fn fault_21_pi_hashline_153_a_link_stays_a_link() {
    let bench = Bench::new();
    bench.put("real", "one\n");
    symlink("real", bench.path("link")).unwrap();
    bench.read_and_edit("link", "one", "two").await;
    assert!(bench.path("link").is_symlink());
    assert_eq!(bench.bytes("real"), b"two\n");
    symlink("not/yet", bench.path("dangling")).unwrap();
    bench
        .done(
            "Write",
            json!({ "file_path": "dangling", "content": "new\n" }),
        )
        .await;
    assert!(bench.path("dangling").is_symlink());
    assert_eq!(bench.bytes("not/yet"), b"new\n");
}

#[tokio::test]
async fn links_in_a_circle_are_an_error() {
    let bench = Bench::new();
    symlink("b", bench.path("a")).unwrap();
    symlink("a", bench.path("b")).unwrap();
    assert_eq!(
        bench
            .fails("Write", json!({ "file_path": "a", "content": "x" }))
            .await
            .0,
        "loop"
    );
    assert_eq!(
        bench.fails("Read", json!({ "file_path": "a" })).await.0,
        "loop"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn fault_23_pi_2327_and_24_gemini_29078_parallel_edits_all_land() {
    let bench = Bench::new();
    let lines: Vec<String> = (0..20).map(|n| format!("line-{n}-end")).collect();
    bench.put("f", lines.join("\n"));
    bench.read("f").await;
    let calls: Vec<_> = (0..20)
        .map(|n| {
            let input = json!({
                "file_path": "f", "old_string": format!("line-{n}-end"), "new_string": format!("done-{n}"),
            });
            let call = bench.permit("Edit", input);
            tokio::spawn(call.run(toolpost_core::Surroundings::new(bench.facts.clone())))
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().status, Status::Done);
    }
    let wanted: Vec<String> = (0..20).map(|n| format!("done-{n}")).collect();
    assert_eq!(bench.bytes("f"), wanted.join("\n").as_bytes());
}

#[tokio::test]
async fn fault_25_opencrabs_954_a_change_since_the_read_is_refused() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    bench.read("f").await;
    bench.put("f", "two\n");
    let write = json!({ "file_path": "f", "content": "three\n" });
    assert_eq!(bench.fails("Write", write.clone()).await.0, "stale");
    assert_eq!(
        bench
            .edit("f", "two", "x")
            .await
            .error
            .unwrap()
            .code
            .unwrap(),
        "stale"
    );
    assert_eq!(bench.bytes("f"), b"two\n");
    bench.read("f").await;
    bench.done("Write", write).await;
}

#[tokio::test]
async fn a_file_never_read_is_refused_and_a_new_one_is_free() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    let write = json!({ "file_path": "f", "content": "two\n" });
    assert_eq!(bench.fails("Write", write).await.0, "not_read");
    assert_eq!(
        bench
            .edit("f", "one", "x")
            .await
            .error
            .unwrap()
            .code
            .unwrap(),
        "not_read"
    );
    let new = json!({ "file_path": "deep/er/g", "content": "new\n" });
    insta::assert_snapshot!(bench.done("Write", new).await, @"created `deep/er/g` (1 line, 4 bytes)");
    bench
        .done(
            "Edit",
            json!({ "file_path": "deep/er/g", "old_string": "new", "new_string": "x" }),
        )
        .await;
}

#[tokio::test]
async fn fault_27_claude_code_10498_the_same_bytes_again_are_fresh() {
    let bench = Bench::new();
    bench.put("f", "one\n");
    bench.read("f").await;
    bench.put("f", "one\n");
    set_time(&bench.path("f"), 99);
    assert_eq!(bench.edit("f", "one", "two").await.status, Status::Done);
}

#[tokio::test]
async fn fault_28_maki_88_an_own_edit_is_known() {
    let bench = Bench::new();
    bench.put("f", "one two three\n");
    bench.read_and_edit("f", "one", "1").await;
    assert_eq!(bench.edit("f", "two", "2").await.status, Status::Done);
    bench
        .done("Write", json!({ "file_path": "f", "content": "all new\n" }))
        .await;
    assert_eq!(bench.edit("f", "new", "old").await.status, Status::Done);
}

#[tokio::test]
async fn fault_29_wave_1483_a_time_set_back_does_not_count_and_does_not_hide() {
    let bench = Bench::new();
    let path = bench.put("f", "one\n");
    bench.read("f").await;
    set_time(&path, 0);
    assert_eq!(bench.edit("f", "one", "two").await.status, Status::Done);
    let time = path.metadata().unwrap().modified().unwrap();
    bench.put("f", "2wo\n");
    std::fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert_eq!(
        bench
            .edit("f", "wo", "x")
            .await
            .error
            .unwrap()
            .code
            .unwrap(),
        "stale"
    );
}

#[tokio::test]
async fn fault_30_openbot_100_a_link_out_of_the_root_is_not_inside() {
    use toolpost_core::{RawCall, ReadOptions, SimplePolicy, Verdict};
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "x").unwrap();
    symlink(outside.path().join("secret"), bench.path("in")).unwrap();
    let raw = RawCall::new("1", "Read", json!({ "file_path": "in" }).to_string());
    let call = bench
        .toolbox
        .validate(raw, &bench.facts, &ReadOptions::default())
        .unwrap();
    let explained = call.explain(&SimplePolicy::new(), &bench.facts);
    assert_eq!(explained.decision.effect, Verdict::Ask);
    // The claim is on the file that would be written, not on the link.
    let raw = RawCall::new(
        "2",
        "Write",
        json!({ "file_path": "in", "content": "" }).to_string(),
    );
    let call = bench
        .toolbox
        .validate(raw, &bench.facts, &ReadOptions::default())
        .unwrap();
    let claims = serde_json::to_string(&call.footprint(&bench.facts)).unwrap();
    assert!(claims.contains("/secret"), "{claims}");
}

#[tokio::test]
async fn a_read_only_file_is_refused_by_its_mode() {
    let bench = Bench::new();
    let path = bench.put("f", "one\n");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o444)).unwrap();
    bench.read("f").await;
    assert_eq!(
        bench
            .edit("f", "one", "x")
            .await
            .error
            .unwrap()
            .code
            .unwrap(),
        "read_only"
    );
    let write = json!({ "file_path": "f", "content": "x" });
    assert_eq!(bench.fails("Write", write).await.0, "read_only");
    assert_eq!(bench.bytes("f"), b"one\n");
}

#[tokio::test]
async fn a_file_with_two_names_keeps_both() {
    let bench = Bench::new();
    bench.put("a", "one and more\n");
    std::fs::hard_link(bench.path("a"), bench.path("b")).unwrap();
    bench.read_and_edit("a", "one and more", "two").await;
    assert_eq!(bench.bytes("b"), b"two\n");
    assert_eq!(bench.path("b").metadata().unwrap().nlink(), 2);
}

#[tokio::test]
async fn the_same_content_changes_nothing() {
    let bench = Bench::new();
    let path = bench.put("f", "one\n");
    set_time(&path, 5);
    bench.read("f").await;
    let text = bench
        .done("Write", json!({ "file_path": "f", "content": "one\n" }))
        .await;
    insta::assert_snapshot!(text, @"no change: `f` has this content already (1 line, 4 bytes)");
    assert_eq!(path.metadata().unwrap().mtime(), 1_000_000_005);
}

#[tokio::test]
async fn what_the_encoding_does_not_have_is_an_error() {
    let bench = Bench::new();
    bench.put("f", b"d\xe9j\xe0 vu, d\xe9j\xe0 lu\n");
    bench.read("f").await;
    let (code, message) = bench
        .fails("Write", json!({ "file_path": "f", "content": "→\n" }))
        .await;
    assert_eq!(code, "unwritable");
    insta::assert_snapshot!(message, @"`f` is written in windows-1252, which has no `→` (U+2192); use other characters");
    bench
        .done("Write", json!({ "file_path": "f", "content": "é\n" }))
        .await;
    assert_eq!(bench.bytes("f"), b"\xe9\n");
}

#[tokio::test]
async fn utf_16_is_edited_in_its_own_units() {
    let bench = Bench::new();
    let encode = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16().flat_map(u16::to_be_bytes);
        [0xfe, 0xff].into_iter().chain(units).collect()
    };
    bench.put("f", encode("one\r\ntwo\u{0a0d}\r\n"));
    bench.read_and_edit("f", "one\ntwo", "1\n2\n😀").await;
    assert_eq!(bench.bytes("f"), encode("1\r\n2\r\n😀\u{0a0d}\r\n"));
}

#[tokio::test]
async fn the_texts_of_edit() {
    let bench = Bench::new();
    let lines: Vec<String> = (1..=12).map(|n| format!("line {n}\n")).collect();
    bench.put("f", lines.concat());
    insta::assert_snapshot!(bench.read_and_edit("f", "line 6\n", "six\nand a half\n").await, @r"
    edited `f`
    @@ -3,7 +3,8 @@
     line 3
     line 4
     line 5
    -line 6
    +six
    +and a half
     line 7
     line 8
     line 9
    ");
    let (code, message) = bench
        .fails(
            "Edit",
            json!({ "file_path": "f", "old_string": "line 1", "new_string": "x" }),
        )
        .await;
    assert_eq!(code, "not_unique");
    insta::assert_snapshot!(message, @"`old_string` is 4 times in `f` (lines 1, 11, 12, 13); add lines around it until it is there once, or set `replace_all`");
    let (_, message) = bench
        .fails(
            "Edit",
            json!({ "file_path": "f", "old_string": "line 2\n  line 3\n", "new_string": "x" }),
        )
        .await;
    insta::assert_snapshot!(message, @r"
    `old_string` is not in `f`; nearest is line 2 (only the white space differs), where `-` is what was asked for and `+` what the file has:
     line 2
    -  line 3
    +line 3
    ");
    let (code, _) = bench
        .fails(
            "Edit",
            json!({ "file_path": "f", "old_string": "six", "new_string": "six" }),
        )
        .await;
    assert_eq!(code, "same_text");
    let all =
        json!({ "file_path": "f", "old_string": "line", "new_string": "row", "replace_all": true });
    let text = bench.done("Edit", all).await;
    assert!(
        text.starts_with("edited `f` in 11 places\n@@ -1,13 +1,13 @@"),
        "{text}"
    );
    let (code, message) = bench
        .fails(
            "Edit",
            json!({ "file_path": "ff", "old_string": "a", "new_string": "b" }),
        )
        .await;
    assert_eq!(code, "not_found");
    insta::assert_snapshot!(message, @"no file `ff`; did you mean `f`?");
}

#[tokio::test]
async fn an_empty_old_text_makes_a_file_or_fills_an_empty_one() {
    let bench = Bench::new();
    let text = bench
        .done(
            "Edit",
            json!({ "file_path": "new/f", "old_string": "", "new_string": "hi\n" }),
        )
        .await;
    insta::assert_snapshot!(text, @"
    created `new/f`
    @@ -0,0 +1,1 @@
    +hi
    ");
    bench.put("empty", "");
    bench
        .done(
            "Edit",
            json!({ "file_path": "empty", "old_string": "", "new_string": "hi\n" }),
        )
        .await;
    assert_eq!(bench.bytes("empty"), b"hi\n");
}

#[tokio::test]
async fn a_folder_a_pipe_and_a_binary_file_are_refused() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    rustix::fs::mkfifoat(
        rustix::fs::CWD,
        bench.path("p"),
        rustix::fs::Mode::from_raw_mode(0o644),
    )
    .unwrap();
    bench.put("b", b"a\0b");
    for (name, code) in [("d", "is_directory"), ("p", "not_regular")] {
        let write = json!({ "file_path": name, "content": "x" });
        assert_eq!(bench.fails("Write", write).await.0, code);
        assert_eq!(
            bench.fails("Read", json!({ "file_path": name })).await.0,
            code
        );
        assert_eq!(
            bench
                .edit(name, "a", "b")
                .await
                .error
                .unwrap()
                .code
                .unwrap(),
            code
        );
    }
    assert_eq!(
        bench.edit("b", "a", "b").await.error.unwrap().code.unwrap(),
        "binary"
    );
}

#[tokio::test]
async fn a_picture_is_not_written_over_with_text() {
    let bench = Bench::new();
    bench.put("p", b"\x89PNG\r\n\x1a\n\0");
    let (code, message) = bench
        .fails("Write", json!({ "file_path": "p", "content": "x" }))
        .await;
    assert_eq!(code, "binary");
    insta::assert_snapshot!(message, @"`p` is a PNG image; remove it first to put a text in its place");
}

#[tokio::test]
async fn line_numbers_in_the_text_to_replace_are_told() {
    let bench = Bench::new();
    bench.put("f", "one\ntwo\n");
    bench.read("f").await;
    let outcome = bench.edit("f", "1\tone\n2\ttwo", "x").await;
    insta::assert_snapshot!(outcome.error.unwrap().message, @"`old_string` is not in `f`; it begins with the line numbers that Read shows; leave them out");
}

#[tokio::test]
async fn a_write_claims_the_folders_that_it_makes() {
    let bench = Bench::new();
    let call = bench.permit("Write", json!({ "file_path": "a/b/c", "content": "x" }));
    let claims = serde_json::to_value(call.footprint(&bench.facts)).unwrap();
    let at = |name: &str| format!("fs{}", bench.path(name).display());
    assert_eq!(
        claims,
        json!([
            { "access": "read", "scope": at("a/b/c"), "deep": false },
            { "access": "write", "scope": at("a/b/c"), "deep": false },
            { "access": "write", "scope": at("a"), "deep": true },
        ])
    );
    assert_eq!(call.describe(), "Write a/b/c");
    assert!(call.effects().idempotent && !call.effects().read_only);
}
