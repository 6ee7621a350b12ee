//! The text of an outcome as a model reads it, the same for every provider.

use serde_json::Value;

use super::{Outcome, Status};
use crate::content::Content;

impl Outcome {
    /// The blocks that a model reads: the result, or what went wrong; and what was mended in the
    /// arguments, so that the model can write them right the next time.
    pub fn model_content(&self) -> Vec<Content> {
        let mut blocks = self.content.clone();
        if let Some(error) = &self.error {
            blocks.push(Content::text(&error.message));
        }
        if blocks.is_empty() {
            blocks.push(Content::text(self.bare_text()));
        }
        if !self.repairs.is_empty() {
            blocks.push(Content::text(self.repair_note()));
        }
        blocks
    }

    /// The text blocks of [`Outcome::model_content`] in one string.
    pub fn model_text(&self) -> String {
        let blocks = self.model_content();
        let texts: Vec<&str> = blocks.iter().filter_map(Content::as_text).collect();
        texts.join("\n")
    }

    fn bare_text(&self) -> &'static str {
        match self.status {
            Status::Planned => "would run",
            Status::Pending => "waits for a person's answer",
            _ => "(no output)",
        }
    }

    fn repair_note(&self) -> String {
        let mut note = String::from("note: the arguments were mended before the call:");
        for repair in &self.repairs {
            let place = if repair.pointer.is_empty() {
                "all of it"
            } else {
                &repair.pointer
            };
            let change = match &repair.to {
                Some(value) => format!("{} was taken as {}", repair.from, wording(value)),
                None => format!("{} was taken as left out", repair.from),
            };
            note.push_str(&format!("\n- {place}: {change}"));
        }
        note
    }
}

/// Short, so that a note never repeats a long input.
fn wording(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}
