//! Outcomes on stdout: for a person, as JSON, or in the form that the call came in.

use std::io::{self, Write};
use std::sync::Arc;

use serde_json::Value;
use toolpost_core::{Content, Outcome, Status};
use toolpost_wire::Message;

use crate::progress::Progress;

/// How outcomes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
    /// In the form that the message came in.
    Reply,
}

/// Writes to stdout, and keeps the lines of progress out of the way.
pub(crate) struct Printer {
    progress: Arc<Progress>,
    style: Style,
    /// Whether stderr gets what only the operator may read.
    is_verbose: bool,
}

impl Printer {
    pub(crate) fn new(progress: Arc<Progress>, style: Style, is_verbose: bool) -> Self {
        Self {
            progress,
            style,
            is_verbose,
        }
    }

    /// Writes one outcome, unless the message is answered as a whole.
    pub(crate) fn outcome(&self, outcome: &Outcome) -> io::Result<()> {
        self.operator_text(outcome);
        match self.style {
            Style::Text => self.write(&for_a_person(outcome)),
            Style::Json => self.json(outcome),
            Style::Reply => Ok(()),
        }
    }

    /// Answers a message as a whole, where that is asked for.
    pub(crate) fn reply(&self, message: &Message, outcomes: &[Outcome]) -> io::Result<()> {
        if self.style != Style::Reply {
            return Ok(());
        }
        message
            .reply(outcomes)
            .iter()
            .try_for_each(|value| self.json(value))
    }

    /// A line that is no message has no form to be answered in, so the person is told.
    pub(crate) fn bad_line(&self, outcome: &Outcome) -> io::Result<()> {
        if self.style == Style::Reply {
            self.progress
                .aside(|| eprintln!("toolpost: {}", visible(&outcome.model_text())));
            return Ok(());
        }
        self.outcome(outcome)
    }

    fn operator_text(&self, outcome: &Outcome) {
        let text = outcome
            .error
            .as_ref()
            .and_then(|error| error.operator_text.as_deref());
        if let (true, Some(text)) = (self.is_verbose, text) {
            let id = outcome.id.as_deref().unwrap_or_default();
            self.progress
                .aside(|| eprintln!("toolpost: {}: {}", plain(id), visible(text)));
        }
    }

    fn json(&self, value: &impl serde::Serialize) -> io::Result<()> {
        let mut line = serde_json::to_string(value)?;
        line.push('\n');
        self.write(&line)
    }

    fn write(&self, text: &str) -> io::Result<()> {
        self.progress.aside(|| {
            let mut out = io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()
        })
    }
}

/// A head line, then what the model reads.
fn for_a_person(outcome: &Outcome) -> String {
    let what = match (&outcome.id, &outcome.name, outcome.line) {
        (Some(id), Some(name), _) => format!("{} {}", plain(id), plain(name)),
        (_, _, Some(line)) => format!("line {line}"),
        _ => "call".to_owned(),
    };
    let mut text = format!("── {what}: {}\n", word(outcome.status));
    for block in outcome.model_content() {
        let block = match block {
            Content::Text { text } => text,
            Content::Image { mime_type, data } => {
                format!("[image, {mime_type}, {} bytes in base64]", data.len())
            }
            Content::Document {
                mime_type, data, ..
            } => {
                format!("[document, {mime_type}, {} bytes in base64]", data.len())
            }
            Content::ResourceLink { uri, name } => format!("{name}: {uri}"),
            _ => "[a block of another kind]".to_owned(),
        };
        text.push_str(&visible(&block));
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    match &outcome.time {
        Some(time) if !time.waits.is_empty() => {
            for wait in &time.waits {
                text.push_str(&plain(&format!("(after {}: {wait})", wait.call)));
                text.push('\n');
            }
        }
        Some(time) if !time.waited_for.is_empty() => {
            text.push_str(&format!("(after {})\n", plain(&time.waited_for.join(", "))));
        }
        _ => {}
    }
    text
}

fn word(status: Status) -> String {
    match serde_json::to_value(status) {
        Ok(Value::String(word)) => word.replace('_', " "),
        _ => format!("{status:?}"),
    }
}

/// Control characters could play tricks on a terminal, so they are shown and not sent.
pub(crate) fn visible(text: &str) -> String {
    if text.chars().all(is_harmless) {
        return text.to_owned();
    }
    text.chars()
        .map(|c| {
            if is_harmless(c) {
                c.to_string()
            } else {
                c.escape_default().to_string()
            }
        })
        .collect()
}

pub(crate) fn plain(text: &str) -> String {
    visible(text).replace('\n', "\\n")
}

/// A text in one line, with everything that cannot be seen as what it is shown as an escape, and
/// nothing else changed. In JSON such an escape cannot be taken for a part of the text.
pub(crate) fn exact(text: &str) -> String {
    text.chars().fold(String::new(), |mut shown, c| {
        if matches!(c, '"' | '\'' | '\\') {
            shown.push(c);
        } else {
            shown.extend(c.escape_debug());
        }
        shown
    })
}

fn is_harmless(c: char) -> bool {
    matches!(c, '\n' | '\t') || !(c.is_control() || is_unseen(c))
}

/// Characters that turn the order of others round, or that nobody sees.
const fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
            | '\u{205f}'..='\u{206f}' | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
    )
}
