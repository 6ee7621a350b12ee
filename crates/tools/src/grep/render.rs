//! The answer of a search as text.

use toolpost_core::Facts;

use super::found::{Found, Hits, Line};
use super::{GrepInput, GrepOutput, OutputMode};
use crate::place;
use crate::walk::Gaps;

const MOST_LINE_CHARS: usize = 500;
const MOST_BYTES: usize = 64 * 1024;

/// A line without its end, and where it is long, a window of it round the match.
pub(super) fn clip(line: &[u8], at: usize) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= MOST_LINE_CHARS {
        return String::from_utf8_lossy(line).into_owned();
    }
    // Enough bytes on both sides for the window, so that a line of any length is cheap.
    let reach = MOST_LINE_CHARS * 4;
    let from = at.saturating_sub(reach).min(line.len());
    let to = at.saturating_add(reach).min(line.len());
    let (head, tail) = (
        line.get(..from).unwrap_or_default(),
        line.get(to..).unwrap_or_default(),
    );
    let before = text_of(line.get(from..at.min(to)).unwrap_or_default());
    let after = text_of(line.get(at.min(to)..to).unwrap_or_default());
    let (before_chars, after_chars) = (before.chars().count(), after.chars().count());
    let half = MOST_LINE_CHARS / 4;
    let take_before = half
        .max(MOST_LINE_CHARS.saturating_sub(after_chars))
        .min(before_chars);
    let take_after = (MOST_LINE_CHARS - take_before).min(after_chars);
    let left = count(head) + before_chars - take_before;
    let right = count(tail) + after_chars - take_after;
    let mut out = String::new();
    if left > 0 {
        out.push_str(&format!("[+{left} chars] …"));
    }
    out.extend(before.chars().skip(before_chars - take_before));
    out.extend(after.chars().take(take_after));
    if right > 0 {
        out.push_str(&format!("… [+{right} chars]"));
    }
    out
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

/// The output of a search.
pub(super) fn render(
    input: &GrepInput,
    found: Found,
    gaps: Gaps,
    binary: u64,
    is_folder: bool,
    facts: &Facts,
) -> GrepOutput {
    let (files, lines) = (found.total_files, found.total_lines);
    let is_by_lines = input.output_mode == OutputMode::Content;
    let total = if is_by_lines { lines } else { files };
    let mut page = Page {
        input,
        is_folder,
        text: String::new(),
        passed: 0,
        shown: 0,
        is_full: false,
    };
    for (rank, hits) in found.into_files() {
        if page.is_full {
            break;
        }
        page.file(&place::shown(&rank.path, facts), &hits);
    }
    let has_more = input.offset + page.shown < total;
    let mut notes = Vec::new();
    let what = if is_by_lines {
        "matching lines"
    } else {
        "files"
    };
    if has_more || input.offset > 0 {
        let first = input.offset + 1;
        let last = input.offset + page.shown;
        let mut note = match page.shown {
            0 => format!("none from {first} on, of {total} {what}"),
            _ => format!("{what} {first}-{last} of {total}"),
        };
        if has_more && page.shown > 0 {
            note.push_str(&format!("; go on with offset {last}"));
        }
        notes.push(note);
    }
    match binary {
        0 => {}
        1 => notes.push("1 binary file was skipped".to_owned()),
        count => notes.push(format!("{count} binary files were skipped")),
    }
    notes.extend(gaps.notes());
    let mut text = page.text;
    let shown = page.shown;
    if total == 0 {
        let within = input
            .within()
            .map_or_else(String::new, |path| format!(" in `{}`", path.display()));
        text = format!("nothing matches `{}`{within}\n", input.pattern);
    } else if input.output_mode == OutputMode::Count && is_folder {
        let files_word = if files == 1 { "file" } else { "files" };
        notes.insert(0, format!("{lines} matching lines in {files} {files_word}"));
    }
    if !notes.is_empty() {
        text.push_str(&format!("[{}]\n", notes.join("; ")));
    }
    text.pop();
    GrepOutput {
        files,
        matching_lines: (input.output_mode != OutputMode::FilesWithMatches).then_some(lines),
        shown,
        has_more,
        unreadable: gaps.unreadable,
        binary,
        is_cut_short: gaps.is_cut_short,
        text,
    }
}

/// The part of the answer that is shown.
struct Page<'a> {
    input: &'a GrepInput,
    is_folder: bool,
    text: String,
    /// Files or matching lines before the first that is shown.
    passed: u64,
    shown: u64,
    is_full: bool,
}

impl Page<'_> {
    fn file(&mut self, name: &str, hits: &Hits) {
        match self.input.output_mode {
            OutputMode::FilesWithMatches => self.one(&format!("{name}\n")),
            OutputMode::Count => self.one(&format!("{name}:{}\n", hits.count)),
            OutputMode::Content if hits.is_binary => {
                self.one(&format!("binary file matches: {name}\n"));
            }
            OutputMode::Content => self.lines(name, &hits.lines),
        }
    }

    /// Shows one file, unless it comes too early or too late.
    fn one(&mut self, line: &str) {
        if self.passed < self.input.offset {
            self.passed += 1;
        } else if self.has_room(line) {
            self.text.push_str(line);
            self.shown += 1;
        }
    }

    fn has_room(&mut self, more: &str) -> bool {
        let has_room = self.shown < self.input.limit()
            && (self.text.is_empty() || self.text.len() + more.len() <= MOST_BYTES);
        self.is_full |= !has_room;
        has_room
    }

    fn lines(&mut self, name: &str, lines: &[Line]) {
        let (before, after) = self.input.around();
        let mut begins_group = true;
        // Lines before a match are shown with it, so they wait until it is; those after it follow.
        let mut waiting: Vec<String> = Vec::new();
        let mut following = 0;
        for line in lines {
            let text = self.line(name, line);
            if line.is_after_gap {
                begins_group = true;
                following = 0;
                waiting.clear();
            }
            if !line.is_match {
                if following > 0 && self.text.len() + text.len() <= MOST_BYTES {
                    following -= 1;
                    self.text.push_str(&text);
                } else {
                    waiting.push(text);
                }
                continue;
            }
            if self.passed < self.input.offset {
                self.passed += 1;
                continue;
            }
            let has_groups = (before, after) != (0, 0) && !self.text.is_empty();
            let mut block = String::from(if has_groups && begins_group {
                "--\n"
            } else {
                ""
            });
            let close = waiting.len().saturating_sub(before);
            block.extend(waiting.drain(..).skip(close));
            block.push_str(&text);
            if !self.has_room(&block) {
                return;
            }
            self.text.push_str(&block);
            self.shown += 1;
            begins_group = false;
            following = after;
        }
    }

    fn line(&self, name: &str, line: &Line) -> String {
        let sign = if line.is_match { ':' } else { '-' };
        let mut out = String::new();
        if self.is_folder {
            out.push_str(name);
            out.push(sign);
        }
        if let (Some(number), true) = (line.number, self.input.line_numbers.unwrap_or(true)) {
            out.push_str(&number.to_string());
            out.push(sign);
        }
        out.push_str(&line.text);
        out.push('\n');
        out
    }
}
