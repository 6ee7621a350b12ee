//! The file that rules for always are put into: the workspace's local settings.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml_edit::{Array, DocumentMut, Item, Table};
use toolpost_core::Verdict;
use toolpost_policy::{Layer, Rule, Settings, Source};

use crate::replace::replace;

/// `.toolpost/local.toml` of a workspace that is trusted.
pub(crate) struct RuleFile(PathBuf);

const NAME: &str = ".toolpost/local.toml";

impl RuleFile {
    pub(crate) fn of(root: &Path) -> Self {
        Self(root.join(NAME))
    }

    /// Adds allow rules, and gives them back as rules. What else is in the file stays as it is.
    pub(super) fn add(&self, texts: &[String]) -> Result<Vec<Rule>, String> {
        let old = match fs::read_to_string(&self.0) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(format!("cannot read `{NAME}`: {error}")),
        };
        let new = with_rules(&old, texts)?;
        // What we write must load, or it would close the door on everything.
        let errors = Settings::parse(&new, NAME, Layer::Local).errors;
        if let Some(error) = errors.first() {
            return Err(format!(
                "not stored, since `{NAME}` would not load: {error}"
            ));
        }
        replace(&self.0, new.as_bytes())
            .map_err(|error| format!("cannot write `{NAME}`: {error}"))?;
        let source = || Source::new(Layer::Local, NAME, 0);
        texts
            .iter()
            .map(|text| Rule::parse(text, Verdict::Allow, source()).map_err(|error| error.problem))
            .collect()
    }
}

fn with_rules(old: &str, texts: &[String]) -> Result<String, String> {
    let mut document: DocumentMut = old
        .parse()
        .map_err(|error| format!("`{NAME}` is no TOML, so nothing was stored: {error}"))?;
    let permissions = document
        .entry("permissions")
        .or_insert(Item::Table(Table::new()))
        .as_table_like_mut()
        .ok_or_else(|| format!("`permissions` in `{NAME}` is no table, so nothing was stored"))?;
    let allow = permissions
        .entry("allow")
        .or_insert(Item::Value(Array::new().into()))
        .as_array_mut()
        .ok_or_else(|| format!("`allow` in `{NAME}` is no list, so nothing was stored"))?;
    for text in texts {
        if !allow.iter().any(|rule| rule.as_str() == Some(text)) {
            allow.push(text.as_str());
        }
    }
    Ok(document.to_string())
}
