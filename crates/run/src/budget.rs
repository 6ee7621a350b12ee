//! How long a result may be, and where longer ones go.
//!
//! The limit is the same for all tools. Over it, the whole result goes to a file, and the model
//! gets its head and tail, an exact count of what was left out, and how to read the rest.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolpost_core::{Content, Outcome};

#[cfg(test)]
mod tests;

/// Limits of results, in characters.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Of one call.
    pub call_chars: usize,
    /// Of all calls of one batch together.
    pub batch_chars: usize,
    /// Where longer results go; without one, what is over the limit is lost, and the model is told.
    pub spill_folder: Option<PathBuf>,
    /// Numbers the spill files, so that no two calls share one.
    count: Arc<AtomicU64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Budget {
    /// The usual limits, 50,000 characters a call and 200,000 a batch, with a folder for more.
    pub fn new(spill_folder: Option<PathBuf>) -> Self {
        Self {
            call_chars: 50_000,
            batch_chars: 200_000,
            spill_folder,
            count: Arc::default(),
        }
    }

    /// The outcome within the limit of one call: the tool's own, where it has one.
    pub(crate) fn fit(&self, mut outcome: Outcome, of_tool: Option<usize>) -> Outcome {
        let limit = of_tool.unwrap_or(self.call_chars);
        self.fit_structured(&mut outcome, limit);
        self.fit_error(&mut outcome);
        self.fit_text(outcome, limit)
    }

    fn fit_text(&self, mut outcome: Outcome, limit: usize) -> Outcome {
        if text_chars(&outcome) <= limit {
            return outcome;
        }
        let texts: Vec<&str> = outcome
            .content
            .iter()
            .filter_map(Content::as_text)
            .collect();
        let whole = texts.join("\n");
        let place = self.spill(&outcome, "txt", &whole);
        let short = head_and_tail(&whole, limit, &place);
        let others = outcome
            .content
            .drain(..)
            .filter(|block| block.as_text().is_none());
        outcome.content = std::iter::once(Content::text(short))
            .chain(others)
            .collect();
        outcome
    }

    /// Structured output cannot be cut and still fit its schema, so it goes whole or not at all.
    fn fit_structured(&self, outcome: &mut Outcome, limit: usize) {
        let Some(json) = outcome.structured.as_ref().map(ToString::to_string) else {
            return;
        };
        if json.len() > limit {
            let place = self.spill(outcome, "json", &json);
            outcome.structured = None;
            let bytes = json.len();
            let note = format!("[the structured result of {bytes} bytes is left out; {place}]");
            outcome.content.push(Content::text(note));
        }
    }

    fn fit_error(&self, outcome: &mut Outcome) {
        let long = |message: &String| message.chars().count() > self.call_chars;
        let Some(message) = outcome.error.as_ref().map(|error| error.message.clone()) else {
            return;
        };
        if long(&message) {
            let place = self.spill(outcome, "txt", &message);
            if let Some(error) = &mut outcome.error {
                error.message = head_and_tail(&message, self.call_chars, &place);
            }
        }
    }

    /// Keeps the whole result, and says where it is.
    fn spill(&self, outcome: &Outcome, ending: &str, whole: &str) -> String {
        let Some(folder) = &self.spill_folder else {
            return "it was not kept: ask for less at a time".to_owned();
        };
        let id = outcome.id.as_deref().unwrap_or("call");
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(
            "{}-{}-{number}.{ending}",
            file_name(id),
            std::process::id()
        ));
        match write(folder, &path, whole) {
            Ok(()) => format!("the whole is in `{}`: read it by pages", path.display()),
            Err(_) => "it could not be kept: ask for less at a time".to_owned(),
        }
    }
}

/// What the outcomes of one batch may still use.
#[derive(Debug)]
pub struct BatchBudget {
    budget: Budget,
    left: usize,
}

impl BatchBudget {
    pub(crate) fn new(budget: Budget) -> Self {
        let left = budget.batch_chars;
        Self { budget, left }
    }

    /// The next outcome of the batch, in program order, within what is left. The first was held
    /// to its own limit already.
    pub fn fit(&mut self, outcome: Outcome) -> Outcome {
        let is_first = self.left == self.budget.batch_chars;
        let outcome = if is_first {
            outcome
        } else {
            self.budget.fit_text(outcome, self.left)
        };
        self.left = self.left.saturating_sub(text_chars(&outcome));
        outcome
    }
}

fn text_chars(outcome: &Outcome) -> usize {
    outcome
        .content
        .iter()
        .filter_map(Content::as_text)
        .map(|text| text.chars().count())
        .sum()
}

/// Three parts head and one part tail, each ending at a line where one is near.
fn head_and_tail(whole: &str, limit: usize, place: &str) -> String {
    let total = whole.chars().count();
    let head_chars = limit / 4 * 3;
    let tail_chars = limit - head_chars;
    let head_end = byte_of_char(whole, head_chars);
    let tail_start = byte_of_char(whole, total.saturating_sub(tail_chars)).max(head_end);
    let head = whole.get(..head_end).unwrap_or_default();
    let tail = whole.get(tail_start..).unwrap_or_default();
    let head = head.rsplit_once('\n').map_or(head, |(lines, _)| lines);
    let tail = tail.split_once('\n').map_or(tail, |(_, lines)| lines);
    let kept = head.chars().count() + tail.chars().count();
    let left_out = total.saturating_sub(kept);
    let middle = whole
        .get(head.len()..whole.len().saturating_sub(tail.len()))
        .unwrap_or_default();
    let lines = middle.matches('\n').count();
    format!(
        "{head}\n[… {left_out} characters ({lines} line ends) left out of {total}; {place} …]\n{tail}"
    )
}

fn byte_of_char(text: &str, index: usize) -> usize {
    text.char_indices()
        .nth(index)
        .map_or(text.len(), |(at, _)| at)
}

fn file_name(id: &str) -> String {
    id.chars()
        .take(64)
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect()
}

fn write(folder: &Path, path: &Path, whole: &str) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(path, whole)
}
