//! The test as a child of itself.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::change::Change;

/// Tells a child which of the calls it is there for.
const CALL: &str = "TOOLPOST_TEST_CALL";
/// Tells a child the folder that it shares with its parent.
const PLACE: &str = "TOOLPOST_TEST_PLACE";

/// What came of the two calls in a child.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Answer {
    pub(super) first: Value,
    pub(super) second: Value,
}

/// Which call of which test this is: the test's path, `#` and a number, for a test that makes
/// several. It is the same in the parent and in its children.
pub(super) fn test_of<F>() -> String {
    static COUNTS: Mutex<Option<HashMap<String, usize>>> = Mutex::new(None);
    let name = test_name(std::any::type_name::<F>());
    let mut counts = COUNTS.lock().unwrap_or_else(PoisonError::into_inner);
    let count = counts
        .get_or_insert_default()
        .entry(name.clone())
        .or_default();
    *count += 1;
    format!("{name}#{count}")
}

/// The name by which the test binary knows the function in which a closure stands:
/// `my_crate::tests::greets::{{closure}}` is in the test `tests::greets`.
fn test_name(closure: &str) -> String {
    let path = closure.split("::{{closure}}").next().unwrap_or(closure);
    let (_, name) = path.split_once("::").unwrap_or(("", path));
    name.to_owned()
}

/// What a child was told by its parent.
pub(super) struct Place {
    call: OsString,
    folder: PathBuf,
}

impl Place {
    /// Nothing in a process that is no child.
    pub(super) fn of_parent() -> Option<Self> {
        Some(Self {
            call: std::env::var_os(CALL)?,
            folder: std::env::var_os(PLACE)?.into(),
        })
    }

    /// Whether the child is there for this call.
    pub(super) fn is_for(&self, test: &str) -> bool {
        self.call == test
    }

    /// The folder that a call is given, empty.
    pub(super) fn fresh_folder(&self) -> PathBuf {
        let folder = self.folder.join("root");
        // A folder that cannot be made shows in the outcome.
        let _ = fs::remove_dir_all(&folder);
        let _ = fs::create_dir_all(&folder);
        folder
    }

    /// Hands the answer to the parent, who misses it when it cannot be written.
    pub(super) fn write(&self, answer: &Answer) {
        let text = serde_json::to_vec(answer).unwrap_or_default();
        let _ = fs::write(answer_in(&self.folder), text);
    }
}

fn answer_in(place: &Path) -> PathBuf {
    place.join("answer.json")
}

/// One run of the test in a changed environment.
pub(super) struct Child<'a> {
    pub(super) test: &'a str,
    pub(super) place: &'a Path,
    pub(super) changes: &'a [Change],
}

impl Child<'_> {
    /// Its answer, or why there is none, in words.
    pub(super) fn run(&self) -> Result<Answer, String> {
        let name = self.test.split('#').next().unwrap_or(self.test);
        let fail =
            |error: std::io::Error| format!("the test `{name}` cannot be run again: {error}");
        let place = self.place.canonicalize().map_err(fail)?;
        let answer = answer_in(&place);
        let _ = fs::remove_file(&answer);
        let mut command = Command::new(std::env::current_exe().map_err(fail)?);
        command
            .args([name, "--exact", "--include-ignored"])
            .stdin(Stdio::null());
        for change in self.changes {
            change.make(&mut command).map_err(fail)?;
        }
        command.env(CALL, self.test).env(PLACE, &place);
        let output = command.output().map_err(fail)?;
        if let Ok(text) = fs::read(&answer) {
            return serde_json::from_slice(&text).map_err(|error| {
                format!("the answer of the test `{name}` cannot be read: {error}")
            });
        }
        let out = String::from_utf8_lossy(&output.stdout);
        if out.contains("running 0 tests") {
            return Err(format!(
                "there is no test `{name}` to run again; write the closure in the test function itself"
            ));
        }
        let err = String::from_utf8_lossy(&output.stderr);
        let how = if self.changes.is_empty() {
            "when it was run again"
        } else {
            "in another environment and working folder"
        };
        Err(format!(
            "the test `{name}` did not get to an outcome {how}; name its files by absolute paths and let it need \
             nothing of the environment; it said:\n{}\n{}",
            out.trim(),
            err.trim()
        ))
    }
}

#[cfg(test)]
mod tests;
