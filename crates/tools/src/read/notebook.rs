//! Cells of a notebook.

use serde_json::{Map, Value};
use toolpost_core::{Content, ToolError};

use super::text::{self, Begun, PAGE_BYTES};
use super::{Kind, ReadInput, ReadOutput, Shown, Source};
use crate::bash::printable;
use crate::notebook::{Notebook, joined};
use crate::text::{Coding, Look};
use crate::work::Stop;

#[cfg(feature = "media")]
mod pictures;

#[cfg(feature = "media")]
use pictures::Pictures;

/// Larger files are shown as text, by page.
const MOST_FILE_BYTES: u64 = 64 << 20;
const MOST_OUTPUT_BYTES: usize = 10 * 1024;

/// Shows cells, or the plain text of what is no notebook after all.
pub(super) fn read(
    source: &Source<'_>,
    begun: Begun,
    input: &ReadInput,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    let Look::Text(coding) = begun.look() else {
        return Err(ToolError::new("binary", "the file is no text"));
    };
    if source.metadata.len() > MOST_FILE_BYTES {
        return plain(source, &begun, coding, input, "it is too large", stop);
    }
    let bytes = source.all(begun, MOST_FILE_BYTES)?;
    let text = coding
        .encoding
        .decode(bytes.get(coding.mark_len()..).unwrap_or_default());
    match Notebook::parse(&text) {
        Ok(notebook) => {
            source.saw_whole(&bytes);
            shown(source, &notebook, input, stop)
        }
        Err(why) => plain(source, &Begun::of(bytes), coding, input, &why, stop),
    }
}

fn plain(
    source: &Source<'_>,
    begun: &Begun,
    coding: Coding,
    input: &ReadInput,
    why: &str,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    let mut output = text::read(source, begun, coding, input, stop)?;
    let note =
        format!("[this is no notebook that can be shown as one, so it is shown as text: {why}]");
    output.content.push(Content::text(note));
    Ok(output)
}

fn shown(
    source: &Source<'_>,
    notebook: &Notebook<'_>,
    input: &ReadInput,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    let total = notebook.cells.len() as u64;
    let first = input.offset.unwrap_or(1);
    if first > total.max(1) {
        let cells = if total == 1 { "cell" } else { "cells" };
        let message = format!(
            "`{}` has {total} {cells}, so there is no cell {first}; give an `offset` of at most {total}",
            source.shown
        );
        return Err(ToolError::new("past_end", message));
    }
    let mut page = Page::new(stop);
    let mut count = 0;
    let skip = usize::try_from(first - 1).unwrap_or(usize::MAX);
    for (index, _) in notebook.cells.iter().enumerate().skip(skip) {
        stop.check()?;
        if input.limit.is_some_and(|limit| count >= limit) || page.is_full() {
            break;
        }
        page.cell(notebook, index);
        count += 1;
    }
    let last = first + count.saturating_sub(1);
    let next = (last < total).then_some(last + 1);
    page.put(&match (total, next) {
        (0, _) => "[the notebook has no cells]".to_owned(),
        (_, Some(next)) => {
            format!("[cells {first}-{last} of {total} are shown; go on with offset {next}]")
        }
        (_, None) => format!("[cells {first}-{last} of {total} are shown]"),
    });
    Ok(ReadOutput {
        content: page.into_blocks(),
        cells: Some(Shown {
            first,
            count,
            total,
        }),
        next_offset: next,
        ..source.output(Kind::Notebook)
    })
}

/// What is shown, as blocks of text and pictures.
struct Page<'s> {
    blocks: Vec<Content>,
    /// Of the block that is being written.
    text: String,
    /// Bytes in all blocks before it.
    written: usize,
    pictures: Pictures<'s>,
}

/// All cells, as text, and how many pictures there are.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn text_of(notebook: &Notebook<'_>, stop: &Stop) -> (String, usize) {
    let mut page = Page::new(stop);
    for index in 0..notebook.cells.len() {
        page.cell(notebook, index);
    }
    let blocks = page.into_blocks();
    let texts: Vec<&str> = blocks.iter().filter_map(Content::as_text).collect();
    (texts.join("\n"), blocks.len() - texts.len())
}

impl<'s> Page<'s> {
    fn new(stop: &'s Stop) -> Self {
        Self {
            blocks: Vec::new(),
            text: String::new(),
            written: 0,
            pictures: Pictures::new(stop),
        }
    }

    fn is_full(&self) -> bool {
        self.written + self.text.len() >= PAGE_BYTES
    }

    /// Adds a text, as far as there is room, and a line end.
    fn put(&mut self, text: &str) {
        let room = PAGE_BYTES.saturating_sub(self.written + self.text.len());
        self.text.push_str(&cut(text, room.max(1_024)));
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    fn block(&mut self, block: Content) {
        self.end_text();
        self.blocks.push(block);
    }

    fn end_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.written += text.len();
        if !text.is_empty() {
            self.blocks.push(Content::text(text.trim_end_matches('\n')));
        }
    }

