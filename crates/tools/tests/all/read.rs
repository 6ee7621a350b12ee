//! `Read`: pages, cuts, encodings, and what is no file.

use std::time::Duration;

use serde_json::json;

use crate::common::Bench;

#[tokio::test]
async fn a_small_file_is_shown_whole() {
    let bench = Bench::new();
    bench.put("f", "one\n\ttwo\r\nthree");
    insta::assert_snapshot!(bench.read("f").await, @"
    1	one
    2		two
    3	three
    ");
    bench.put("g", "one\n");
    assert_eq!(bench.read("g").await, "1\tone");
}

#[tokio::test]
async fn a_page_says_what_it_is_and_how_to_go_on() {
    let bench = Bench::new();
    bench.put("f", (1..=10).map(|n| format!("l{n}\n")).collect::<String>());
    let page = |offset, limit| json!({ "file_path": "f", "offset": offset, "limit": limit });
    insta::assert_snapshot!(bench.done("Read", page(3, 2)).await, @"
    3	l3
    4	l4

    [lines 3-4 of 10 are shown; go on with offset 5]
    ");
    insta::assert_snapshot!(bench.done("Read", page(9, 2)).await, @"
    9	l9
    10	l10

    [lines 9-10 are shown, to the end of the file]
    ");
    let (code, message) = bench.fails("Read", page(11, 1)).await;
    assert_eq!(code, "past_end");
    insta::assert_snapshot!(message, @"`f` has 10 lines, so there is no line 11; give an `offset` of at most 10");
}

#[tokio::test]
async fn an_empty_file_is_no_error() {
    let bench = Bench::new();
    bench.put("f", "");
    assert_eq!(bench.read("f").await, "[the file is empty]");
    let text = bench
        .done("Read", json!({ "file_path": "f", "offset": 5 }))
        .await;
    assert_eq!(text, "[the file is empty]");
}

#[tokio::test]
async fn two_thousand_lines_are_a_page() {
    let bench = Bench::new();
    bench.put("f", "x\n".repeat(2_001));
    let text = bench.read("f").await;
    assert!(text.ends_with("2000\tx\n\n[lines 1-2000 of 2001 are shown; go on with offset 2001]"));
    bench.put("g", "x\n".repeat(2_000));
    assert!(bench.read("g").await.ends_with("2000\tx"));
}

#[tokio::test]
async fn a_page_ends_at_its_size() {
    let bench = Bench::new();
    bench.put("f", format!("{}\n", "y".repeat(1_900)).repeat(300));
    let text = bench.read("f").await;
    assert!(text.len() < 257 * 1024, "{}", text.len());
    assert!(
        text.ends_with("go on with offset 138]"),
        "{}",
        &text[text.len() - 80..]
    );
}

#[tokio::test]
async fn fault_32_pi_9654_one_long_line_needs_the_memory_of_a_page() {
    let bench = Bench::new();
    bench.put("f", "é".repeat(5 * 1024 * 1024) + "\nnext\n");
    let before = peak_kib();
    let text = bench.read("f").await;
    let text_end = text.trim_start_matches(['1', '\t', 'é']);
    insta::assert_snapshot!(text_end, @"
    … [+5240880 chars]
    2	next

    [1 long line is cut after 2000 characters]
    ");
    assert!(
        peak_kib() - before < 4 * 1024,
        "{} KiB",
        peak_kib() - before
    );
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn fault_50_opencrust_195_exactly_at_the_limit_is_not_cut() {
    let bench = Bench::new();
    bench.put("f", "é".repeat(2_000) + "\n" + &"x".repeat(2_001));
    let text = bench.read("f").await;
    assert!(text.contains(&("é".repeat(2_000) + "\n2\t")));
    assert!(text.ends_with("… [+1 chars]\n\n[1 long line is cut after 2000 characters]"));
}

#[tokio::test]
async fn a_large_file_is_read_by_page_and_may_be_edited() {
    let bench = Bench::new();
    let line = "0123456789abcdef".repeat(8);
    let content: String = (1..=20_000).map(|n| format!("{n} {line}\n")).collect();
    bench.put("f", &content);
    let text = bench
        .done(
            "Read",
            json!({ "file_path": "f", "offset": 15_000, "limit": 2 }),
        )
        .await;
    assert!(text.starts_with("15000\t15000 0123"), "{text}");
    assert!(
        text.ends_with("[lines 15000-15001 are shown; go on with offset 15002]"),
        "{text}"
    );
    let outcome = bench.edit("f", "15000 0", "15000 zero").await;
    assert!(outcome.is_done(), "{outcome:?}");
    assert!(
        outcome.model_text().contains("@@ -14997,7 +14997,7 @@"),
        "{}",
        outcome.model_text()
    );
    assert_eq!(
        bench.bytes("f"),
        content.replace("\n15000 0", "\n15000 zero").as_bytes()
    );
}

#[tokio::test]
async fn a_page_that_changed_since_makes_an_edit_stale_and_any_change_a_write() {
    let bench = Bench::new();
    let content = "a line of some length\n".repeat(100_000);
    bench.put("f", &content);
    bench
        .done("Read", json!({ "file_path": "f", "limit": 3 }))
        .await;
    let mut elsewhere = content.clone().into_bytes();
    let last = elsewhere.len() - 2;
    elsewhere[last] = b'H';
    bench.put("f", &elsewhere);
    crate::common::set_time(&bench.path("f"), 1);
    let (code, _) = bench
        .fails("Write", json!({ "file_path": "f", "content": "x" }))
        .await;
    assert_eq!(code, "stale");
    // An edit keeps what it does not name, so it cannot undo the change.
    assert!(bench.edit("f", "lengtH", "end").await.is_done());
    assert!(bench.bytes("f").ends_with(b"some end\n"));
    // The change elsewhere is still unseen, so a write of the whole file would undo it.
    let write = json!({ "file_path": "f", "content": "x" });
    assert_eq!(bench.fails("Write", write.clone()).await.0, "stale");
    assert!(bench.edit("f", "some end", "that end").await.is_done());
    assert_eq!(bench.fails("Write", write.clone()).await.0, "stale");
    bench
        .done("Read", json!({ "file_path": "f", "limit": 3 }))
        .await;
    bench.done("Write", write).await;
}

#[tokio::test]
async fn missing_files_have_near_names() {
    let bench = Bench::new();
    bench.put("README.md", "x");
    bench.put("src/main.rs", "x");
    let (code, message) = bench
        .fails("Read", json!({ "file_path": "REDME.md" }))
        .await;
    assert_eq!(code, "not_found");
    insta::assert_snapshot!(message, @"no file `REDME.md`; did you mean `README.md`?");
    let (_, message) = bench
        .fails("Read", json!({ "file_path": "scr/main.rs" }))
        .await;
    insta::assert_snapshot!(message, @"no file `scr/main.rs`: there is no folder `scr`; did you mean `src`?");
    let (_, message) = bench.fails("Read", json!({ "file_path": "zzz" })).await;
    insta::assert_snapshot!(message, @"no file `zzz`; look with Ls or Glob");
}

#[tokio::test]
async fn fault_31_pi_1078_names_that_only_look_the_same_are_found() {
    let bench = Bench::new();
    bench.put("cafe\u{301}.txt", "decomposed");
    bench.put("10.15\u{202f}PM.txt", "narrow space");
    bench.put("it\u{2019}s.txt", "curly");
    assert_eq!(bench.read("caf\u{e9}.txt").await, "1\tdecomposed");
    assert_eq!(bench.read("10.15 PM.txt").await, "1\tnarrow space");
    assert_eq!(bench.read("it's.txt").await, "1\tcurly");
    // The policy hears of the file that is opened, not of the name that was asked for.
    let call = bench.permit("Read", json!({ "file_path": "it's.txt" }));
    let claims = serde_json::to_string(&call.footprint(&bench.facts)).unwrap();
    assert!(claims.contains("it\u{2019}s.txt"), "{claims}");
    bench.edit("it's.txt", "curly", "x").await;
    assert_eq!(bench.bytes("it\u{2019}s.txt"), b"x");
    bench
        .done("Write", json!({ "file_path": "it's.txt", "content": "y" }))
        .await;
    assert_eq!(bench.bytes("it\u{2019}s.txt"), b"y");
    assert_eq!(crate::common::names(&bench.root()).len(), 3);
}

#[tokio::test]
async fn encodings_are_told() {
    let bench = Bench::new();
    let units: Vec<u8> = "\u{feff}héllo\r\nwörld"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    bench.put("f", units);
    insta::assert_snapshot!(bench.read("f").await, @"
    1	héllo
    2	wörld

    [the file is written in UTF-16LE]
    ");
    let text = bench
        .done("Read", json!({ "file_path": "f", "offset": 2 }))
        .await;
    assert!(text.starts_with("2\twörld"), "{text}");
    let units: Vec<u8> = "\u{feff}a\nb"
        .chars()
        .flat_map(|c| u32::from(c).to_be_bytes())
        .collect();
    bench.put("g", units);
    assert!(bench.read("g").await.starts_with("1\ta\n2\tb\n"));
}

#[tokio::test]
async fn what_is_no_text_is_named_and_never_opened_blindly() {
    let bench = Bench::new();
    bench.put("p.zip", b"PK\x03\x04\0\0");
    let (code, message) = bench.fails("Read", json!({ "file_path": "p.zip" })).await;
    assert_eq!(code, "binary");
    insta::assert_snapshot!(message, @"`p.zip` is a zip archive, not text, and cannot be shown; use a command for it");
    bench.put("t.dat", b"just text");
    assert_eq!(bench.read("t.dat").await, "1\tjust text");
    let device = bench.fails("Read", json!({ "file_path": "/dev/zero" }));
    let (code, message) = tokio::time::timeout(Duration::from_secs(5), device)
        .await
        .unwrap();
    assert_eq!(code, "not_regular");
    insta::assert_snapshot!(message, @"`/dev/zero` is a device, not a file; only regular files are opened");
}

#[tokio::test]
async fn files_of_the_system_have_no_size_and_are_read() {
    let bench = Bench::new();
    let text = bench.read("/proc/self/status").await;
    assert!(text.starts_with("1\tName:"), "{text}");
}

#[tokio::test]
async fn home_is_what_the_host_says() {
    use toolpost_core::State;
    use toolpost_tools::{FileState, Home};
    let mut bench = Bench::new();
    bench.put("home/f", "hi");
    assert_eq!(
        bench.fails("Read", json!({ "file_path": "~/f" })).await.0,
        "not_found"
    );
    let mut state = State::new();
    state.insert(FileState::new());
    state.insert(Home(bench.path("home")));
    bench.facts = bench.facts.clone().with_state(state);
    assert_eq!(bench.read("~/f").await, "1\thi");
}

#[tokio::test]
async fn a_call_says_what_it_does_and_touches() {
    let bench = Bench::new();
    bench.put("f", "x");
    let call = bench.permit("Read", json!({ "file_path": "f" }));
    assert_eq!(call.describe(), "Read f");
    assert!(call.effects().read_only);
    let claims = serde_json::to_value(call.footprint(&bench.facts)).unwrap();
    let scope = format!("fs{}", bench.path("f").display());
    assert_eq!(
        claims,
        json!([{ "access": "read", "scope": scope, "deep": false }])
    );
    let outcome = bench.call("Read", json!({ "file_path": "f" })).await;
    let structured = outcome.structured.unwrap();
    assert_eq!(
        structured,
        json!({
            "file_path": "f", "kind": "text", "first_line": 1, "lines": 1, "total_lines": 1, "cut_lines": 0,
            "encoding": "UTF-8", "size": 1,
        })
    );
}

#[tokio::test]
async fn folders_that_only_look_the_same_are_found_too() {
    let bench = Bench::new();
    bench.put("cafe\u{301}/it\u{2019}s/f.txt", "deep");
    assert_eq!(bench.read("caf\u{e9}/it's/f.txt").await, "1\tdeep");
}
