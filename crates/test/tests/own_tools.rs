//! Our own tools, held to what the kit asks of everybody's.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolpost_core::{Facts, Outcome, Progress, State, Status, Tool};
use toolpost_test::{
    CLIPPY_TOML, assert_honest_claims, assert_no_drift, assert_no_environment, claims_of_at,
    outcome_of,
};
use toolpost_tools::apply_patch::ApplyPatchInput;
use toolpost_tools::bash::BashInput;
use toolpost_tools::edit::EditInput;
use toolpost_tools::glob::GlobInput;
use toolpost_tools::grep::GrepInput;
use toolpost_tools::ls::LsInput;
use toolpost_tools::multi_edit::MultiEditInput;
use toolpost_tools::notebook_edit::NotebookEditInput;
use toolpost_tools::read::ReadInput;
use toolpost_tools::write::WriteInput;
use toolpost_tools::{
    ApplyPatch, Bash, DiskLinks, Edit, Environment, FileState, Glob, Grep, Ls, MultiEdit,
    NotebookEdit, Read, Write, builtins, command_tool, tool_file,
};

/// Facts as a host gives them.
fn facts(root: &Path) -> Facts {
    let mut state = State::new();
    state.insert(FileState::new());
    Facts::new(root)
        .with_state(state)
        .with_links(Arc::new(DiskLinks))
}

/// A file, always of the same time: Glob and Grep show the newest first.
fn put(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, text).unwrap();
    let file = std::fs::File::options().append(true).open(path).unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    file.set_modified(time).unwrap();
}

#[test]
fn no_input_drifts() {
    assert_no_drift::<ReadInput>();
    assert_no_drift::<WriteInput>();
    assert_no_drift::<EditInput>();
    assert_no_drift::<MultiEditInput>();
    assert_no_drift::<ApplyPatchInput>();
    assert_no_drift::<NotebookEditInput>();
    assert_no_drift::<GlobInput>();
    assert_no_drift::<GrepInput>();
    assert_no_drift::<LsInput>();
    assert_no_drift::<BashInput>();
    assert_eq!(builtins().len(), 10, "a new tool has its line here");
}

#[test]
fn no_tool_claims_what_cannot_be_so() {
    assert_honest_claims(&Read, [json!({ "file_path": "src/lib.rs" })]);
    assert_honest_claims(&Read, [json!({ "file_path": "../~/x" })]);
    let write = json!({ "file_path": "a/b/c.txt", "content": "x" });
    assert_honest_claims(&Write, [write]);
    let edit = json!({ "file_path": "a.txt", "old_string": "", "new_string": "b" });
    assert_honest_claims(&Edit, [edit]);
    let edits = json!([{ "old_string": "a", "new_string": "b" }]);
    assert_honest_claims(
        &MultiEdit,
        [json!({ "file_path": "a.txt", "edits": edits })],
    );
    let patches = [
        "*** Update File: a.txt\n@@\n-a\n+b",
        "*** Add File: new/a.txt\n+a",
        "*** Delete File: a.txt",
        "*** Update File: a.txt\n*** Move to: b/c.txt\n*** Add File: d\n+x",
    ];
    let patches = patches.map(|body| format!("*** Begin Patch\n{body}\n*** End Patch"));
    assert_honest_claims(&ApplyPatch, patches.map(|patch| json!({ "patch": patch })));
    let notebook = json!({ "notebook_path": "n.ipynb", "cell_id": "a", "new_source": "b" });
    assert_honest_claims(&NotebookEdit, [notebook]);
    let patterns = ["**/*.rs", "src/{a,b}/*.rs", "/etc/*", "../*"];
    assert_honest_claims(&Glob, patterns.map(|pattern| json!({ "pattern": pattern })));
    assert_honest_claims(&Grep, [json!({ "pattern": "x", "path": "src" })]);
    assert_honest_claims(&Ls, [json!({ "path": "/" })]);
    let commands = [
        "cat a b",
        "ls | wc -l",
        "cd src; ls",
        "rm -rf x",
        "echo x > y",
        "make",
    ];
    assert_honest_claims(&Bash, commands.map(|command| json!({ "command": command })));
}

/// A folder with a file, a folder and links to both.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    put(folder.path(), "file", "x\n");
    put(folder.path(), "folder/inner", "x\n");
    std::os::unix::fs::symlink("file", folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink("folder", folder.path().join("links")).unwrap();
    folder
}

#[test]
fn nor_where_there_are_files_and_links() {
    fn check<P, T: Tool<P>>(tool: &T, input: impl Fn(&str) -> Value) {
        let folder = folder();
        let paths = [
            "file",
            "link",
            "folder",
            "links",
            "links/inner",
            "new",
            "new/er",
        ];
        let faults = claims_of_at(tool, paths.map(input), &facts(folder.path()));
        assert_eq!(faults, [], "{}", tool.name());
    }
    check(&Read, |path| json!({ "file_path": path }));
    check(&Write, |path| json!({ "file_path": path, "content": "x" }));
    check(
        &Edit,
        |path| json!({ "file_path": path, "old_string": "x", "new_string": "y" }),
    );
    check(
        &MultiEdit,
        |path| json!({ "file_path": path, "edits": [{ "old_string": "x", "new_string": "y" }] }),
    );
    check(
        &NotebookEdit,
        |path| json!({ "notebook_path": path, "cell_id": "a", "edit_mode": "delete" }),
    );
    for body in [
        "Update File: PATH\n@@\n-x\n+y",
        "Add File: PATH\n+x",
        "Delete File: PATH",
    ] {
        check(&ApplyPatch, |path| {
            let body = body.replace("PATH", path);
            json!({ "patch": format!("*** Begin Patch\n*** {body}\n*** End Patch") })
        });
    }
    check(&Glob, |path| json!({ "pattern": "*", "path": path }));
    check(&Grep, |path| json!({ "pattern": "x", "path": path }));
    check(&Ls, |path| json!({ "path": path }));
}

