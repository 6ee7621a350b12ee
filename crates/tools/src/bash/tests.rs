use std::ffi::OsString;

use toolpost_core::{RawCall, ReadOptions, Toolbox};

use super::*;

fn facts() -> Facts {
    Facts::new("/proj")
}

fn input(command: &str) -> BashInput {
    BashInput {
        command: command.to_owned(),
        timeout: None,
        description: None,
    }
}

async fn run(command: Command) -> (String, Option<i32>) {
    let stop = toolpost_core::CancellationToken::new();
    match process::run(command, b"", &stop).await.unwrap() {
        Ended::Exited { status, out, .. } => (text(&out), status.code()),
        Ended::Cancelled => panic!("nobody cancelled it"),
    }
}

#[test]
fn effects_follow_the_line() {
    let bash = Bash::new();
    assert!(bash.effects(&input("cat a.txt | wc -l")).read_only);
    assert!(!bash.effects(&input("cat a.txt > b.txt")).read_only);
    assert!(bash.effects(&input("rm x")).destructive);
}

#[test]
fn a_line_that_is_known_claims_what_it_reads_and_any_other_claims_everything() {
    let bash = Bash::new();
    let footprint = bash.footprint(&input("cat a.txt"), &facts());
    let scopes: Vec<String> = footprint
        .claims()
        .iter()
        .map(|claim| claim.scope.path().to_owned())
        .collect();
    assert_eq!(scopes, ["shell/cwd", "fs/proj/a.txt"]);
    assert_eq!(
        bash.footprint(&input("npm test"), &facts()),
        Footprint::Everything
    );
}

#[test]
fn rules_are_told_the_whole_line() {
    let subjects = Bash::new().subjects(&input("cat a.txt"), &facts());
    assert_eq!(
        subjects.first(),
        Some(&Subject::Command("cat a.txt".to_owned()))
    );
}

#[tokio::test]
async fn it_runs_in_its_folder_without_what_would_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    let variables = ["PATH", "GIT_DIR", "CDPATH"]
        .map(|name| (OsString::from(name), OsString::from("/usr/bin:/bin")));
    let environment = Environment::new(variables);
    let line = "pwd; echo \"${GIT_DIR-none} ${CDPATH-none}\"; read x || echo closed; exit 3";
    let (out, code) = run(command(line, &folder, &environment)).await;
    assert_eq!(out, format!("{}\nnone none\nclosed\n", folder.display()));
    assert_eq!(code, Some(3));
}

#[test]
fn its_schema_compiles() {
    let mut toolbox = Toolbox::new();
    toolbox.add_checked(Bash::new()).unwrap();
    let call = RawCall::new("c", "Bash", r#"{"command":"ls","timeout":700000}"#);
    assert!(
        toolbox
            .validate(call, &facts(), &ReadOptions::default())
            .is_err()
    );
}
