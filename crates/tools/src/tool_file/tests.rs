use std::path::Path;
use std::time::Duration;

use serde_json::json;
use toolpost_core::{Effects, Exposure, Facts, Footprint};

use super::{ToolFileEntry, duration, parse};

fn entries(text: &str) -> Vec<ToolFileEntry> {
    parse(text, Path::new("tools/t.toml")).unwrap()
}

fn wrong(text: &str) -> String {
    parse(text, Path::new("t.toml")).unwrap_err().to_string()
}

const COUNT: &str = r#"
[[tool]]
name = "count_words"
description = "Count the words of a file."
input_schema = { type = "object", properties = { file = {}, dir = {}, host = {} }, required = ["file"] }
command = ["python3", "count.py"]
effects = { read_only = true }
reads = ["fs/{file}"]
timeout = "1m30s"
exposure = "deferred"
search_hint = "words"
"#;

#[test]
fn a_toml_file_is_read() {
    let [tool] = entries(COUNT).try_into().unwrap();
    assert_eq!(tool.name, "count_words");
    assert_eq!(tool.input_schema["required"], json!(["file"]));
    assert_eq!(tool.command.unwrap(), ["python3", "count.py"]);
    assert_eq!(tool.effects, Effects::READ_ONLY);
    assert_eq!(tool.timeout, Some(Duration::from_secs(90)));
    assert_eq!(tool.exposure, Exposure::Deferred);
    let folder = tool.folder.unwrap();
    assert!(
        folder.is_absolute() && folder.ends_with("tools"),
        "{folder:?}"
    );
}

#[test]
fn a_file_named_without_a_folder_has_one_all_the_same() {
    let [tool] = super::parse(COUNT, Path::new("tools.toml"))
        .unwrap()
        .try_into()
        .unwrap();
    assert!(tool.folder.unwrap().is_absolute());
}

#[test]
fn the_same_as_json() {
    let text = r#"{"tools":[{"name":"t","description":"d","command":["x"],"writes":["net/h"]}]}"#;
    let [tool] = entries(text).try_into().unwrap();
    assert_eq!(tool.effects, Effects::UNKNOWN);
    assert_eq!(tool.input_schema["additionalProperties"], json!(false));
}

#[test]
fn every_providers_form_is_read() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    let list = json!([
        { "name": "anthropic", "description": "d", "input_schema": schema, "cache_control": {} },
        { "type": "function", "function": { "name": "chat", "parameters": schema, "strict": true } },
        { "type": "function", "name": "responses", "parameters": schema, "strict": true },
        { "functionDeclarations": [
            { "name": "gemini_new", "parametersJsonSchema": schema },
            { "name": "gemini", "parameters": { "type": "OBJECT", "properties": { "a": { "type": "STRING", "nullable": true } } } },
        ] },
        { "name": "gemini_bare", "parameters": { "type": "OBJECT" } },
        { "name": "mcp", "inputSchema": schema, "outputSchema": schema, "annotations": { "readOnlyHint": true } },
    ]);
    let entries = entries(&list.to_string());
    let names: Vec<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "anthropic",
            "chat",
            "responses",
            "gemini_new",
            "gemini",
            "gemini_bare",
            "mcp"
        ]
    );
    for entry in entries
        .iter()
        .filter(|entry| !entry.name.starts_with("gemini"))
    {
        assert_eq!(entry.input_schema, schema, "{}", entry.name);
    }
    assert_eq!(
        entries[4].input_schema["properties"]["a"]["type"],
        json!(["string", "null"])
    );
    assert_eq!(entries[6].output_schema, Some(schema));
    assert_eq!(entries[6].effects, Effects::READ_ONLY);
    assert!(entries.iter().all(|entry| entry.command.is_none()));
    let answer = json!({ "tools": [{ "name": "m", "inputSchema": { "type": "object" } }] });
    assert_eq!(
        super::parse(&answer.to_string(), Path::new("a.json")).unwrap()[0].name,
        "m"
    );
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let bad = COUNT.replace("command", "comand");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:6: unknown key `comand`; did you mean `command`?");
    let bad = COUNT.replace("read_only", "readonly");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:7: unknown key `readonly` in `effects`; did you mean `read_only`?");
    let bad = COUNT.replace("1m30s", "soon");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:9: `soon` is not a time; write it like `30s`, `500ms` or `2m`");
    let bad = COUNT.replace("{file}\"]", "{file\"]");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:8: `reads`: `fs/{file` has a `{` without a `}`");
    let bad = COUNT.replace("{file}\"]", "{files}\"]");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:8: `reads` names `files`, which is no field of the input; did you mean `file`?");
    let bad = COUNT.replace("name = ", "title = ");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:3: unknown key `title`; there are `name`, `description`, `input_schema`, `output_schema`, `command`, `effects`, `reads`, `writes`, `timeout`, `search_hint`, `exposure`");
    let bad = COUNT.replace("[[tool]]", "[[tools]]");
    insta::assert_snapshot!(wrong(&bad), @"t.toml:2: unknown key `tools`; a tool file has `[[tool]]` tables");
    insta::assert_snapshot!(wrong(&format!("{COUNT}{COUNT}")), @"t.toml: there are two tools of the name `count_words`");
    insta::assert_snapshot!(wrong("[[tool]]\nname = "), @"t.toml:2: string values must be quoted, expected literal string");
    insta::assert_snapshot!(wrong("{\"tools\":[\n{\"name\":\"a\",\"description\":\"\",\n\"comands\":[]}]}"), @"t.toml:3: unknown key `comands`; did you mean `command`?");
    insta::assert_snapshot!(wrong("[1]"), @"t.toml: definition 1 is not an object");
}

