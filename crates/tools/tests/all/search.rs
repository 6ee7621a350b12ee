//! `Glob`, `Grep` and `Ls`.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::json;

use crate::common::{Bench, is_root, set_time};

/// Files with rising times, so the last is the newest.
fn tree(bench: &Bench, files: &[(&str, &str)]) {
    for (seconds, (name, content)) in (0..).zip(files) {
        set_time(&bench.put(name, content), seconds);
    }
}

async fn glob(bench: &Bench, pattern: &str) -> String {
    bench.done("Glob", json!({ "pattern": pattern })).await
}

async fn grep(bench: &Bench, pattern: &str) -> String {
    bench
        .done(
            "Grep",
            json!({ "pattern": pattern, "output_mode": "content" }),
        )
        .await
}

#[tokio::test]
async fn newest_first_and_ties_by_path() {
    let bench = Bench::new();
    tree(
        &bench,
        &[("c.rs", ""), ("a/b.rs", ""), ("a/a.rs", ""), ("x.txt", "")],
    );
    set_time(&bench.path("a/b.rs"), 2);
    assert_eq!(glob(&bench, "**/*.rs").await, "a/a.rs\na/b.rs\nc.rs");
    assert_eq!(glob(&bench, "*.rs").await, "c.rs");
    assert_eq!(glob(&bench, "a/*.rs").await, "a/a.rs\na/b.rs");
    assert_eq!(glob(&bench, "{a/b,x}.*").await, "x.txt\na/b.rs");
    assert_eq!(glob(&bench, "!**/*.rs").await, "x.txt");
    let text = bench
        .done("Glob", json!({ "pattern": "**/*", "limit": 2 }))
        .await;
    insta::assert_snapshot!(text, @"
    x.txt
    a/a.rs
    [the newest 2 of 4 files; narrow the pattern, or set `limit`]
    ");
    let text = bench
        .done("Glob", json!({ "pattern": "*.rs", "path": "a" }))
        .await;
    assert_eq!(text, "a/a.rs\na/b.rs");
}

#[tokio::test]
async fn fault_56_reloaded_code_97_equal_times_have_one_order() {
    let bench = Bench::new();
    for n in 0..50 {
        set_time(&bench.put(&format!("d{}/f{n}", n % 7), "x"), 1);
    }
    let first = glob(&bench, "**/f*").await;
    for _ in 0..5 {
        assert_eq!(glob(&bench, "**/f*").await, first);
    }
}

#[tokio::test]
async fn nothing_is_an_answer() {
    let bench = Bench::new();
    bench.put("a/x.rs", "");
    insta::assert_snapshot!(glob(&bench, "**/*.x").await, @"no files match `**/*.x`");
    insta::assert_snapshot!(glob(&bench, "*.rs").await, @"no files match `*.rs`; `**/*.rs` would look in all folders below as well");
    insta::assert_snapshot!(grep(&bench, "nope").await, @"nothing matches `nope`");
    insta::assert_snapshot!(glob(&bench, "a/").await, @"no files match `a/`; it is a folder, and `a/**` finds the files in it");
    assert_eq!(
        bench
            .fails("Glob", json!({ "pattern": "*", "path": "b" }))
            .await
            .0,
        "not_found"
    );
    assert_eq!(
        bench.fails("Glob", json!({ "pattern": "a[" })).await.0,
        "bad_pattern"
    );
}

#[tokio::test]
async fn names_with_brackets_are_found_by_name() {
    let bench = Bench::new();
    tree(
        &bench,
        &[
            ("app/[id]/page.tsx", ""),
            ("app/(x)/{y}.ts", ""),
            ("app/i/page.tsx", ""),
        ],
    );
    assert_eq!(
        glob(&bench, "app/[id]/page.tsx").await,
        "app/i/page.tsx\napp/[id]/page.tsx"
    );
    assert_eq!(glob(&bench, "app/(x)/{y}.ts").await, "app/(x)/{y}.ts");
    assert_eq!(
        glob(&bench, "app/[id]/*.tsx").await,
        "app/i/page.tsx\napp/[id]/page.tsx"
    );
}

#[tokio::test]
async fn ignore_files_count_without_a_repository_and_not_against_a_name() {
    let bench = Bench::new();
    bench.put(".gitignore", "/out/\n*.log\nmods/\n");
    tree(
        &bench,
        &[
            ("out/a.rs", "x"),
            ("b.rs", "x"),
            ("c.log", "x"),
            ("mods/deep/d.rs", "x"),
        ],
    );
    assert_eq!(glob(&bench, "**/*.rs").await, "b.rs");
    assert_eq!(glob(&bench, "out/*.rs").await, "out/a.rs");
    assert_eq!(glob(&bench, "mods/deep/*.rs").await, "mods/deep/d.rs");
    assert_eq!(glob(&bench, "c.log").await, "c.log");
    assert_eq!(glob(&bench, "**/*.log").await, "no files match `**/*.log`");
    let text = bench
        .done("Grep", json!({ "pattern": "x", "path": "mods" }))
        .await;
    assert_eq!(text, "mods/deep/d.rs");
}

#[tokio::test]
async fn fault_54_opencode_45911_dotfiles_are_found_and_55_arbos_731_git_is_not() {
    let bench = Bench::new();
    tree(
        &bench,
        &[(".github/ci.yml", "x"), (".git/config", "x"), (".env", "x")],
    );
    assert_eq!(glob(&bench, "**/*").await, ".env\n.github/ci.yml");
    assert_eq!(
        bench.done("Grep", json!({ "pattern": "x" })).await,
        ".env\n.github/ci.yml"
    );
    let text = bench
        .done("Grep", json!({ "pattern": "x", "path": ".git" }))
        .await;
    assert_eq!(text, ".git/config");
    assert_eq!(glob(&bench, ".git/*").await, ".git/config");
}

#[tokio::test]
async fn links_and_odd_names_are_skipped_in_one_line() {
    let bench = Bench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("f"), "x").unwrap();
    bench.put("real.txt", "x");
    symlink(outside.path().join("f"), bench.path("out.txt")).unwrap();
    symlink("nowhere", bench.path("gone.txt")).unwrap();
    symlink(".", bench.path("loop")).unwrap();
    bench.put("line\nbreak.txt", "x");
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff.txt");
    std::fs::write(bench.root().join(odd), "x").unwrap();
    set_time(&bench.path("line\nbreak.txt"), 1);
    let text = glob(&bench, "**/*.txt").await;
    insta::assert_snapshot!(text, @r#"
    real.txt
    line\nbreak.txt
    [1 more have names that are not UTF-8; 1 more are links that lead out of the root]
    "#);
    let text = bench.done("Grep", json!({ "pattern": "x" })).await;
    assert!(
        text.contains("real.txt") && !text.contains("out.txt"),
        "{text}"
    );
}

#[tokio::test]
async fn fault_53_oh_my_openagent_4115_dangling_links_do_not_fail_a_search() {
    let bench = Bench::new();
    bench.put("f", "hit");
    symlink("nowhere", bench.path("gone")).unwrap();
    assert_eq!(bench.done("Grep", json!({ "pattern": "hit" })).await, "f");
    assert_eq!(glob(&bench, "**/*").await, "f");
}

#[tokio::test]
async fn fault_34_headlong_115_a_pipe_does_not_block() {
    let bench = Bench::new();
    bench.put("f", "hit");
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), mode).unwrap();
    let search = bench.done("Grep", json!({ "pattern": "hit" }));
    assert_eq!(
        tokio::time::timeout(Duration::from_secs(5), search)
            .await
            .unwrap(),
        "f"
    );
    let named = bench.fails("Grep", json!({ "pattern": "hit", "path": "pipe" }));
    assert_eq!(
        tokio::time::timeout(Duration::from_secs(5), named)
            .await
            .unwrap()
            .0,
        "not_regular"
    );
}

