//! What calls really open is what they claim: a liar is found out, and our own tools are none.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test may stop where it stands"
)]

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost_core::{Access, Context, Facts, Footprint, Scope, State, Status, Tool, ToolBuilder};
use toolpost_test::{assert_opens_what_it_claims, opened_beyond_claims, outcome_of};
use toolpost_tools::{
    ApplyPatch, Bash, DiskLinks, Edit, FileState, Glob, Grep, Ls, MultiEdit, NotebookEdit, Read,
    Write, command_tool, tool_file,
};

#[derive(Deserialize, JsonSchema)]
struct Copy {
    /// Copied from.
    from: String,
    /// Copied to.
    to: String,
}

/// Claims only what it reads, and may leave the copying to a process.
fn copy(by_process: bool) -> impl Tool<Input = Copy> {
    ToolBuilder::<Copy>::new("copy", "Copy a file.")
        .footprint(|input, facts| {
            Footprint::nothing().reading(Scope::file(&facts.resolve(input.from.as_ref())))
        })
        .call(move |input, cx: Context| async move {
            let (from, to) = (cx.root().join(input.from), cx.root().join(input.to));
            if by_process {
                std::process::Command::new("cp")
                    .args([&from, &to])
                    .status()?;
            } else {
                std::fs::copy(from, to)?;
            }
            Ok(())
        })
}

/// A small tree with a link, and ignore files on the way down.
fn lay(root: &Path) {
    std::fs::create_dir_all(root.join("in/deep")).unwrap();
    for (name, text) in [
        ("a.txt", "one\n"),
        ("in/c.txt", "two\n"),
        ("in/deep/d.txt", "three\n"),
        (".gitignore", "*.log\n"),
        ("in/.gitignore", "*.tmp\n"),
        ("in/x.tmp", "x\n"),
        (
            "n.ipynb",
            "{\"cells\": [], \"nbformat\": 4, \"nbformat_minor\": 4}\n",
        ),
    ] {
        std::fs::write(root.join(name), text).unwrap();
    }
    std::os::unix::fs::symlink("in/c.txt", root.join("link.txt")).unwrap();
}

fn facts(root: &Path) -> Facts {
    let mut state = State::new();
    state.insert(FileState::new());
    Facts::new(root.canonicalize().unwrap())
        .with_state(state)
        .with_links(Arc::new(DiskLinks))
}

#[tokio::test]
async fn what_is_opened_and_not_claimed_is_found() {
    for by_process in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        lay(folder.path());
        let facts = facts(folder.path());
        let to = facts.root().join("in/copy.txt");
        let input = json!({ "from": "a.txt", "to": "in/copy.txt" });
        let (outcome, unclaimed) = opened_beyond_claims(copy(by_process), input, facts).await;
        assert_eq!(outcome.status, Status::Done);
        let found: Vec<_> = unclaimed
            .iter()
            .map(|one| (&one.path, one.access))
            .collect();
        assert_eq!(found, [(&to, Access::Write)]);
    }
}

#[tokio::test]
#[should_panic(expected = "did not run")]
async fn a_call_that_does_not_run_is_no_proof() {
    let folder = tempfile::tempdir().unwrap();
    assert_opens_what_it_claims(copy(false), json!({ "from": 1 }), facts(folder.path())).await;
}

/// Runs one call in a tree of its own, after files were read where the tool wants that.
async fn check<P: toolpost_core::Progress, T: Tool<P>>(tool: T, input: Value, reads: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path());
    let facts = facts(folder.path());
    for file in reads {
        let read = outcome_of(Read, json!({ "file_path": file }), facts.clone()).await;
        assert_eq!(read.status, Status::Done, "{}", read.model_text());
    }
    assert_opens_what_it_claims(tool, input, facts).await;
}

