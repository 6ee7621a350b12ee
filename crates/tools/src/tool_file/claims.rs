//! Templates of claims: what a command touches, told with fields of its input in braces.
//!
//! `fs/{file}` is one file, `fs/{folder}/**` a folder with all below it, `net/{host}` a node of
//! another tree. A field that is a list gives one claim for each of its items; one that is missing
//! claims everything. What a field holds is a name and never a pattern.

use std::path::PathBuf;

use serde_json::Value;
use toolpost_core::{Access, Facts, Footprint, Scope, Subject};

/// More claims than this are taken as one of everything.
const MOST: usize = 10_000;

/// One claim with fields in braces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
    is_deep: bool,
    is_file: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Field(String),
}

impl Template {
    /// Reads a template such as `fs/{file}` or `fs/src/**`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (rest, is_deep) = match text.strip_suffix("/**") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let (rest, is_file) = match rest.strip_prefix("fs/") {
            Some(rest) => (rest, true),
            None => (if rest == "fs" { "." } else { rest }, rest == "fs"),
        };
        let mut parts = Vec::new();
        let mut rest = rest;
        while let Some((before, after)) = rest.split_once('{') {
            let (field, after) = after
                .split_once('}')
                .ok_or_else(|| format!("`{text}` has a `{{` without a `}}`"))?;
            if field.is_empty() {
                return Err(format!("`{text}` has braces without a field in them"));
            }
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Field(field.to_owned()));
            rest = after;
        }
        if rest.contains('}') {
            return Err(format!("`{text}` has a `}}` without a `{{`"));
        }
        parts.push(Part::Text(rest.to_owned()));
        parts.retain(|part| *part != Part::Text(String::new()));
        if parts.is_empty() {
            return Err(
                "a claim cannot be empty; leave it out, or name a resource such as `fs/{file}`"
                    .to_owned(),
            );
        }
        Ok(Self {
            parts,
            is_deep,
            is_file,
        })
    }

    /// The names of its fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field(field) => Some(field.as_str()),
            Part::Text(_) => None,
        })
    }

    /// The names that it stands for with this input; nothing when that cannot be told.
    fn names(&self, input: &Value) -> Option<Vec<String>> {
        let mut names = vec![String::new()];
        for part in &self.parts {
            let more = match part {
                Part::Text(text) => vec![text.clone()],
                Part::Field(field) => items(input.get(field)?)?,
            };
            if names.len().saturating_mul(more.len()) > MOST {
                return None;
            }
            names = names
                .iter()
                .flat_map(|name| more.iter().map(move |more| format!("{name}{more}")))
                .collect();
        }
        Some(names)
    }

    fn scopes(&self, name: &str, facts: &Facts) -> Vec<Scope> {
        let files = || facts.resolved(name.as_ref());
        match (self.is_file, self.is_deep) {
            (true, true) => files().iter().map(|path| Scope::tree(path)).collect(),
            (true, false) => files().iter().map(|path| Scope::file(path)).collect(),
            (false, true) => vec![Scope::deep(name.trim_matches('/').to_owned())],
            (false, false) => vec![Scope::node(name.trim_matches('/').to_owned())],
        }
    }
}

/// What a field holds, as names: a text, a number, or a list of them.
fn items(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(vec![text.clone()]),
        Value::Number(number) => Some(vec![number.to_string()]),
        Value::Bool(is) => Some(vec![is.to_string()]),
        Value::Array(list) => {
            let items: Option<Vec<Vec<String>>> = list.iter().map(items).collect();
            items.map(|items| items.concat())
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// What a command claims: the two lists of an entry, each with what it does there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Claims {
    pub(crate) reads: Option<Vec<Template>>,
    pub(crate) writes: Option<Vec<Template>>,
}

impl Claims {
    fn all(&self) -> impl Iterator<Item = (Access, &Template)> {
        let reads = self
            .reads
            .iter()
            .flatten()
            .map(|template| (Access::Read, template));
        let writes = self
            .writes
            .iter()
            .flatten()
            .map(|template| (Access::Write, template));
        reads.chain(writes)
    }

    /// What a call with this input touches.
    pub(crate) fn footprint(&self, input: &Value, facts: &Facts) -> Footprint {
        if self.reads.is_none() && self.writes.is_none() {
            return Footprint::Everything;
        }
        let mut footprint = Footprint::nothing();
        for (access, template) in self.all() {
            let Some(names) = template.names(input) else {
                return Footprint::Everything;
            };
            let scopes = names.iter().flat_map(|name| template.scopes(name, facts));
            for scope in scopes {
                footprint = match access {
                    Access::Read => footprint.reading(scope),
                    Access::Write => footprint.writing(scope),
                };
            }
        }
        footprint
    }

    /// The files and folders that rules can be about.
    pub(crate) fn subjects(&self, input: &Value) -> Vec<Subject> {
        let files = self.all().filter(|(_, template)| template.is_file);
        files
            .flat_map(|(access, template)| {
                let names = template.names(input).unwrap_or_default();
                names.into_iter().map(move |name| Subject::Path {
                    path: PathBuf::from(name),
                    access,
                })
            })
            .collect()
    }
}
