//! The text of a patch, read into what it asks for. Nothing is looked up here.

use std::path::PathBuf;
use std::str::Lines;

#[cfg(test)]
mod tests;

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const ADD: &str = "*** Add File:";
const UPDATE: &str = "*** Update File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// What a patch asks of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Section {
    /// The line of the patch that names the file, counted from 1.
    pub(crate) line: usize,
    pub(crate) path: PathBuf,
    pub(crate) action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Action {
    /// Make it, with this text.
    Add(String),
    Delete,
    Update {
        move_to: Option<PathBuf>,
        hunks: Vec<Hunk>,
    },
}

/// Lines to find, and what is to become of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Hunk {
    /// The line of the patch that it begins at.
    pub(crate) line: usize,
    /// Lines that stand before it in the file, outermost first.
    pub(crate) anchors: Vec<String>,
    pub(crate) lines: Vec<(Sign, String)>,
    /// Whether it ends where the file ends.
    pub(crate) is_at_end: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Keep,
    Remove,
    Add,
}

impl Hunk {
    /// The lines that must be in the file: those that stay and those that go.
    pub(crate) fn old_lines(&self) -> impl Iterator<Item = &str> {
        self.lines
            .iter()
            .filter(|(sign, _)| *sign != Sign::Add)
            .map(|(_, text)| text.as_str())
    }

    fn is_begun(&self) -> bool {
        !self.anchors.is_empty() || !self.lines.is_empty()
    }
}

/// Where a text is no patch, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl Fault {
    fn new(line: usize, message: impl Into<String>) -> Self {
        Self {
            line,
            message: message.into(),
        }
    }
}

/// Reads a patch.
pub(crate) fn parse(text: &str) -> Result<Vec<Section>, Fault> {
    let mut reader = Reader {
        lines: text.lines(),
        number: 0,
        next: None,
    };
    reader.advance();
    while reader.next.is_some_and(|line| line.trim().is_empty()) {
        reader.advance();
    }
    match reader.next {
        Some(line) if line.trim() == BEGIN => reader.advance(),
        _ => return Err(reader.fault(format!("a patch begins with `{BEGIN}`"))),
    }
    let mut sections = Vec::new();
    loop {
        let Some(line) = reader.next else {
            let message = format!("the patch ends without `{END}`, so a part may be missing");
            return Err(reader.fault(message));
        };
        let head = line.trim();
        if head == END {
            break;
        }
        if head.is_empty() {
            reader.advance();
            continue;
        }
        sections.push(reader.section(head)?);
    }
    reader.advance();
    while let Some(line) = reader.next {
        if !line.trim().is_empty() {
            return Err(reader.fault(format!("there is text after `{END}`; leave it out")));
        }
        reader.advance();
    }
    if sections.is_empty() {
        return Err(Fault::new(1, "the patch names no file"));
    }
    Ok(sections)
}

struct Reader<'a> {
    lines: Lines<'a>,
    /// Of the line that is next, counted from 1.
    number: usize,
    next: Option<&'a str>,
}

