//! Changes of a notebook's cells, as splices of its text.
//!
//! What is put in looks like what is there: the white space round new entries is copied from
//! their neighbours.

use std::ops::Range;

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::{Cell, Notebook};
use crate::draft::Splice;

/// White space as Jupyter writes it, where there is nothing to copy from.
const USUAL_STEP: &str = " ";

/// What a new cell is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewCell<'a> {
    pub(crate) kind: &'a str,
    pub(crate) source: &'a str,
}

impl Notebook<'_> {
    /// Gives a cell another source, another kind, or both. What a run of code had put out is
    /// taken away with the code.
    pub(crate) fn replace(
        &self,
        index: usize,
        source: Option<&str>,
        kind: Option<&str>,
    ) -> Vec<Splice> {
        let Some(cell) = self.cells.get(index) else {
            return Vec::new();
        };
        let old_kind = cell.kind();
        let kind = kind.unwrap_or(&old_kind);
        let source = source.filter(|source| *source != cell.source());
        if kind == old_kind && source.is_none() {
            return Vec::new();
        }
        let style = self.style(cell);
        let mut edit = CellEdit {
            text: self.text,
            cell,
            style: &style,
            splices: Vec::new(),
            added: String::new(),
        };
        if let Some(source) = source {
            let is_string = cell
                .object
                .get("source")
                .is_some_and(|source| source.get().starts_with('"'));
            let new = if is_string {
                quoted(source)
            } else {
                lines(source, &style)
            };
            edit.set("source", &new);
        }
        if kind != old_kind {
            edit.set("cell_type", &quoted(kind));
        }
        match kind {
            "code" => {
                edit.set("execution_count", "null");
                edit.set("outputs", "[]");
            }
            "markdown" | "raw" => edit.remove(&["execution_count", "outputs"]),
            _ => {}
        }
        edit.finish()
    }

    /// Puts a new cell before the one at `index`, or after the last. Gives its id as well, where
    /// notebooks of this version have ids.
    pub(crate) fn insert(&self, index: usize, new: NewCell<'_>) -> (Vec<Splice>, Option<String>) {
        let has_ids = self.version >= (4, 5);
        let id = has_ids.then(|| self.free_id(index, new.source));
        let near = index
            .checked_sub(1)
            .and_then(|before| self.cells.get(before));
        let near = near.or_else(|| self.cells.first());
        let style = match near {
            Some(near) => self.style(near),
            None => self.style_of_empty(),
        };
        let text = new_cell(new, id.as_deref(), &style);
        let (at, with) = match (index.checked_sub(1), near) {
            (Some(before), Some(_)) => {
                let end = self.place(before).end;
                (end..end, format!(",{}{text}", style.between))
            }
            (None, Some(first)) => {
                let start = first.object.place.start;
                (start..start, format!("{text},{}", style.between))
            }
            _ => {
                let inner = self.list.start + 1..self.list.end.saturating_sub(1);
                (inner, format!("{}{text}{}", style.between, style.closing))
            }
        };
        let splice = Splice {
            range: at,
            with: with.into_bytes(),
        };
        (vec![splice], id)
    }

    /// Takes a cell out.
    pub(crate) fn delete(&self, index: usize) -> Vec<Splice> {
        let place = self.place(index);
        let range = match (index.checked_sub(1), index + 1 < self.cells.len()) {
            (Some(before), _) => self.place(before).end..place.end,
            (None, true) => place.start..self.place(index + 1).start,
            (None, false) => self.list.start + 1..self.list.end.saturating_sub(1),
        };
        vec![Splice {
            range,
            with: Vec::new(),
        }]
    }

    fn place(&self, index: usize) -> Range<usize> {
        self.cells
            .get(index)
            .map_or(0..0, |cell| cell.object.place.clone())
    }

    fn space_before(&self, at: usize) -> &str {
        let before = self.text.get(..at).unwrap_or_default();
        before.get(before.trim_end().len()..).unwrap_or_default()
    }

    /// The white space in and round a cell.
    fn style(&self, cell: &Cell<'_>) -> Style {
        let own = &cell.object;
        let between = self.space_before(own.place.start);
        let key = self
            .text
            .get(own.place.start + 1..own.place.end)
            .map_or("", |inner| {
                inner
                    .get(..inner.len() - inner.trim_start().len())
                    .unwrap_or_default()
            });
        let colon = own.entries.first().map_or("", |entry| {
            let before = self.text.get(..entry.place.start).unwrap_or_default();
            let start = before.rfind(':').map_or(before.len(), |colon| colon + 1);
            before.get(start..).unwrap_or_default()
        });
        let closing = self.space_before(own.place.end.saturating_sub(1));
        let step = match (key.strip_prefix(between), key.contains('\n')) {
            (Some(step), true) => step.to_owned(),
            (None, true) => USUAL_STEP.to_owned(),
            (_, false) => String::new(),
        };
        Style {
            between: between.to_owned(),
            key: key.to_owned(),
            colon: colon.to_owned(),
            closing: closing.to_owned(),
            step,
        }
    }

    /// Where there is no cell to copy from: as the list itself stands.
    fn style_of_empty(&self) -> Style {
        let before = self.text.get(..self.list.start).unwrap_or_default();
        let head = before.trim_end().trim_end_matches(':').trim_end();
        // The white space before the key `cells`.
        let key_start = head.rfind("\"cells\"").unwrap_or(0);
        let outer = self.space_before(key_start).to_owned();
        let step = match outer.rfind('\n') {
            Some(line) => outer.get(line + 1..).unwrap_or_default().to_owned(),
            None => String::new(),
        };
        let colon = self.space_before(self.list.start).to_owned();
        Style {
            between: format!("{outer}{step}"),
            key: format!("{outer}{step}{step}"),
            colon,
            closing: outer,
            step,
        }
    }

    /// An id that no cell has; the same for the same notebook and cell.
    fn free_id(&self, index: usize, source: &str) -> String {
        let salt = format!("{index}\n{source}\n{}", self.text);
        let ids: Vec<String> = self.cells.iter().filter_map(Cell::id).collect();
        let mut seed = 0;
        loop {
            let hash = xxh3_64_with_seed(salt.as_bytes(), seed);
            let id = format!("{:08x}", hash >> 32);
            if !ids.contains(&id) {
                return id;
            }
            seed += 1;
        }
    }
}

