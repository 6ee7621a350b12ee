//! What is changed of an environment.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Dependence, DependenceKind};

/// One change of the environment that a child is given.
#[derive(Debug, Clone)]
pub(super) enum Change {
    Set(OsString, OsString),
    Remove(OsString),
    Folder(PathBuf),
}

/// Usual variables, each with a value that is nobody's default.
const USUAL: [(&str, &str); 22] = [
    ("LANG", "de_AT.UTF-8"),
    ("LC_ALL", "de_AT.UTF-8"),
    ("LANGUAGE", "de"),
    ("TZ", "Asia/Kathmandu"),
    ("USER", "somebody"),
    ("LOGNAME", "somebody"),
    ("HOSTNAME", "elsewhere"),
    ("SHELL", "/bin/other-shell"),
    ("EDITOR", "other-editor"),
    ("VISUAL", "other-editor"),
    ("PAGER", "other-pager"),
    ("TERM", "other-term"),
    ("COLUMNS", "37"),
    ("LINES", "11"),
    ("NO_COLOR", "1"),
    ("CI", "1"),
    ("DEBUG", "1"),
    ("HTTP_PROXY", "http://127.0.0.1:9"),
    ("HTTPS_PROXY", "http://127.0.0.1:9"),
    ("http_proxy", "http://127.0.0.1:9"),
    ("https_proxy", "http://127.0.0.1:9"),
    // A tool that reads all variables sees one that nobody knows.
    ("TOOLPOST_TEST_OTHER", "1"),
];

/// Variables that name a folder.
const FOLDERS: [&str; 8] = [
    "HOME",
    "TMPDIR",
    "TMP",
    "TEMP",
    "PWD",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
];

/// Without these a test binary may not start, or its author's own set-up not be found.
const KEPT: [&str; 10] = [
    "PATH",
    "LD_LIBRARY_PATH",
    "DYLD_",
    "SYSTEMROOT",
    "CARGO",
    "RUST",
    "NEXTEST",
    "LLVM_PROFILE",
    "TOOLPOST_TEST_",
    "TOKIO_",
];

/// The names of the variables that are set.
pub(super) fn inherited() -> Vec<OsString> {
    std::env::vars_os().map(|(name, _)| name).collect()
}

impl Change {
    /// Other values for the usual variables and for those that are named, and another folder.
    pub(super) fn others(place: &Path, variables: &[&str]) -> Vec<Self> {
        let other = place.join("other");
        let set = |name: &str, value: &OsStr| Self::Set(name.into(), value.into());
        let mut changes: Vec<Self> = USUAL
            .iter()
            .map(|(name, value)| set(name, value.as_ref()))
            .collect();
        changes.extend(
            FOLDERS
                .iter()
                .map(|name| set(name, other.join(name).as_os_str())),
        );
        // Longer, so that programs are found as before.
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([other.join("bin")]);
        if let Ok(longer) = std::env::join_paths(folders) {
            changes.push(set("PATH", &longer));
        }
        changes.extend(variables.iter().map(|name| set(name, "7".as_ref())));
        changes.push(Self::Folder(other));
        changes
    }

    /// Next to nothing, and another folder.
    pub(super) fn bare(place: &Path, set: &[OsString]) -> Vec<Self> {
        let is_kept = |name: &OsStr| {
            let name = name.to_string_lossy();
            KEPT.iter().any(|start| name.starts_with(start))
        };
        let removed = set.iter().filter(|name| !is_kept(name));
        let mut changes: Vec<Self> = removed.cloned().map(Self::Remove).collect();
        changes.push(Self::Folder(place.join("bare")));
        changes
    }

    /// Makes the change, and the folders that it names.
    pub(super) fn make(&self, command: &mut Command) -> std::io::Result<()> {
        match self {
            Self::Set(name, value) => {
                if FOLDERS.iter().any(|folder| name == folder) {
                    std::fs::create_dir_all(value)?;
                }
                command.env(name, value);
            }
            Self::Remove(name) => {
                command.env_remove(name);
            }
            Self::Folder(folder) => {
                std::fs::create_dir_all(folder)?;
                command.current_dir(folder);
            }
        }
        Ok(())
    }

    /// What an outcome depends on that this change alone changes.
    pub(super) fn kind(&self) -> DependenceKind {
        match self {
            Self::Set(name, _) | Self::Remove(name) => {
                DependenceKind::Variable(name.to_string_lossy().into_owned())
            }
            Self::Folder(_) => DependenceKind::WorkingFolder,
        }
    }

    /// The same in words, with the difference that it made.
    pub(super) fn dependence(&self, difference: &str) -> Dependence {
        let (what, instead) = match self {
            Self::Set(name, _) | Self::Remove(name) => (
                format!("environment variable `{}`", name.to_string_lossy()),
                "take it from the state of the context",
            ),
            Self::Folder(_) => (
                "folder that the process stands in".to_owned(),
                "take paths from the root of the context",
            ),
        };
        Dependence {
            kind: self.kind(),
            message: format!("the outcome depends on the {what} ({difference}); {instead}"),
        }
    }
}