    fn into_blocks(mut self) -> Vec<Content> {
        self.end_text();
        self.blocks
    }

    fn cell(&mut self, notebook: &Notebook<'_>, index: usize) {
        let Some(cell) = notebook.cells.get(index) else {
            return;
        };
        let kind = match cell.kind() {
            kind if kind.is_empty() => "cell of no kind".to_owned(),
            kind => kind,
        };
        let run = match cell.value("execution_count") {
            Some(Value::Number(count)) => format!(", run {count}"),
            _ => String::new(),
        };
        self.put(&format!("--- `{}` ({kind}{run})", notebook.name(index)));
        let source = cell.source();
        if !source.is_empty() {
            self.put(&source);
        }
        if let Some(Value::Object(attached)) = cell.value("attachments") {
            let names: Vec<&str> = attached.keys().map(String::as_str).collect();
            self.put(&format!("[left out: attached {}]", names.join(", ")));
        }
        if let Some(Value::Array(outputs)) = cell.value("outputs") {
            for (number, output) in outputs.iter().enumerate() {
                if self.is_full() {
                    let left = outputs.len() - number;
                    self.put(&format!("[left out: {left} more outputs]"));
                    break;
                }
                self.output(output);
            }
        }
        self.put("\n");
    }

    fn output(&mut self, output: &Value) {
        let field = |key: &str| output.get(key).and_then(joined).unwrap_or_default();
        let kind = field("output_type");
        match kind.as_str() {
            "stream" => {
                self.put(&format!("--- output: {}", field("name")));
                self.output_text(&field("text"));
            }
            "error" => {
                self.put(&format!(
                    "--- output: error {}: {}",
                    field("ename"),
                    field("evalue")
                ));
                if let Some(Value::Array(lines)) = output.get("traceback") {
                    let lines: Vec<&str> = lines.iter().filter_map(Value::as_str).collect();
                    self.output_text(&lines.join("\n"));
                }
            }
            _ => {
                self.put("--- output");
                match output.get("data") {
                    Some(Value::Object(forms)) => self.forms(forms),
                    _ => self.put(&format!("[left out: an output of the kind `{kind}`]")),
                }
            }
        }
    }

    fn output_text(&mut self, text: &str) {
        // The codes of a terminal are taken out first, of no more than could be shown with them.
        let start = prefix(text, 4 * MOST_OUTPUT_BYTES);
        let plain = printable(start.as_bytes());
        let kept = prefix(&plain, MOST_OUTPUT_BYTES);
        let more = plain.len() - kept.len() + text.len() - start.len();
        match more {
            0 => self.put(kept),
            more => self.put(&format!("{kept}… [+{more} bytes]")),
        }
    }

    /// One thing in several forms: a picture, where there is one, else text.
    fn forms(&mut self, forms: &Map<String, Value>) {
        let mut left_out = Vec::new();
        let mut is_shown = false;
        for (mime, form) in forms {
            let text = joined(form).unwrap_or_else(|| form.to_string());
            if mime.starts_with("image/") && mime != "image/svg+xml" {
                match self.pictures.show(&text) {
                    Some(picture) => {
                        self.block(picture);
                        is_shown = true;
                    }
                    None => left_out.push(format!("{mime} of {} bytes", text.len())),
                }
            }
        }
        for kind in [
            "text/plain",
            "text/markdown",
            "application/json",
            "text/html",
        ] {
            if let (Some(form), false) = (forms.get(kind), is_shown) {
                let text = joined(form).unwrap_or_else(|| form.to_string());
                self.output_text(&text);
                is_shown = true;
            }
        }
        if !is_shown {
            left_out.extend(
                forms
                    .keys()
                    .filter(|mime| !mime.starts_with("image/") || *mime == "image/svg+xml")
                    .cloned(),
            );
        }
        if !left_out.is_empty() {
            self.put(&format!("[left out: {}]", left_out.join(", ")));
        }
    }
}

/// Without the feature no picture is shown.
#[cfg(not(feature = "media"))]
struct Pictures<'s>(std::marker::PhantomData<&'s Stop>);

#[cfg(not(feature = "media"))]
impl<'s> Pictures<'s> {
    const fn new(_: &'s Stop) -> Self {
        Self(std::marker::PhantomData)
    }

    const fn show(&mut self, _: &str) -> Option<Content> {
        None
    }
}

/// A text as far as there is room, with a word about the rest.
fn cut(text: &str, most: usize) -> String {
    match prefix(text, most) {
        kept if kept.len() < text.len() => {
            format!("{kept}… [+{} bytes]", text.len() - kept.len())
        }
        _ => text.to_owned(),
    }
}

/// The beginning of a text, cut between two characters.
fn prefix(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}
