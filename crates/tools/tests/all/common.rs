//! A folder, a session's state, and calls through the public face.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;
use tempfile::TempDir;
use toolpost_core::{
    Decided, Facts, Outcome, PermittedCall, RawCall, ReadOptions, SimplePolicy, State, Status,
    Surroundings, Toolbox,
};
use toolpost_tools::{DiskLinks, FileState, add_builtins};

pub(crate) struct Bench {
    pub(crate) dir: TempDir,
    pub(crate) toolbox: Toolbox,
    pub(crate) facts: Facts,
    count: AtomicU64,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mut state = State::new();
        state.insert(FileState::new());
        let facts = Facts::new(root)
            .with_state(state)
            .with_links(Arc::new(DiskLinks));
        let mut toolbox = Toolbox::new();
        add_builtins(&mut toolbox).unwrap();
        toolbox.check_needs(&facts).unwrap();
        Self {
            dir,
            toolbox,
            facts,
            count: AtomicU64::new(0),
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.facts.root().to_path_buf()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    pub(crate) fn permit(&self, name: &str, input: Value) -> PermittedCall {
        let id = self.count.fetch_add(1, Ordering::Relaxed).to_string();
        let raw = RawCall::new(id, name, input.to_string());
        let call = self
            .toolbox
            .validate(raw, &self.facts, &ReadOptions::default())
            .unwrap_or_else(|outcome| panic!("{outcome:?}"));
        match call.decide(&SimplePolicy::new().bypass(), &self.facts) {
            Decided::Permitted(call) => call,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn call(&self, name: &str, input: Value) -> Outcome {
        self.permit(name, input)
            .run(Surroundings::new(self.facts.clone()))
            .await
    }

    /// The text of a call that must be done.
    pub(crate) async fn done(&self, name: &str, input: Value) -> String {
        let outcome = self.call(name, input).await;
        assert_eq!(outcome.status, Status::Done, "{}", outcome.model_text());
        outcome.model_text()
    }

    /// The code and message of a call that must fail.
    pub(crate) async fn fails(&self, name: &str, input: Value) -> (String, String) {
        let outcome = self.call(name, input).await;
        let error = outcome
            .error
            .unwrap_or_else(|| panic!("done: {:?}", outcome.content));
        (error.code.unwrap_or_default().into_owned(), error.message)
    }

    pub(crate) async fn read(&self, name: &str) -> String {
        self.done("Read", serde_json::json!({ "file_path": name }))
            .await
    }

    pub(crate) async fn edit(&self, name: &str, old: &str, new: &str) -> Outcome {
        let input = serde_json::json!({ "file_path": name, "old_string": old, "new_string": new });
        self.call("Edit", input).await
    }

    /// Reads a file and makes an edit that must be done.
    pub(crate) async fn read_and_edit(&self, name: &str, old: &str, new: &str) -> String {
        self.read(name).await;
        let outcome = self.edit(name, old, new).await;
        assert_eq!(outcome.status, Status::Done, "{}", outcome.model_text());
        outcome.model_text()
    }
}

/// Names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// Sets a file's time to so many seconds after 2001.
pub(crate) fn set_time(path: &Path, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000 + seconds);
    let file = std::fs::File::options().append(true).open(path).unwrap();
    file.set_modified(time).unwrap();
}
