//! Walks a document and keeps every mistake with its line.

use std::ops::Range;
use std::sync::Arc;

use toml::de::DeTable;
use toolpost_core::contract::nearest;

use super::{Settings, SettingsError, permissions, sections};
use crate::layer::{Layer, Source};

/// A text with what is wrong in it.
pub(super) struct Reader<'t> {
    text: &'t str,
    file: Arc<str>,
    layer: Layer,
    errors: Vec<SettingsError>,
}

const SECTIONS: [&str; 6] = [
    "permissions",
    "limits",
    "journal",
    "hooks",
    "servers",
    "tool",
];

impl<'t> Reader<'t> {
    pub(super) fn new(text: &'t str, file: Arc<str>, layer: Layer) -> Self {
        Self {
            text,
            file,
            layer,
            errors: Vec::new(),
        }
    }

    pub(super) const fn layer(&self) -> Layer {
        self.layer
    }

    pub(super) fn into_errors(self) -> Vec<SettingsError> {
        self.errors
    }

    pub(super) fn read(&mut self, settings: &mut Settings) {
        // What can be read of a broken document still counts: its deny rules above all.
        let (document, errors) = DeTable::parse_recoverable(self.text);
        for error in errors {
            let span = error.span().unwrap_or_default();
            self.wrong(
                span,
                format!("this is no TOML: {}", one_line(error.message())),
            );
        }
        let table = document.get_ref();
        self.known(table, &SECTIONS, "");
        permissions::read(self, table, &mut settings.permissions);
        sections::read(self, table, settings);
    }

    /// The place of a span.
    pub(super) fn place(&self, span: &Range<usize>) -> Source {
        let before = self.text.as_bytes().get(..span.start).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        Source::new(self.layer, Arc::clone(&self.file), line)
    }

    pub(super) fn wrong(&mut self, span: Range<usize>, problem: String) {
        let source_place = self.place(&span);
        self.errors.push(SettingsError {
            source_place,
            problem,
        });
    }

    /// Complains of every key that is not one of `known`.
    pub(super) fn known(&mut self, table: &DeTable<'_>, known: &[&str], within: &str) {
        for key in table.keys() {
            let name = key.get_ref();
            if known.contains(&name.as_ref()) {
                continue;
            }
            let hint = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("use {}", list(known)),
            };
            let name = name.escape_debug();
            self.wrong(key.span(), format!("unknown key `{within}{name}`; {hint}"));
        }
    }

    /// The table under a key, if it is there and is one.
    pub(super) fn table<'a, 'i>(
        &mut self,
        table: &'a DeTable<'i>,
        key: &str,
        name: &str,
    ) -> Option<&'a DeTable<'i>> {
        let item = table.get(key)?;
        let inner = item.get_ref().as_table();
        if inner.is_none() {
            self.wrong(
                item.span(),
                format!("`{name}` is a table; write `[{name}]`"),
            );
        }
        inner
    }

    /// The tables of a list under a key, each with its span.
    pub(super) fn tables<'a, 'i>(
        &mut self,
        table: &'a DeTable<'i>,
        key: &str,
        name: &str,
    ) -> Vec<(&'a DeTable<'i>, Range<usize>)> {
        let Some(item) = table.get(key) else {
            return Vec::new();
        };
        let Some(items) = item.get_ref().as_array() else {
            self.wrong(
                item.span(),
                format!("`{name}` is a list of tables; write `[[{name}]]`"),
            );
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(inner) => found.push((inner, item.span())),
                None => self.wrong(
                    item.span(),
                    format!("`{name}` is a list of tables; write `[[{name}]]`"),
                ),
            }
        }
        found
    }

    /// The texts of a list, each with its span. Each that is no text is a mistake of its own.
    pub(super) fn texts(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        name: &str,
    ) -> Vec<(String, Range<usize>)> {
        let Some(item) = table.get(key) else {
            return Vec::new();
        };
        let Some(items) = item.get_ref().as_array() else {
            self.wrong(
                item.span(),
                format!("`{name}` is a list of texts; write `{key} = [\"…\"]`"),
            );
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_str() {
                Some(text) => found.push((text.to_owned(), item.span())),
                None => {
                    let kind = item.get_ref().type_str();
                    self.wrong(
                        item.span(),
                        format!(
                            "`{name}` is a list of texts, and this is {kind}; put it in quotes"
                        ),
                    );
                }
            }
        }
        found
    }

    /// A text under a key.
    pub(super) fn text(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        name: &str,
    ) -> Option<(String, Range<usize>)> {
        let item = table.get(key)?;
        let text = item.get_ref().as_str();
        if text.is_none() {
            let kind = item.get_ref().type_str();
            self.wrong(
                item.span(),
                format!("`{name}` is a text, and this is {kind}; put it in quotes"),
            );
        }
        text.map(|text| (text.to_owned(), item.span()))
    }

    /// A truth under a key; false when left out.
    pub(super) fn truth(&mut self, table: &DeTable<'_>, key: &str, name: &str) -> bool {
        let Some(item) = table.get(key) else {
            return false;
        };
        let truth = item.get_ref().as_bool();
        if truth.is_none() {
            self.wrong(item.span(), format!("`{name}` is `true` or `false`"));
        }
        truth.unwrap_or_default()
    }
}

fn list(known: &[&str]) -> String {
    let quoted: Vec<String> = known.iter().map(|key| format!("`{key}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
