//! Tool files: tools of any language, each a definition and a command.
//!
//! A tool file is TOML with `[[tool]]` tables, JSON as `{"tools":[…]}` with the same keys, or a
//! JSON array of definitions as a model provider takes them (Anthropic, OpenAI chat and
//! responses, Gemini, MCP). In the first two an unknown key is an error that names the nearest
//! right one; providers add keys of their own all the time, so in their forms what is not needed
//! is passed over.
//!
//! A definition without a command can be listed, validated and explained; running it fails.

mod claims;
mod duration;
mod entry;
mod lint;
mod provider;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;
use toml::Spanned;

pub use claims::Template;
pub use entry::ToolFileEntry;

/// Why a tool file cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ToolFileError {
    /// The file cannot be read.
    #[error("cannot read the tool file `{}`: {error}", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// The file is neither TOML nor JSON, or says something that cannot be.
    #[error("{place}: {message}")]
    Wrong {
        /// The file and, where it is known, the line.
        place: String,
        /// What is wrong, and what would be right.
        message: String,
    },
}

/// What is wrong with one entry, before it is known where that is.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// The key that it is about.
    key: Option<String>,
    message: String,
}

impl Wrong {
    fn new(key: impl Into<Option<&'static str>>, message: impl Into<String>) -> Self {
        Self {
            key: key.into().map(str::to_owned),
            message: message.into(),
        }
    }
}

/// Reads a tool file from the disk.
///
/// # Errors
///
/// When it cannot be read, or is not a right one.
pub fn load(file: &Path) -> Result<Vec<ToolFileEntry>, ToolFileError> {
    let text = std::fs::read_to_string(file).map_err(|error| ToolFileError::Unreadable {
        file: file.to_path_buf(),
        error,
    })?;
    parse(&text, file)
}

/// Reads the text of a tool file. `file` says where it is from; programs that begin with `./` are
/// taken from its folder.
///
/// # Errors
///
/// When it is not a right one.
pub fn parse(text: &str, file: &Path) -> Result<Vec<ToolFileEntry>, ToolFileError> {
    let is_json = text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[[");
    let is_json = is_json && !text.trim_start().starts_with("[t");
    let source = Source { text, file };
    let mut entries = if is_json {
        source.json()?
    } else {
        source.toml()?
    };
    for entry in &mut entries {
        entry.set_folder(file);
    }
    let mut seen = std::collections::HashSet::new();
    match entries
        .iter()
        .find(|entry| !seen.insert(entry.name.clone()))
    {
        Some(twice) => Err(source.wrong(
            None,
            format!("there are two tools of the name `{}`", twice.name),
        )),
        None => Ok(entries),
    }
}

#[derive(Deserialize)]
struct TomlFile {
    #[serde(default)]
    tool: Vec<Spanned<toml::Table>>,
    #[serde(flatten)]
    rest: toml::Table,
}

struct Source<'a> {
    text: &'a str,
    file: &'a Path,
}

impl Source<'_> {
    fn toml(&self) -> Result<Vec<ToolFileEntry>, ToolFileError> {
        let file: TomlFile = toml::from_str(self.text).map_err(|error| {
            let line = error.span().map(|span| self.line_at(span.start));
            self.wrong(line, error.message().to_owned())
        })?;
        if let Some(key) = file.rest.keys().next() {
            let message = format!("unknown key `{key}`; a tool file has `[[tool]]` tables");
            return Err(self.wrong(self.line_of(key, 0..self.text.len()), message));
        }
        let mut entries = Vec::new();
        for table in file.tool {
            let span = table.span();
            let value = serde_json::to_value(table.into_inner())
                .map_err(|error| self.wrong(None, error.to_string()))?;
            let first = self.line_at(span.start);
            let entry = ToolFileEntry::from_own(value).map_err(|wrong| {
                let end = self
                    .text
                    .get(span.start + 2..)
                    .and_then(|rest| rest.find("[[tool]]"));
                let end = end.map_or(self.text.len(), |end| span.start + 2 + end);
                let line = wrong
                    .key
                    .and_then(|key| self.line_of(&key, span.start..end));
                self.wrong(Some(line.unwrap_or(first)), wrong.message)
            })?;
            entries.push(entry);
        }
        Ok(entries)
    }

    fn json(&self) -> Result<Vec<ToolFileEntry>, ToolFileError> {
        let value: Value = serde_json::from_str(self.text).map_err(|error| {
            let said = error.to_string();
            let said = said
                .split(" at line ")
                .next()
                .unwrap_or_default()
                .to_owned();
            self.wrong(Some(error.line()), said)
        })?;
        let made = match value {
            Value::Array(list) => provider::entries(list),
            Value::Object(mut object) => match object.remove("tools") {
                Some(Value::Array(list)) => match object.keys().next() {
                    // The answer of an MCP server to `tools/list` has some keys beside the tools.
                    Some(key)
                        if !matches!(
                            key.as_str(),
                            "nextCursor" | "_meta" | "ttlMs" | "cacheScope" | "resultType"
                        ) =>
                    {
                        Err(Wrong {
                            key: Some(key.clone()),
                            message: format!("unknown key `{key}`; a tool file has `tools`"),
                        })
                    }
                    _ => provider::own_entries(list),
                },
                Some(_) => Err(Wrong::new("tools", "`tools` must be a list")),
                None => provider::entries(vec![Value::Object(object)]),
            },
            _ => Err(Wrong::new(
                None,
                "a tool file is a list of definitions, or has the key `tools`",
            )),
        };
        made.map_err(|wrong| {
            let quoted = wrong.key.map(|key| format!("\"{key}\""));
            let at = quoted.and_then(|key| self.text.find(&key));
            self.wrong(at.map(|at| self.line_at(at)), wrong.message)
        })
    }

    fn line_at(&self, at: usize) -> usize {
        1 + self
            .text
            .get(..at)
            .unwrap_or_default()
            .matches('\n')
            .count()
    }

    /// The line on which a TOML key is set, within a part of the text.
    fn line_of(&self, key: &str, part: std::ops::Range<usize>) -> Option<usize> {
        let first = self.line_at(part.start);
        let lines = self.text.get(part)?.lines();
        let sets = |line: &str| {
            let line = line.trim_start().trim_start_matches(['[', '"']);
            let rest = line.strip_prefix(key)?;
            rest.trim_start_matches('"')
                .trim_start()
                .starts_with(['=', '.', ']'])
                .then_some(())
        };
        lines
            .enumerate()
            .find_map(|(count, line)| sets(line).map(|()| first + count))
    }

    fn wrong(&self, line: Option<usize>, message: String) -> ToolFileError {
        let file = self.file.display();
        let place = line.map_or_else(|| file.to_string(), |line| format!("{file}:{line}"));
        ToolFileError::Wrong { place, message }
    }
}
