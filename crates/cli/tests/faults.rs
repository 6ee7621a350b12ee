//! Faults that were reported of other tools of this kind, where it takes the command to show that
//! they are not ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

/// The command on a file of calls, with these as the user and group where the test may choose.
fn command(root: &Path, around: &Path, calls: &str) -> Command {
    let file = around.join("calls.jsonl");
    fs::write(&file, calls).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolpost"));
    command
        .args(["run", "--json"])
        .arg(file)
        .current_dir(root)
        .env("HOME", around)
        .env("XDG_STATE_HOME", around.join("state"))
        .env("XDG_CONFIG_HOME", around.join("config"));
    command
}

#[test]
fn fault_52_opencode_3089_a_search_does_not_wait_for_what_is_on_stdin() {
    let (folder, around) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("f"), "hit\n").unwrap();
    let calls = "{\"id\":\"1\",\"name\":\"Grep\",\"arguments\":{\"pattern\":\"hit\"}}\n\
                 {\"id\":\"2\",\"name\":\"Glob\",\"arguments\":{\"pattern\":\"*\"}}\n";
    let mut child = command(folder.path(), around.path(), calls)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // Nothing is written to it, and it is not closed.
    let stdin = child.stdin.take().unwrap();
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || drop(sender.send(child.wait_with_output().unwrap())));
    let output = receiver
        .recv_timeout(Duration::from_secs(20))
        .expect("it waits for its input");
    drop(stdin);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.matches("\"text\":\"f\"").count(), 2, "{text}");
}

/// Root reads everything, so it takes another user to be locked out.
#[test]
fn fault_36_pi_9141_what_nobody_may_read_is_told_and_the_rest_found() {
    let (folder, around) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = folder.path();
    fs::create_dir(root.join("locked")).unwrap();
    for name in ["f", "locked/g", "closed"] {
        fs::write(root.join(name), "hit\n").unwrap();
    }
    for (path, mode) in [
        (root.join("locked"), 0o000),
        (root.join("closed"), 0o000),
        (root.to_path_buf(), 0o755),
        (around.path().to_path_buf(), 0o777),
    ] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let calls = "{\"id\":\"1\",\"name\":\"Grep\",\"arguments\":{\"pattern\":\"hit\"}}\n\
                 {\"id\":\"2\",\"name\":\"Glob\",\"arguments\":{\"pattern\":\"**/*\"}}\n\
                 {\"id\":\"3\",\"name\":\"Read\",\"arguments\":{\"file_path\":\"closed\"}}\n";
    let mut command = command(root, around.path(), calls);
    if fs::metadata("/proc/self").unwrap().uid() == 0 {
        // A program that this user may reach.
        let own = around.path().join("toolpost");
        fs::copy(env!("CARGO_BIN_EXE_toolpost"), &own).unwrap();
        let arguments: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
        command = Command::new(own);
        command
            .args(arguments)
            .current_dir(root)
            .env("HOME", around.path())
            .uid(65_534)
            .gid(65_534);
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(root.join("locked"), open).unwrap();
    let lines: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        lines[0]["content"][0]["text"],
        "f\n[2 paths could not be read]"
    );
    let found = lines[1]["content"][0]["text"].as_str().unwrap();
    assert!(
        found.contains('f') && found.ends_with("[1 path could not be read]"),
        "{found}"
    );
    assert_eq!(lines[2]["error"]["code"], "denied");
}
