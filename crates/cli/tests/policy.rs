//! Rules, settings and trust through the built binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

mod common;

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use common::Ran;

/// Runs the command in `folder/proj`, with a home, settings and state of its own beside it.
fn toolpost(folder: &Path, args: &[&str], input: &str) -> Ran {
    common::toolpost(&folder.join("proj"), folder, args, input)
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["proj", "home", "config/toolpost"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join("proj/README.md"), "hello\n").unwrap();
    folder
}

fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn explain(folder: &tempfile::TempDir, flags: &[&str], name: &str, input: &Value) -> Value {
    let input = input.to_string();
    let mut args = vec!["explain", name, &input, "--json"];
    args.extend(flags);
    let ran = toolpost(folder.path(), &args, "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    serde_json::from_str(&ran.out).expect(&ran.out)
}

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

#[test]
fn a_rule_of_the_settings_decides_and_is_named_with_its_line() {
    let folder = folder();
    write(
        &folder,
        "config/toolpost/settings.toml",
        "[permissions]\ndeny = [\n  \"Bash(curl:*)\",\n]\n",
    );
    let line = explain(
        &folder,
        &["--mode", "bypass"],
        "Bash",
        &bash("true && env curl x"),
    );
    assert_eq!(line["verdict"], "deny");
    assert_eq!(line["decision"]["rule"], "Bash(curl:*)");
    assert!(
        line["decision"]["source"]
            .as_str()
            .unwrap()
            .ends_with("toolpost/settings.toml:3")
    );
    assert!(
        line["flip"]
            .as_str()
            .unwrap()
            .starts_with("without the rule `Bash(curl:*)`")
    );
    assert_eq!(line["commands"][1]["argv"], json!(["env", "curl", "x"]));
}

#[test]
fn a_workspace_allows_nothing_until_it_is_trusted_but_denies_at_once() {
    let folder = folder();
    write(
        &folder,
        "proj/toolpost.toml",
        "[permissions]\nallow = [\"Bash(make:*)\"]\ndeny = [\"Read(./README.md)\"]\n",
    );
    let verdict =
        |flags: &[&str]| explain(&folder, flags, "Bash", &bash("make all"))["verdict"].clone();
    assert_eq!(verdict(&[]), "ask");
    assert_eq!(verdict(&["--trust"]), "allow");
    let read = explain(&folder, &[], "Read", &json!({ "file_path": "README.md" }));
    assert_eq!(read["verdict"], "deny");
    assert_eq!(read["decision"]["source"], "toolpost.toml:3");
    assert_eq!(
        explain(&folder, &[], "Bash", &bash("make all"))["flip"],
        "`toolpost trust` would let the workspace's own rules allow it"
    );
    let ran = toolpost(folder.path(), &["trust"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.err.contains("toolpost.toml:2: allows `Bash(make:*)`"),
        "{}",
        ran.err
    );
    assert_eq!(verdict(&[]), "allow");
}

#[test]
fn a_workspace_cannot_set_bypass_even_when_it_is_trusted() {
    let folder = folder();
    write(
        &folder,
        "proj/toolpost.toml",
        "[permissions]\nmode = \"bypass\"\n",
    );
    assert_eq!(
        explain(&folder, &["--trust"], "Bash", &bash("make"))["verdict"],
        "ask"
    );
}

#[test]
fn settings_that_do_not_load_allow_nothing_and_say_where() {
    let folder = folder();
    write(
        &folder,
        "config/toolpost/settings.toml",
        "[permissions]\nalow = []\ndeny = [\"Bash(rm:*)\"]\n",
    );
    let line = explain(&folder, &[], "Read", &json!({ "file_path": "README.md" }));
    assert_eq!(line["verdict"], "ask");
    assert_eq!(line["decision"]["by"], "settings_error");
    assert!(
        line["decision"]["reason"]
            .as_str()
            .unwrap()
            .contains("settings.toml:2: unknown key `permissions.alow`")
    );
    assert_eq!(
        explain(&folder, &[], "Bash", &bash("rm x"))["verdict"],
        "deny"
    );
    let ran = toolpost(folder.path(), &["policy", "check"], "");
    assert_eq!(ran.code, 1);
    assert!(ran.out.contains("did you mean `allow`?"), "{}", ran.out);
}

#[test]
fn a_failing_test_of_the_policy_is_a_load_error() {
    let folder = folder();
    let test = |expect: &str| {
        format!(
            "[permissions]\nallow = [\"Bash(cargo test:*)\"]\n[[permissions.test]]\n\
             call = {{ name = \"Bash\", arguments = {{ command = \"cargo test && git push\" }} }}\nexpect = \"{expect}\"\n"
        )
    };
    write(&folder, "config/toolpost/settings.toml", &test("ask"));
    assert_eq!(toolpost(folder.path(), &["policy"], "").code, 0);
    write(&folder, "config/toolpost/settings.toml", &test("allow"));
    let ran = toolpost(folder.path(), &["policy"], "");
    assert_eq!(ran.code, 1);
    assert!(
        ran.out
            .contains("settings.toml:3: test of `Bash`: the verdict is ask, not allow"),
        "{}",
        ran.out
    );
    let line = explain(&folder, &[], "Bash", &bash("cargo test"));
    assert_eq!(line["verdict"], "ask");
}

#[test]
fn cases_are_counted_and_the_wrong_ones_told() {
    let folder = folder();
    let case = |id: &str, expect: &str| json!({ "id": id, "tool": "Read", "input": { "file_path": "/proj/a" }, "rules": {}, "mode": "default", "expect": expect });
    let cases = format!("{}\n{}\n", case("C1", "allow"), case("C2", "deny"));
    write(&folder, "proj/cases.jsonl", &cases);
    let ran = toolpost(folder.path(), &["policy", "test", "cases.jsonl"], "");
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("C2: allow, not deny"), "{}", lines[0]);
    assert_eq!(lines[1], "1 passed, 1 failed");
}

#[test]
fn what_got_looser_and_stricter_is_listed() {
    let folder = folder();
    write(
        &folder,
        "proj/old.toml",
        "[permissions]\nallow = [\"Bash(make:*)\"]\n",
    );
    write(
        &folder,
        "proj/new.toml",
        "[permissions]\nallow = [\"Bash(npm test)\"]\ndeny = [\"Read(./secrets/**)\"]\n",
    );
    let ran = toolpost(
        folder.path(),
        &["policy", "diff", "old.toml", "new.toml"],
        "",
    );
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(
        ran.out
            .contains("looser: Bash {\"command\":\"npm test\"}: ask -> allow"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .contains("stricter: Bash {\"command\":\"make\"}: allow -> ask"),
        "{}",
        ran.out
    );
    assert!(
        ran.out
            .lines()
            .any(|line| line.starts_with("stricter: Read")),
        "{}",
        ran.out
    );
}

#[test]
fn flags_are_rules_too_and_a_mistake_in_one_is_a_usage_error() {
    let folder = folder();
    let run = |flags: &[&str]| {
        let mut args = vec!["run", "--json"];
        args.extend(flags);
        toolpost(
            folder.path(),
            &args,
            "{\"id\":\"a\",\"name\":\"Bash\",\"arguments\":{\"command\":\"touch made\"}}\n",
        )
    };
    assert_eq!(run(&[]).code, 11);
    assert!(!folder.path().join("proj/made").exists());
    assert_eq!(run(&["--allow", "Bash(touch made)"]).code, 0);
    assert!(folder.path().join("proj/made").exists());
    assert_eq!(
        run(&["--allow", "Bash", "--deny", "Bash(touch:*)"]).code,
        11
    );
    let ran = run(&["--allow", "mcp__*"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("may only deny or ask"), "{}", ran.err);
}

#[test]
fn a_search_from_above_leaves_out_what_may_not_be_read_and_says_so() {
    let folder = folder();
    write(&folder, "proj/secrets/k.pem", "hello of the key\n");
    write(&folder, "proj/src/.env", "hello of the environment\n");
    write(&folder, "proj/src/a.txt", "hello of the text\n");
    write(
        &folder,
        "config/toolpost/settings.toml",
        "[permissions]\ndeny = [\"Read(./secrets/**)\"]\nask = [\"Read(*.env)\"]\n",
    );
    let calls = [
        json!({ "id": "1", "name": "Grep", "arguments": { "pattern": "hello", "output_mode": "content" } }),
        json!({ "id": "2", "name": "Glob", "arguments": { "pattern": "**/*" } }),
        json!({ "id": "3", "name": "Ls", "arguments": { "depth": 3 } }),
    ];
    let input: String = calls.iter().map(|call| format!("{call}\n")).collect();
    let ran = toolpost(folder.path(), &["run", "--json"], &input);
    assert_eq!(ran.code, 0, "{}", ran.out);
    for line in ran.out.lines() {
        assert!(!line.contains("k.pem") && !line.contains(".env"), "{line}");
        assert!(line.contains("a.txt"), "{line}");
        assert!(
            line.contains("2 paths were left out, since rules are about reading them"),
            "{line}"
        );
    }
}