/// The white space of a notebook.
struct Style {
    /// Before a cell.
    between: String,
    /// Before a key of a cell.
    key: String,
    /// After the colon of a key.
    colon: String,
    /// Before the brace that closes a cell; for a list without cells, before its bracket.
    closing: String,
    /// One level of indentation; empty where all is on one line.
    step: String,
}

struct CellEdit<'e> {
    text: &'e str,
    cell: &'e Cell<'e>,
    style: &'e Style,
    splices: Vec<Splice>,
    /// Entries that are new.
    added: String,
}

impl CellEdit<'_> {
    /// Gives a key this value, and leaves one alone that has it.
    fn set(&mut self, key: &str, value: &str) {
        match self.cell.object.entry(key) {
            Some(entry) if is_same(entry.value.get(), value) => {}
            Some(entry) => self.splices.push(Splice {
                range: entry.place.clone(),
                with: value.as_bytes().to_vec(),
            }),
            None => {
                let Style {
                    key: space, colon, ..
                } = self.style;
                self.added
                    .push_str(&format!(",{space}{}:{colon}{value}", quoted(key)));
            }
        }
    }

    /// Takes entries out, with the commas between them.
    fn remove(&mut self, keys: &[&str]) {
        let entries = &self.cell.object.entries;
        let goes = |entry: &super::object::Entry<'_>| keys.contains(&entry.key.as_str());
        let kept_before = |at: usize| entries.iter().take(at).rposition(|entry| !goes(entry));
        for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| goes(entry)) {
            let range = match kept_before(at) {
                // From the end of the entry before it.
                Some(_) => {
                    let before = entries.get(at - 1).map_or(0, |before| before.place.end);
                    before..entry.place.end
                }
                // Up to the beginning of the entry after it.
                None => {
                    let start = at.checked_sub(1).and_then(|before| entries.get(before));
                    let start = start.map_or(self.cell.object.place.start + 1, |before| {
                        self.after_comma(before.place.end)
                    });
                    start..self.after_comma(entry.place.end)
                }
            };
            self.splices.push(Splice {
                range,
                with: Vec::new(),
            });
        }
    }

    /// The place after the comma that follows here; here, where none does.
    fn after_comma(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let space = rest.len() - rest.trim_start().len();
        match rest.trim_start().starts_with(',') {
            true => at + space + 1,
            false => at,
        }
    }

    fn finish(mut self) -> Vec<Splice> {
        if !self.added.is_empty() {
            let end = self.cell.object.entries.last().map(|last| last.place.end);
            let (at, added) = match end {
                Some(end) => (end, self.added.as_str()),
                None => (
                    self.cell.object.place.start + 1,
                    self.added.strip_prefix(',').unwrap_or(&self.added),
                ),
            };
            self.splices.push(Splice {
                range: at..at,
                with: added.as_bytes().to_vec(),
            });
        }
        self.splices
            .sort_by_key(|splice| (splice.range.start, splice.range.end));
        self.splices
    }
}

fn is_same(old: &str, new: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<Value>(text).ok();
    value(old).is_some() && value(old) == value(new)
}

fn quoted(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// A source as the list of its lines, each with its line end.
fn lines(source: &str, style: &Style) -> String {
    if source.is_empty() {
        return "[]".to_owned();
    }
    let lines: Vec<String> = source.split_inclusive('\n').map(quoted).collect();
    if style.step.is_empty() {
        let comma = if style.colon.is_empty() { "," } else { ", " };
        return format!("[{}]", lines.join(comma));
    }
    let Style { key, step, .. } = style;
    format!("[{key}{step}{}{key}]", lines.join(&format!(",{key}{step}")))
}

/// The text of a new cell, its keys in the order in which Jupyter writes them.
fn new_cell(new: NewCell<'_>, id: Option<&str>, style: &Style) -> String {
    let mut entries = vec![("cell_type", quoted(new.kind))];
    if new.kind == "code" {
        entries.push(("execution_count", "null".to_owned()));
    }
    if let Some(id) = id {
        entries.push(("id", quoted(id)));
    }
    entries.push(("metadata", "{}".to_owned()));
    if new.kind == "code" {
        entries.push(("outputs", "[]".to_owned()));
    }
    entries.push(("source", lines(new.source, style)));
    let Style { key, colon, .. } = style;
    let entries: Vec<String> = entries
        .iter()
        .map(|(name, value)| format!("{key}{}:{colon}{value}", quoted(name)))
        .collect();
    let closing = if style.step.is_empty() {
        String::new()
    } else {
        style.between.clone()
    };
    format!("{{{}{closing}}}", entries.join(","))
}