impl<'a> Reader<'a> {
    fn advance(&mut self) {
        self.number += 1;
        self.next = self.lines.next();
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.number, message)
    }

    /// The path after a keyword of the line that is next.
    fn path(&mut self, rest: &str) -> Result<PathBuf, Fault> {
        let path = rest.trim();
        if path.is_empty() {
            return Err(self.fault("a path is missing"));
        }
        if path.contains('\0') {
            return Err(self.fault("a path has no NUL character"));
        }
        self.advance();
        Ok(path.into())
    }

    fn section(&mut self, head: &str) -> Result<Section, Fault> {
        let line = self.number;
        let (path, action) = if let Some(rest) = head.strip_prefix(ADD) {
            (self.path(rest)?, Action::Add(self.new_text()?))
        } else if let Some(rest) = head.strip_prefix(DELETE) {
            (self.path(rest)?, Action::Delete)
        } else if let Some(rest) = head.strip_prefix(UPDATE) {
            let path = self.path(rest)?;
            let move_to = match self.next.and_then(|next| next.trim().strip_prefix(MOVE)) {
                Some(rest) => Some(self.path(rest)?),
                None => None,
            };
            let hunks = self.hunks()?;
            if hunks.is_empty() && move_to.is_none() {
                let message =
                    "nothing is asked of this file: give it a hunk, or a `*** Move to:` line";
                return Err(Fault::new(line, message));
            }
            (path, Action::Update { move_to, hunks })
        } else {
            let message = format!(
                "`{ADD}`, `{UPDATE}`, `{DELETE}` or `{END}` should be here, each with one path"
            );
            return Err(self.fault(message));
        };
        Ok(Section { line, path, action })
    }

    /// The lines of a new file.
    fn new_text(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        while let Some(line) = self.next {
            if let Some(line) = line.strip_prefix('+') {
                text.push_str(line);
                text.push('\n');
            } else if line.starts_with("***") {
                break;
            } else if !line.is_empty() || !self.is_last_of_section() {
                return Err(self.fault("each line of a new file begins with `+`"));
            }
            self.advance();
        }
        Ok(text)
    }

    /// Whether only empty lines follow in this section.
    fn is_last_of_section(&self) -> bool {
        let mut rest = self.lines.clone();
        rest.find(|line| !line.is_empty())
            .is_none_or(|line| line.starts_with("***"))
    }

    fn hunks(&mut self) -> Result<Vec<Hunk>, Fault> {
        let mut hunks = Vec::new();
        let mut hunk = Hunk::default();
        while let Some(line) = self.next {
            if line.trim_end() == END_OF_FILE {
                if !hunk.is_begun() {
                    return Err(self.fault(format!("`{END_OF_FILE}` stands after a hunk")));
                }
                hunk.is_at_end = true;
                self.close(&mut hunks, &mut hunk)?;
            } else if line.starts_with("***") {
                break;
            } else if let Some(rest) = line.strip_prefix("@@") {
                // Several anchors one after the other narrow the place down.
                if !hunk.lines.is_empty() {
                    self.close(&mut hunks, &mut hunk)?;
                }
                if !hunk.is_begun() {
                    hunk.line = self.number;
                }
                hunk.anchors.extend(anchor(rest));
            } else {
                let signed = match (line.chars().next(), line.get(1..)) {
                    (Some(' '), Some(text)) => (Sign::Keep, text),
                    (Some('-'), Some(text)) => (Sign::Remove, text),
                    (Some('+'), Some(text)) => (Sign::Add, text),
                    // Empty lines at the end of a section belong to nothing.
                    (None, _) if self.is_last_of_section() => {
                        self.advance();
                        continue;
                    }
                    (None, _) => (Sign::Keep, ""),
                    _ => {
                        let message = "a line of a hunk begins with a space, `-`, `+` or `@@`";
                        return Err(self.fault(message));
                    }
                };
                if !hunk.is_begun() && hunk.line == 0 {
                    hunk.line = self.number;
                }
                hunk.lines.push((signed.0, signed.1.to_owned()));
            }
            self.advance();
        }
        if hunk.is_begun() || hunk.line > 0 {
            self.close(&mut hunks, &mut hunk)?;
        }
        Ok(hunks)
    }

    fn close(&self, hunks: &mut Vec<Hunk>, hunk: &mut Hunk) -> Result<(), Fault> {
        let done = std::mem::take(hunk);
        if done.lines.is_empty() {
            return Err(Fault::new(done.line, "this hunk has no lines"));
        }
        hunks.push(done);
        Ok(())
    }
}

/// The anchor of an `@@` line. Line numbers, as other forms of patches have them, are none: the
/// lines themselves tell the place.
fn anchor(rest: &str) -> Option<String> {
    let text = match rest.split_once("@@") {
        Some((numbers, heading)) if is_numbers(numbers) => heading,
        _ if is_numbers(rest) => "",
        _ => rest,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn is_numbers(text: &str) -> bool {
    let mut parts = text.split_whitespace();
    let is_place = |part: Option<&str>, sign: char| {
        part.and_then(|part| part.strip_prefix(sign))
            .is_some_and(|place| {
                !place.is_empty() && place.chars().all(|c| c.is_ascii_digit() || c == ',')
            })
    };
    is_place(parts.next(), '-') && is_place(parts.next(), '+') && parts.next().is_none()
}