#[tokio::test]
async fn fault_35_opencode_3524_a_dash_in_front_is_searched() {
    let bench = Bench::new();
    bench.put("f", "ls -x\n");
    assert_eq!(grep(&bench, "-x").await, "f:1:ls -x");
}

#[tokio::test]
async fn fault_36_pi_9141_a_locked_folder_is_told_and_the_rest_found() {
    use std::os::unix::fs::PermissionsExt;
    if is_root() {
        return; // root reads everything
    }
    let bench = Bench::new();
    bench.put("f", "hit");
    bench.put("locked/g", "hit");
    let locked = bench.path("locked");
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o000)).unwrap();
    let text = bench.done("Grep", json!({ "pattern": "hit" })).await;
    std::fs::set_permissions(&locked, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(text, "f\n[1 path could not be read]");
}

#[tokio::test]
async fn fault_37_magnitude_103_a_bad_pattern_is_an_error() {
    let bench = Bench::new();
    bench.put("f", "a(b\n");
    let (code, message) = bench.fails("Grep", json!({ "pattern": "a(b" })).await;
    assert_eq!(code, "bad_pattern");
    insta::assert_snapshot!(message, @"
    `a(b` cannot be searched for: mend the expression, or set `fixed_strings` to search for it as plain text
    regex parse error:
        (?:a(b)
        ^
    error: unclosed group
    ");
    let (_, message) = bench.fails("Grep", json!({ "pattern": "(?=a)" })).await;
    insta::assert_snapshot!(message, @"
    `(?=a)` cannot be searched for: look-around and backreferences are not supported; search for something simpler, or filter the result
    regex parse error:
        (?:(?=a))
           ^^^
    error: look-around, including look-ahead and look-behind, is not supported
    ");
    let (_, message) = bench.fails("Grep", json!({ "pattern": r"a\nb" })).await;
    insta::assert_snapshot!(message, @r#"
    `a\nb` cannot be searched for: set `multiline` to match across lines
    the literal "\n" is not allowed in a regex
    "#);
    let text = bench
        .done("Grep", json!({ "pattern": "a(b", "fixed_strings": true }))
        .await;
    assert_eq!(text, "f");
}

#[tokio::test]
async fn fault_38_llmkube_1487_a_long_line_is_a_window_round_the_match() {
    let bench = Bench::new();
    bench.put(
        "f",
        format!("{}NEEDLE{}\n", "a".repeat(300_000), "é".repeat(300_000)),
    );
    let text = grep(&bench, "NEEDLE").await;
    assert!(
        text.starts_with("f:1:[+299875 chars] …aaa"),
        "{}",
        &text[..40]
    );
    assert!(
        text.contains("NEEDLEéé") && text.ends_with("é… [+299631 chars]"),
        "{text}"
    );
    assert!(text.chars().count() < 560);
}

#[tokio::test]
async fn content_has_context_and_counts() {
    let bench = Bench::new();
    tree(
        &bench,
        &[
            ("old", "a\nhit 1\nb\nc\nd\ne\nhit 2\n"),
            ("new", "hit\r\nend\r\n"),
        ],
    );
    insta::assert_snapshot!(grep(&bench, "hit").await, @"
    new:1:hit
    old:2:hit 1
    old:7:hit 2
    ");
    let input = json!({ "pattern": "hit", "output_mode": "content", "context": 1 });
    insta::assert_snapshot!(bench.done("Grep", input).await, @"
    new:1:hit
    new-2-end
    --
    old-1-a
    old:2:hit 1
    old-3-b
    --
    old-6-e
    old:7:hit 2
    ");
    let input = json!({ "pattern": "hit", "output_mode": "count" });
    insta::assert_snapshot!(bench.done("Grep", input).await, @"
    new:1
    old:2
    [3 matching lines in 2 files]
    ");
    let input =
        json!({ "pattern": "hit", "output_mode": "content", "path": "old", "line_numbers": false });
    insta::assert_snapshot!(bench.done("Grep", input).await, @"
    hit 1
    hit 2
    ");
    let page = |offset| json!({ "pattern": "hit", "output_mode": "content", "head_limit": 1, "offset": offset });
    insta::assert_snapshot!(bench.done("Grep", page(0)).await, @"
    new:1:hit
    [matching lines 1-1 of 3; go on with offset 1]
    ");
    insta::assert_snapshot!(bench.done("Grep", page(1)).await, @"
    old:2:hit 1
    [matching lines 2-2 of 3; go on with offset 2]
    ");
    insta::assert_snapshot!(bench.done("Grep", page(2)).await, @"
    old:7:hit 2
    [matching lines 3-3 of 3]
    ");
    insta::assert_snapshot!(bench.done("Grep", page(9)).await, @"[none from 10 on, of 3 matching lines]");
    let input = json!({ "pattern": "hit$", "output_mode": "content" });
    insta::assert_snapshot!(bench.done("Grep", input).await, @"new:1:hit");
}

#[tokio::test]
async fn case_lines_globs_and_types() {
    let bench = Bench::new();
    tree(
        &bench,
        &[
            ("a.py", "One\ntwo\n"),
            ("b.rs", "one\ntwo\n"),
            ("src/c.rs", "ONE"),
        ],
    );
    let files = async |more: serde_json::Value| {
        let mut input = json!({ "pattern": "one" });
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        bench.done("Grep", input).await
    };
    assert_eq!(files(json!({})).await, "b.rs");
    assert_eq!(
        files(json!({ "ignore_case": true })).await,
        "src/c.rs\nb.rs\na.py"
    );
    assert_eq!(
        files(json!({ "ignore_case": true, "type": "py" })).await,
        "a.py"
    );
    assert_eq!(
        files(json!({ "ignore_case": true, "glob": "*.rs" })).await,
        "src/c.rs\nb.rs"
    );
    assert_eq!(
        files(json!({ "ignore_case": true, "glob": "!*.rs" })).await,
        "a.py"
    );
    assert_eq!(
        files(json!({ "ignore_case": true, "glob": "src/**" })).await,
        "src/c.rs"
    );
    assert_eq!(
        files(json!({ "pattern": "One.two", "multiline": true })).await,
        "a.py"
    );
    assert_eq!(files(json!({ "pattern": "One\ntwo" })).await, "a.py");
    let (code, message) = bench
        .fails("Grep", json!({ "pattern": "x", "type": "pyton" }))
        .await;
    assert_eq!(code, "unknown_type");
    assert!(message.contains("did you mean `python`"), "{message}");
}

#[tokio::test]
async fn binary_files_are_counted_and_named() {
    let bench = Bench::new();
    bench.put("f.bin", b"hit\0hit\n");
    bench.put("g", "hit\n");
    let wide: Vec<u8> = "\u{feff}hit wide\r\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    set_time(&bench.put("wide", wide), 0);
    insta::assert_snapshot!(grep(&bench, "hit").await, @"
    g:1:hit
    wide:1:hit wide
    [1 binary file was skipped]
    ");
    let input = json!({ "pattern": "hit", "path": "f.bin", "output_mode": "content" });
    insta::assert_snapshot!(bench.done("Grep", input).await, @"binary file matches: f.bin");
}

#[tokio::test]
async fn the_whole_answer_is_bounded() {
    let bench = Bench::new();
    bench.put("f", format!("{}\n", "hit ".repeat(120)).repeat(1_000));
    let input = json!({ "pattern": "hit", "output_mode": "content", "head_limit": 1000 });
    let text = bench.done("Grep", input).await;
    assert!(text.len() <= 65 * 1024, "{}", text.len());
    let note = text.lines().last().unwrap();
    insta::assert_snapshot!(note, @"[matching lines 1-134 of 1000; go on with offset 134]");
    let text = grep(&bench, "hit").await;
    insta::assert_snapshot!(text.lines().last().unwrap(), @"[matching lines 1-134 of 1000; go on with offset 134]");
}

#[tokio::test]
async fn ls_lists_folders_first() {
    let bench = Bench::new();
    bench.put("b/x/deep", "");
    bench.put("b/y", "");
    bench.put("a.txt", "");
    bench.put(".git/config", "");
    bench.put(".toolpost-1-2.tmp", "");
    symlink("a.txt", bench.path("link")).unwrap();
    insta::assert_snapshot!(bench.done("Ls", json!({})).await, @"
    .git/
    b/
    a.txt
    link -> a.txt
    ");
    insta::assert_snapshot!(bench.done("Ls", json!({ "depth": 3, "ignore": ["link", "b/y"] })).await, @"
    .git/
    b/
      x/
        deep
    a.txt
    ");
    std::fs::create_dir(bench.path("e")).unwrap();
    insta::assert_snapshot!(bench.done("Ls", json!({ "path": "e" })).await, @"`e` is empty");
    assert_eq!(
        bench.fails("Ls", json!({ "path": "a.txt" })).await.0,
        "not_a_directory"
    );
    assert_eq!(
        bench.fails("Ls", json!({ "path": "nope" })).await.0,
        "not_found"
    );
}

#[tokio::test]
async fn ls_shows_the_first_thousand_of_many() {
    let bench = Bench::new();
    for n in 0..1_100 {
        bench.put(&format!("f{n:04}"), "");
    }
    bench.put("zz/in", "");
    let text = bench.done("Ls", json!({ "depth": 2 })).await;
    assert!(text.starts_with("zz/\nf0000\n"), "{}", &text[..40]);
    assert!(
        text.ends_with("f0998\n[1000 of 1102 entries]"),
        "{}",
        &text[text.len() - 40..]
    );
}

#[tokio::test]
async fn a_root_that_is_itself_ignored_is_searched() {
    let mut bench = Bench::new();
    bench.put(".gitignore", "*\n");
    bench.put("work/a.rs", "hit");
    bench.put("work/.gitignore", "b.rs\n");
    bench.put("work/b.rs", "hit");
    let root = bench.path("work");
    bench.facts = toolpost_core::Facts::new(root)
        .with_state(bench.facts.state().clone())
        .with_links(std::sync::Arc::new(toolpost_tools::DiskLinks));
    assert_eq!(glob(&bench, "**/*.rs").await, "a.rs");
    assert_eq!(
        bench.done("Grep", json!({ "pattern": "hit" })).await,
        "a.rs"
    );
}

#[tokio::test]
async fn lines_round_matches_are_those_asked_for() {
    let bench = Bench::new();
    let lines: Vec<String> = (1..=20)
        .map(|n| {
            if [3, 5, 12, 19].contains(&n) {
                format!("hit {n}")
            } else {
                format!("l {n}")
            }
        })
        .collect();
    bench.put("f", lines.join("\n"));
    let around = async |more: serde_json::Value| {
        let mut input = json!({ "pattern": "hit", "output_mode": "content", "path": "f" });
        input
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        bench.done("Grep", input).await
    };
    insta::assert_snapshot!(around(json!({ "before": 2, "after": 1 })).await, @"
    1-l 1
    2-l 2
    3:hit 3
    4-l 4
    5:hit 5
    6-l 6
    --
    10-l 10
    11-l 11
    12:hit 12
    13-l 13
    --
    17-l 17
    18-l 18
    19:hit 19
    20-l 20
    ");
    insta::assert_snapshot!(around(json!({ "after": 2 })).await, @"
    3:hit 3
    4-l 4
    5:hit 5
    6-l 6
    7-l 7
    --
    12:hit 12
    13-l 13
    14-l 14
    --
    19:hit 19
    20-l 20
    ");
    let page = json!({ "before": 1, "after": 2, "offset": 1, "head_limit": 2 });
    insta::assert_snapshot!(around(page).await, @"
    4-l 4
    5:hit 5
    6-l 6
    7-l 7
    --
    11-l 11
    12:hit 12
    13-l 13
    14-l 14
    [matching lines 2-3 of 4; go on with offset 3]
    ");
}

#[tokio::test]
async fn the_users_own_ignore_file_is_heeded_where_the_host_names_it() {
    let mut bench = Bench::new();
    bench.put("kept.txt", "x");
    bench.put("left.out", "x");
    let file = bench.put(".git/user-ignores", "*.out\n");
    let both = bench.done("Glob", json!({ "pattern": "*.*" })).await;
    assert!(both.contains("left.out"), "{both}");
    let mut state = bench.facts.state().clone();
    state.insert(toolpost_tools::UserIgnores(file));
    bench.facts = bench.facts.clone().with_state(state);
    assert_eq!(
        bench.done("Glob", json!({ "pattern": "*.*" })).await,
        "kept.txt"
    );
}
