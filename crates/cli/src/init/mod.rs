//! `toolpost init`: settings to begin with, for the project that is found or from another tool's.
//!
//! What is written is loaded first, with its own tests: a file that would not load is never left
//! behind. An existing file is left alone.

mod claude;
mod project;

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use toolpost_policy::{Layer, RulePolicy, Settings};
use toolpost_tools::HostDisk;

use crate::args::{Common, From, Init};
use crate::exit::{self, usage};
use crate::setup;

/// A file to write, from the root.
struct Draft {
    name: &'static str,
    layer: Layer,
    text: String,
}

pub(crate) fn init(common: &Common, init: &Init) -> anyhow::Result<u8> {
    let root = setup::root(common)?;
    let (drafts, not_carried) = match init.from {
        None => (vec![project::draft(&root)], Vec::new()),
        Some(From::Claude) => claude::drafts(&root)?,
    };
    for draft in &drafts {
        check(draft, &root)?;
        if !init.print && root.join(draft.name).symlink_metadata().is_ok() {
            return Err(usage(format!(
                "`{}` is there already and was left alone; `toolpost init --print` shows what would be written",
                draft.name
            )));
        }
    }
    for draft in &drafts {
        if init.print {
            print!("{}", draft.text);
            continue;
        }
        write(draft, &root).with_context(|| format!("cannot write `{}`", draft.name))?;
        if common.json {
            println!("{}", serde_json::json!({ "v": 1, "written": draft.name }));
        } else {
            println!("wrote {}", draft.name);
        }
    }
    for what in &not_carried {
        eprintln!("toolpost: not carried over: {what}");
    }
    if !common.quiet && !init.print {
        eprintln!(
            "toolpost: read it, then `toolpost policy check`; `toolpost trust` lets its allow rules count"
        );
    }
    Ok(exit::DONE)
}

fn check(draft: &Draft, root: &Path) -> anyhow::Result<()> {
    let settings = Settings::parse(&draft.text, draft.name, draft.layer);
    let disk = Arc::new(HostDisk::new(root, setup::folder_of("HOME")));
    let policy = RulePolicy::builder(root, disk)
        .trusted(true)
        .settings(settings)
        .build();
    match policy.load_errors().first() {
        None => Ok(()),
        Some(error) => Err(anyhow::anyhow!(
            "what would be written does not load, so nothing was: {error}"
        )),
    }
}

/// Made new, so that a file that came meanwhile is not written over.
fn write(draft: &Draft, root: &Path) -> std::io::Result<()> {
    let path = root.join(draft.name);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)?;
    let written = file
        .write_all(draft.text.as_bytes())
        .and_then(|()| file.sync_all());
    if written.is_err() {
        // The first error is the one that counts.
        let _ = std::fs::remove_file(&path);
    }
    written
}

/// The text of a file; nothing if it is not there.
fn read(path: &Path) -> anyhow::Result<Option<String>> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(usage(format!("cannot read `{}`: {error}", path.display()))),
    }
}

/// A list of texts in TOML, one on a line.
fn list(key: &str, items: &[String], indent: &str) -> String {
    let mut text = format!("{key} = [\n");
    for item in items {
        let quoted = toml_edit::Value::from(item.as_str());
        text.push_str(&format!("{indent}{},\n", quoted.to_string().trim()));
    }
    text.push_str("]\n");
    text
}

#[cfg(test)]
mod tests;
