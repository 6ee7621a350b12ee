//! The built command, run with a home, settings and state that are not the user's own.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

pub(crate) struct Ran {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

/// Runs the command in `folder`; `home`, `state` and `config` lie in `around`.
pub(crate) fn toolpost(folder: &Path, around: &Path, args: &[&str], input: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toolpost"))
        .args(args)
        .current_dir(folder)
        .env("HOME", around.join("home"))
        .env("XDG_STATE_HOME", around.join("state"))
        .env("XDG_CONFIG_HOME", around.join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that does not read its input may be gone already.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    Ran {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}
