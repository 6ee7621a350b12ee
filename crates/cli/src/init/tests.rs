use std::fs;

use super::*;

fn text_for(files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let draft = project::draft(folder.path());
    check(&draft, folder.path()).unwrap();
    draft.text
}

#[test]
fn every_kind_of_project_gets_a_file_that_loads() {
    for files in [
        &[][..],
        &[("Cargo.toml", "")],
        &[(
            "package.json",
            r#"{"scripts":{"test":"x","deploy":"y","lint":"z"}}"#,
        )],
        &[("package.json", "no json")],
        &[
            ("go.mod", ""),
            ("Makefile", "test: a\n\techo\nbuild:\nlint := 3\ndeploy:\n"),
        ],
        &[("pyproject.toml", "")],
        &[
            ("pom.xml", ""),
            ("build.gradle", ""),
            ("CMakeLists.txt", ""),
        ],
    ] {
        text_for(files);
    }
}

#[test]
fn scripts_and_targets_that_deploy_are_not_allowed() {
    let text = text_for(&[
        (
            "package.json",
            r#"{"scripts":{"test":"x","deploy":"y","lint":"z"}}"#,
        ),
        ("Makefile", "test: a\n\techo\nbuild:\nlint := 3\ndeploy:\n"),
    ]);
    for rule in [
        "npm run test:*",
        "npm run lint:*",
        "make test",
        "make build",
    ] {
        assert!(
            text.contains(&format!("\"Bash({rule})\"")),
            "{rule}: {text}"
        );
    }
    assert!(
        !text.contains("deploy") && !text.contains("make lint"),
        "{text}"
    );
}

#[test]
fn a_rust_project() {
    insta::assert_snapshot!(text_for(&[("Cargo.toml", "")]), @r#"
    # Settings of toolpost for this workspace, for Rust.
    # What is denied or asked here counts at once; what is allowed counts after `toolpost trust`.
    # `toolpost policy check` loads this file, runs its tests and tells what is odd.

    [permissions]
    # What no rule is about: `default` asks for all that is more than looking, `accept-edits`
    # also edits inside the root, `plan` only looks, `dont-ask` denies instead of asking.
    mode = "default"

    # `Bash(words:*)` is a command that begins with these words. They run the project's own code.
    allow = [
      "Bash(cargo build:*)",
      "Bash(cargo check:*)",
      "Bash(cargo clippy:*)",
      "Bash(cargo fmt:*)",
      "Bash(cargo test:*)",
    ]

    # Asked about each time, whatever else allows it.
    ask = [
      "Bash(git push:*)",
    ]

    # A pattern without a slash is meant at any depth; searches leave these out too.
    deny = [
      "Read(.env)",
      "Read(.env.local)",
      "Read(.env.production)",
      "Read(*.pem)",
      "Read(~/.ssh/**)",
      "Read(~/.aws/**)",
    ]

    # Tests of these rules, run whenever the file is loaded. One that fails closes the door.
    [[permissions.test]]
    call = { name = "Bash", arguments = { command = "cargo build" } }
    expect = "allow"
    [[permissions.test]]
    call = { name = "Bash", arguments = { command = "git push --force" } }
    expect = "ask"
    [[permissions.test]]
    call = { name = "Read", arguments = { file_path = "config/.env" } }
    expect = "deny"

    # [limits]
    # max_parallel = 10
    # timeout = "10m"
    "#);
}

#[test]
fn from_claude() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".claude")).unwrap();
    let theirs = r#"{
        "model": "x",
        "permissions": {
            "allow": ["Bash(npm run test:*)", "Bash(git diff *)", "Edit(/src/**)", "Read(//etc/hosts)",
                "WebFetch(domain:example.com)", "mcp__files__read", "mcp__web__*", "LS", "Bash(*)", "mcp__*", 7],
            "ask": ["Bash(git push:*)"],
            "deny": ["Read(.env)", "Read(secrets/)", "Read(~/.ssh/**)", "Read(./a"],
            "defaultMode": "acceptEdits",
            "additionalDirectories": ["../docs"],
            "disableBypassPermissionsMode": "disable"
        },
        "hooks": {}
    }"#;
    fs::write(folder.path().join(".claude/settings.json"), theirs).unwrap();
    let (drafts, not_carried) = claude::drafts(folder.path()).unwrap();
    let [draft] = &drafts[..] else {
        panic!("one file, one draft");
    };
    check(draft, folder.path()).unwrap();
    insta::assert_snapshot!(format!("{}\n{}", draft.text, not_carried.join("\n")), @r#"
    # From .claude/settings.json.

    [permissions]
    mode = "accept-edits"
    allow = [
      "Bash(npm run test:*)",
      "Bash(git diff *)",
      "Edit(./src/**)",
      "Read(/etc/hosts)",
      "WebFetch(domain:example.com)",
      "mcp__files__read",
      "mcp__web",
      "Ls",
      "Bash",
    ]
    ask = [
      "Bash(git push:*)",
    ]
    deny = [
      "Read(.env)",
      "Read(**/.env/**)",
      "Read(**/secrets/**)",
      "Read(~/.ssh/**)",
    ]
    roots = [
      "../docs",
    ]

    .claude/settings.json: `model`
    .claude/settings.json: `hooks`
    .claude/settings.json: an entry of `permissions.allow` that is no text
    .claude/settings.json: rule `mcp__*`: `*` in a tool's name may only deny or ask; name each tool that is allowed
    .claude/settings.json: rule `Read(./a`: the bracket is not closed at the end; write `Read(pattern)`
    .claude/settings.json: `permissions.disableBypassPermissionsMode`
    "#);
}

#[test]
fn what_means_something_else_here_is_said_and_folders_are_whole() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join(".claude")).unwrap();
    let theirs =
        "\u{feff}{\"permissions\":{\"deny\":[\"Read(~/)\",\"Read(//)\",\"Read(/)\",\"Read(./)\",
        \"Read(~/.ssh/)\",\"Edit(!keep.txt)\",\"Read(a?.txt)\",\"Read([ab].txt)\"]}}";
    fs::write(folder.path().join(".claude/settings.json"), theirs).unwrap();
    let (drafts, not_carried) = claude::drafts(folder.path()).unwrap();
    check(&drafts[0], folder.path()).unwrap();
    for rule in ["~/**", "/**", "./**", "~/.ssh/**"] {
        let rule = format!("\"Read({rule})\"");
        assert!(drafts[0].text.contains(&rule), "{rule}: {}", drafts[0].text);
    }
    assert_eq!(
        drafts[0].text.matches("Read(").count(),
        5,
        "{}",
        drafts[0].text
    );
    assert_eq!(not_carried.len(), 3, "{not_carried:?}");
}