#[test]
fn what_contradicts_itself_is_found() {
    let codes = |from: &str, to: &str| {
        let found = entries(&COUNT.replace(from, to))[0].contradictions();
        let codes: Vec<&str> = found.into_iter().map(|(code, _)| code).collect();
        codes.join(" ")
    };
    assert_eq!(codes("", ""), "");
    let both = "read_only = true, destructive = true";
    assert_eq!(codes("read_only = true", both), "contradictory_effects");
    assert_eq!(codes("reads = ", "writes = "), "read_only_writes");
    assert_eq!(codes("\"object\"", "\"thing\""), "bad_schema");
}

#[test]
fn effects_left_out_are_the_careful_ones() {
    let with = |effects: &str| {
        let text = COUNT.replace("effects = { read_only = true }", effects);
        entries(&text)[0].effects
    };
    assert_eq!(with(""), Effects::UNKNOWN);
    assert_eq!(
        with("effects = { idempotent = true }"),
        Effects::UNKNOWN.and_idempotent()
    );
    assert_eq!(with("effects = { open_world = false }"), Effects::WRITES);
    assert_eq!(
        with("effects = { read_only = true, open_world = true }"),
        Effects::READ_ONLY.reaching_out()
    );
}

fn footprint(claims: &str, input: serde_json::Value) -> String {
    let text = COUNT.replace("reads = [\"fs/{file}\"]", claims);
    let entry = entries(&text).remove(0);
    match entry.claims.footprint(&input, &Facts::new("/proj")) {
        Footprint::Everything => "everything".to_owned(),
        Footprint::Claims(claims) => {
            let all = claims.iter().map(|claim| {
                let deep = if claim.scope.is_deep() { "/**" } else { "" };
                format!("{:?} {}{deep}", claim.access, claim.scope.path())
            });
            all.collect::<Vec<_>>().join(", ")
        }
    }
}

#[test]
fn claims_follow_the_input() {
    let file = r#"reads = ["fs/{file}"]"#;
    assert_eq!(
        footprint(file, json!({ "file": "a/b" })),
        "Read fs/proj/a/b"
    );
    assert_eq!(footprint(file, json!({ "file": "../x" })), "Read fs/x");
    assert_eq!(
        footprint(file, json!({ "file": "/etc/x" })),
        "Read fs/etc/x"
    );
    assert_eq!(
        footprint(file, json!({ "file": "a/**" })),
        "Read fs/proj/a/**"
    );
    assert_eq!(
        footprint(file, json!({ "file": ["a", "b"] })),
        "Read fs/proj/a, Read fs/proj/b"
    );
    assert_eq!(footprint(file, json!({ "file": [] })), "");
    for unknown in [
        json!({}),
        json!({ "file": null }),
        json!({ "file": {} }),
        json!({ "file": "" }),
    ] {
        assert_eq!(footprint(file, unknown), "everything");
    }
    assert_eq!(footprint("", json!({ "file": "a" })), "everything");
    assert_eq!(footprint("reads = []", json!({})), "");
    let both = r#"reads = ["fs/{dir}/**", "net/{host}"]
writes = ["fs/out/{file}.txt", "shell/cwd", "fs/**"]"#;
    assert_eq!(
        footprint(both, json!({ "dir": "src", "host": "h.org", "file": "x" })),
        "Read fs/proj/src/**, Read net/h.org, Write fs/proj/out/x.txt, Write shell/cwd, Write fs/proj/**"
    );
}

#[test]
fn a_name_with_glob_characters_is_a_name() {
    let entry = entries(COUNT).remove(0);
    let Footprint::Claims(claims) = entry
        .claims
        .footprint(&json!({ "file": "a/**" }), &Facts::new("/p"))
    else {
        panic!()
    };
    assert!(!claims[0].scope.is_deep());
    assert_eq!(claims[0].scope.path(), "fs/p/a/**");
}

#[test]
fn times_are_read() {
    assert_eq!(duration::parse("500ms"), Some(Duration::from_millis(500)));
    assert_eq!(duration::parse("2h 5m"), Some(Duration::from_secs(7500)));
    for none in ["", "5", "s", "5 s x", "-1s", "99999999999999999999s"] {
        assert_eq!(duration::parse(none), None, "{none}");
    }
}