/// A command tool of a tool file.
fn command(lines: &str) -> impl Tool<toolpost_tools::Printed, Input = Value> {
    let text = format!("[[tool]]\nname = \"t\"\ndescription = \"Do a thing.\"\n{lines}");
    let [entry] = tool_file::parse(&text, Path::new("tools.toml"))
        .unwrap()
        .try_into()
        .unwrap();
    command_tool(entry)
}

#[test]
fn nor_does_a_command_of_a_tool_file() {
    let schema = "input_schema = { type = \"object\", properties = { file = { type = \"string\" } }, \
                  required = [\"file\"] }\n";
    let cat = format!(
        "{schema}command = [\"cat\"]\neffects = {{ read_only = true }}\nreads = [\"fs/{{file}}\"]"
    );
    assert_honest_claims(&command(&cat), []);
    let touch = format!("{schema}command = [\"touch\"]\nwrites = [\"fs/{{file}}\"]");
    assert_honest_claims(&command(&touch), []);
}

/// One call in a folder with a few files in it.
async fn done<P: Progress, T: Tool<P>>(tool: T, folder: &Path, input: Value) -> Outcome {
    put(folder, "a.txt", "one\ntwo\n");
    put(folder, "b/c.txt", "two\nthree\n");
    let outcome = outcome_of(tool, input, facts(folder)).await;
    assert_eq!(outcome.status, Status::Done, "{}", outcome.model_text());
    outcome
}

#[tokio::test]
async fn read_needs_nothing_of_the_environment() {
    assert_no_environment(&[], async |folder| {
        let home = outcome_of(Read, json!({ "file_path": "~/a.txt" }), facts(folder)).await;
        [
            done(Read, folder, json!({ "file_path": "a.txt" })).await,
            home,
        ]
    })
    .await;
}

/// Makes the ignore file of a user, where the configuration is one that the kit made.
fn ignore_for_the_user(folder: &Path) {
    let Some(configuration) = std::env::var_os("XDG_CONFIG_HOME") else {
        return;
    };
    if Path::new(&configuration).starts_with(folder.parent().unwrap()) {
        put(configuration.as_ref(), "git/ignore", "a.txt\n");
    }
}

#[tokio::test]
async fn grep_needs_nothing_of_the_environment() {
    let variables = ["GIT_DIR", "GIT_CONFIG_GLOBAL", "RIPGREP_CONFIG_PATH"];
    assert_no_environment(&variables, async |folder| {
        ignore_for_the_user(folder);
        done(Grep, folder, json!({ "pattern": "two" })).await
    })
    .await;
}

#[tokio::test]
async fn the_other_tools_need_nothing_of_the_environment() {
    assert_no_environment(&["GIT_DIR", "GIT_CONFIG_GLOBAL"], async |folder| {
        ignore_for_the_user(folder);
        [
            done(Glob, folder, json!({ "pattern": "**/*.txt" })).await,
            done(Ls, folder, json!({ "depth": 2 })).await,
            done(Write, folder, json!({ "file_path": "d", "content": "x" })).await,
            done(
                Edit,
                folder,
                json!({ "file_path": "e", "old_string": "", "new_string": "y" }),
            )
            .await,
            done(
                MultiEdit,
                folder,
                json!({ "file_path": "g", "edits": [{ "old_string": "", "new_string": "y" }] }),
            )
            .await,
            done(
                ApplyPatch,
                folder,
                json!({ "patch": "*** Begin Patch\n*** Add File: h\n+x\n*** End Patch" }),
            )
            .await,
        ]
    })
    .await;
}

#[tokio::test]
async fn a_command_needs_nothing_of_the_environment_but_what_its_host_gives() {
    assert_no_environment(&["GREETING"], async |folder| {
        // Each run is marked with a variable of its own, by which its processes are found again.
        let script = "env | grep -v -e ^_= -e ^TOOLPOST_CALL= | sort; pwd";
        let tool = command(&format!("command = [\"/bin/sh\", \"-c\", \"{script}\"]"));
        let mut state = State::new();
        state.insert(Environment::new([("PATH".into(), "/usr/bin:/bin".into())]));
        let facts = Facts::new(folder).with_state(state);
        let outcome = outcome_of(tool, json!({}), facts).await;
        assert_eq!(outcome.status, Status::Done, "{}", outcome.model_text());
        outcome
    })
    .await;
}

#[test]
fn our_own_tools_are_under_the_lints_that_we_give_away() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/clippy.toml");
    let own = std::fs::read_to_string(own).unwrap();
    assert!(own.contains(CLIPPY_TOML), "copy clippy-for-tools.toml anew");
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clippy.toml");
    let workspace = std::fs::read_to_string(workspace).unwrap();
    assert!(own.contains(&workspace), "copy the workspace's lines anew");
}

#[test]
fn the_lints_to_copy_are_toml_and_each_has_its_reason() {
    let lints: toml::Table = CLIPPY_TOML.parse().unwrap();
    let mut paths = Vec::new();
    for key in ["disallowed-methods", "disallowed-macros"] {
        for entry in lints[key].as_array().unwrap() {
            assert!(!entry["reason"].as_str().unwrap().is_empty());
            paths.push(entry["path"].as_str().unwrap());
        }
    }
    assert_eq!(lints.len(), 2, "no other keys");
    for path in [
        "std::env::var",
        "std::env::vars_os",
        "std::env::current_dir",
        "std::sync::LazyLock::new",
        "std::thread_local",
        "std::io::stdout",
        "std::println",
    ] {
        assert!(paths.contains(&path), "{path}");
    }
}