#[tokio::test]
async fn own_tools_open_what_they_claim() {
    for file in ["a.txt", "link.txt", "in", "none.txt", "in/cc.txt"] {
        check(Read, json!({ "file_path": file }), &[]).await;
    }
    for file in ["a.txt", "link.txt"] {
        let input = json!({ "file_path": file, "content": "new\n" });
        check(Write, input, &[file]).await;
    }
    for file in ["b.txt", "new/er/b.txt", "in/deep/b.txt"] {
        check(Write, json!({ "file_path": file, "content": "new\n" }), &[]).await;
    }
    for file in ["a.txt", "in/c.txt", "link.txt"] {
        let input = json!({ "file_path": file, "old_string": "o", "new_string": "0" });
        check(Edit, input, &[file]).await;
    }
    for file in ["a.txt", "in/c.txt", "link.txt"] {
        let edits = json!([{ "old_string": "o", "new_string": "0" }]);
        check(
            MultiEdit,
            json!({ "file_path": file, "edits": edits }),
            &[file],
        )
        .await;
    }
    let cell = json!({ "notebook_path": "n.ipynb", "edit_mode": "insert", "new_source": "x" });
    check(NotebookEdit, cell, &["n.ipynb"]).await;
    let patch = |body: &str| json!({ "patch": format!("*** Begin Patch\n{body}\n*** End Patch") });
    for body in [
        "*** Update File: a.txt\n@@\n-one\n+1",
        "*** Update File: link.txt\n@@\n-two\n+2\n*** Add File: new/er/b.txt\n+x",
        "*** Delete File: a.txt\n*** Update File: in/c.txt\n*** Move to: moved/c.txt\n@@\n-two\n+2",
        "*** Update File: none.txt\n@@\n-one\n+1",
        "*** Add File: a.txt\n+one",
    ] {
        check(ApplyPatch, patch(body), &["a.txt", "in/c.txt"]).await;
    }
    for path in [".", "in", "in/deep", "a.txt", "none"] {
        check(Glob, json!({ "pattern": "**/*.txt", "path": path }), &[]).await;
        check(Grep, json!({ "pattern": "t", "path": path }), &[]).await;
        check(Ls, json!({ "path": path, "depth": 2 }), &[]).await;
    }
    check(Glob, json!({ "pattern": "in/deep/*.txt" }), &[]).await;
}

#[tokio::test]
async fn commands_open_what_they_claim() {
    for command in [
        "cat a.txt",
        "cat link.txt in/*.txt",
        "grep -rn t in | sort",
        "ls -la; ls in",
        "cd in && cat c.txt && wc -l deep/d.txt",
        "find . -name '*.txt'",
        "head -n 1 < in/c.txt",
        "[ -f a.txt ] && [[ in -nt a.txt ]] && echo yes",
        "echo one > b.txt",
        "echo one >> link.txt; cat a.txt in/c.txt > in/deep/both.txt",
        "cd in && { pwd; ls; } > list.txt 2>> deep/errors.txt",
        "sort -u < a.txt > a2.txt && wc -l a2.txt",
        "diff a.txt in/c.txt; cmp a.txt in/c.txt",
        "sort a.txt in/c.txt | uniq -c | tail -n 2",
        "sed -n 1p a.txt; awk '{print $1}' in/c.txt",
        "ls in/*/",
        "du -s in; stat a.txt; file a.txt",
        "tree in || true",
        "git status || true",
    ] {
        check(Bash, json!({ "command": command }), &[]).await;
    }
}

#[test]
fn what_a_redirection_writes_is_claimed_alone() {
    let folder = tempfile::tempdir().unwrap();
    lay(folder.path());
    let facts = facts(folder.path());
    let claims = |command: &str| {
        let input = serde_json::from_value(json!({ "command": command })).unwrap();
        Bash.footprint(&input, &facts)
    };
    let a = Footprint::nothing().writing(Scope::file(&facts.root().join("a.txt")));
    assert!(!claims("echo x > b.txt").conflicts_with(&a));
    assert!(claims("echo x > a.txt").conflicts_with(&a));
    for everything in [
        "echo x > /dev/tty",
        "echo x > /proc/self/comm",
        "echo x > $(cat a.txt)",
        "echo x > in",
    ] {
        assert_eq!(claims(everything), Footprint::Everything, "{everything}");
    }
}

#[tokio::test]
async fn a_command_tool_is_held_to_its_templates() {
    for (command, wanted) in [("cat \"$0\"", 0), ("cat \"$0\" in/c.txt", 1)] {
        let folder = tempfile::tempdir().unwrap();
        lay(folder.path());
        let elsewhere = tempfile::tempdir().unwrap();
        let file = elsewhere.path().join("tools.toml");
        let text = format!(
            "[[tool]]\nname = \"show\"\ndescription = \"Show the file a.txt.\"\n\
             input_schema = {{ type = \"object\" }}\n\
             command = [\"sh\", \"-c\", '{command}', \"a.txt\"]\n\
             effects = {{ read_only = true }}\nreads = [\"fs/a.txt\"]\n"
        );
        std::fs::write(&file, text).unwrap();
        let entry = tool_file::load(&file).unwrap().remove(0);
        let (outcome, unclaimed) =
            opened_beyond_claims(command_tool(entry), json!({}), facts(folder.path())).await;
        assert_eq!(outcome.status, Status::Done, "{}", outcome.model_text());
        assert_eq!(unclaimed.len(), wanted, "{unclaimed:?}");
    }
}
