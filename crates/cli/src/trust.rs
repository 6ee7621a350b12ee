//! `toolpost trust`: which workspaces' own settings may allow, run and widen.
//!
//! The list is kept in the state folder, never in the workspace that it is about.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use toolpost_core::Verdict;

use crate::args::Common;
use crate::exit::{self, usage};
use crate::keeping;
use crate::marked;
use crate::replace::replace;
use crate::settings;
use crate::setup;

#[derive(Debug, Default, Serialize, Deserialize)]
struct Trusted {
    v: u8,
    workspaces: Vec<String>,
}

/// Whether the workspace with this root was trusted.
pub(crate) fn is_trusted(root: &Path) -> bool {
    let Some(root) = root.to_str() else {
        return false;
    };
    file().is_some_and(|file| load(&file).workspaces.iter().any(|trusted| trusted == root))
}

pub(crate) fn trust(common: &Common, folder: Option<&Path>) -> anyhow::Result<u8> {
    let journal = keeping::existing(common).ok().flatten();
    let sessions = journal.and_then(|journal| journal.processes().ok());
    marked::refuse_calls(&sessions.unwrap_or_default(), "trust a workspace")?;
    let root = match folder {
        Some(folder) => folder
            .canonicalize()
            .map_err(|error| usage(format!("cannot trust `{}`: {error}", folder.display())))?,
        None => setup::root(common)?,
    };
    let Some(name) = root.to_str() else {
        return Err(usage("cannot trust a folder whose name is not UTF-8"));
    };
    let Some(file) = file() else {
        return Err(usage(
            "there is no state folder; set XDG_STATE_HOME or HOME",
        ));
    };
    if let Some(problem) = problem() {
        return Err(usage(format!(
            "the list of trusted workspaces cannot be read, and is left as it is: {problem}; mend it \
             or move it away"
        )));
    }
    let mut trusted = load(&file);
    if !trusted.workspaces.iter().any(|known| known == name) {
        trusted.workspaces.push(name.to_owned());
        trusted.v = 1;
        replace(&file, &serde_json::to_vec(&trusted)?)
            .with_context(|| format!("cannot write `{}`", file.display()))?;
    }
    if common.json {
        println!("{}", serde_json::json!({ "v": 1, "trusted": name }));
    } else {
        println!("trusted {name}");
    }
    if !common.quiet {
        say_what_counts(&root);
    }
    Ok(exit::DONE)
}

/// What a person has just let in.
fn say_what_counts(root: &Path) {
    for file in settings::of_workspace(root) {
        let name = &file.file;
        let allow = file
            .permissions
            .rules
            .iter()
            .filter(|rule| rule.effect() == Verdict::Allow);
        for rule in allow {
            eprintln!("toolpost: {name}:{}: allows `{rule}`", rule.source().line);
        }
        if let Some((mode, source)) = &file.permissions.mode {
            eprintln!("toolpost: {name}:{}: sets the mode `{mode}`", source.line);
        }
        let runs = file
            .hooks
            .before
            .iter()
            .chain(&file.hooks.after)
            .map(|hook| &hook.source);
        for source in runs.chain(file.servers.iter().map(|server| &server.source)) {
            eprintln!("toolpost: {name}:{}: runs a command", source.line);
        }
        for (_, source) in &file.tools {
            eprintln!("toolpost: {name}:{}: brings a tool", source.line);
        }
    }
}

fn file() -> Option<PathBuf> {
    Some(setup::state_folder()?.join("trusted.json"))
}

/// What is wrong with the list, where something is.
pub(crate) fn problem() -> Option<String> {
    let file = file()?;
    let wrong = |why: &dyn std::fmt::Display| format!("`{}`: {why}", file.display());
    match fs::read(&file) {
        Ok(bytes) => {
            let read = serde_json::from_slice::<Trusted>(&bytes);
            read.err().map(|error| wrong(&error))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(wrong(&error)),
    }
}

/// A list that cannot be read trusts nothing.
fn load(file: &Path) -> Trusted {
    fs::read(file)
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}
