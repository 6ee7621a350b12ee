//! The small unified diff that an edit answers with: changed places with three lines around them.
//!
//! Only the lines of the splices and their neighbours are looked at, so the size of the file does
//! not count.

use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::draft::Splice;
use crate::text::{Coding, Encoding, with_lf};

const CONTEXT: usize = 3;
const TIME: Duration = Duration::from_millis(200);
/// Longer diffs are cut after a whole hunk or line.
const MOST_LINES: usize = 200;
const MOST_LINE_CHARS: usize = 500;
/// Longer stretches are not compared line by line.
const MOST_BYTES: usize = 1 << 20;

/// The diff of some splices of a file, rising and apart.
pub(crate) fn unified(bytes: &[u8], coding: Coding, splices: &[Splice]) -> String {
    unified_from(bytes, coding, splices, 1)
}

/// The same of a part of a file that begins with the line of this number.
pub(super) fn unified_from(
    bytes: &[u8],
    coding: Coding,
    splices: &[Splice],
    first_line: usize,
) -> String {
    let file = File {
        bytes,
        encoding: coding.encoding,
        start: coding.mark_len(),
    };
    let mut out = Lines::default();
    let (mut counted_to, mut old_line, mut shift) = (file.start, first_line, 0_isize);
    let mut rest = splices;
    let mut hunks_left = 0;
    while let Some(first) = rest.first() {
        let mut region = file.around(&first.range);
        let mut taken = 1;
        while let Some(next) = rest.get(taken).map(|splice| file.around(&splice.range)) {
            if next.start > region.end || region.len() > MOST_BYTES {
                break;
            }
            region.end = region.end.max(next.end);
            taken += 1;
        }
        let (here, later) = rest.split_at(taken);
        rest = later;
        if out.is_full() {
            hunks_left += here.len();
            continue;
        }
        old_line += file.breaks(counted_to..region.start);
        counted_to = region.start;
        let old = file.text(region.clone());
        let new = coding
            .encoding
            .decode(&spliced(bytes, &region, here))
            .into_owned();
        let new = with_lf(&new).into_owned();
        shift += hunk(&mut out, &old, &new, old_line, shift);
    }
    if hunks_left > 0 {
        let is_cut = out.count > MOST_LINES;
        out.text
            .push_str(if is_cut { ", with " } else { "\n… and " });
        // Writing to a string does not fail.
        let _ = write!(out.text, "{hunks_left} more changes");
    }
    out.text
}

/// Writes the hunks of one region and says by how many lines it has grown.
fn hunk(out: &mut Lines, old: &str, new: &str, old_line: usize, shift: isize) -> isize {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let grown = new_lines.len() as isize - old_lines.len() as isize;
    let mut config = TextDiff::configure();
    config.timeout(TIME);
    let diff = config.diff_slices(&old_lines, &new_lines);
    for group in diff.grouped_ops(CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else {
            continue;
        };
        let old_range = first.old_range().start..last.old_range().end;
        let new_range = first.new_range().start..last.new_range().end;
        out.push(&format!(
            "@@ -{} +{} @@",
            place(old_line, 0, &old_range),
            place(old_line, shift, &new_range)
        ));
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = change.value();
            out.push(&format!(
                "{sign}{}",
                line.strip_suffix('\n').unwrap_or(line)
            ));
            if !line.ends_with('\n') {
                out.push("\\ no newline at end of file");
            }
        }
    }
    grown
}

fn place(first: usize, shift: isize, range: &Range<usize>) -> String {
    let line = first.saturating_add_signed(shift) + range.start;
    match range.len() {
        0 => format!("{},0", line.saturating_sub(1)),
        count => format!("{line},{count}"),
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn spliced(bytes: &[u8], region: &Range<usize>, splices: &[Splice]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut from = region.start;
    for splice in splices {
        out.extend_from_slice(bytes.get(from..splice.range.start).unwrap_or_default());
        out.extend_from_slice(&splice.with);
        from = splice.range.end;
    }
    out.extend_from_slice(bytes.get(from..region.end).unwrap_or_default());
    out
}

/// The raw bytes of a file, seen as lines.
struct File<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    /// Where the text begins, after the mark.
    start: usize,
}

impl File<'_> {
    /// The whole lines of a range, with the lines around it.
    fn around(&self, range: &Range<usize>) -> Range<usize> {
        let mut start = self.line_start(range.start);
        for _ in 0..CONTEXT {
            start = start
                .checked_sub(1)
                .map_or(start, |before| self.line_start(before.max(self.start)));
        }
        let mut end = self.line_end(range.end);
        for _ in 0..CONTEXT {
            end = self.line_end(end);
        }
        start..end
    }

    /// Where the line with this byte begins.
    fn line_start(&self, at: usize) -> usize {
        let mut before = at;
        while let Some(lf) = memchr::memrchr(
            b'\n',
            self.bytes.get(self.start..before).unwrap_or_default(),
        ) {
            let after = self.after_break(self.start + lf);
            match after {
                Some(after) if after <= at => return after,
                _ => before = self.start + lf,
            }
        }
        self.start
    }

    /// The end of the line that holds this place, its line break included.
    fn line_end(&self, at: usize) -> usize {
        let mut from = at;
        while let Some(lf) = memchr::memchr(b'\n', self.bytes.get(from..).unwrap_or_default()) {
            match self.after_break(from + lf) {
                Some(after) if after > at => return after,
                _ => from += lf + 1,
            }
        }
        self.bytes.len()
    }

    /// The place after the line break that has its LF byte here, when it is one.
    fn after_break(&self, lf: usize) -> Option<usize> {
        let (unit, width) = self.encoding.unit(b'\n');
        let low = unit.iter().position(|byte| *byte == b'\n')?;
        let at = lf.checked_sub(low)?;
        let is_break = (at - self.start.min(at)) % width == 0
            && self.bytes.get(at..at + width) == unit.get(..width);
        is_break.then_some(at + width)
    }

    fn breaks(&self, range: Range<usize>) -> usize {
        let bytes = self.bytes.get(range.clone()).unwrap_or_default();
        if self.encoding.width() == 1 {
            return memchr::memchr_iter(b'\n', bytes).count();
        }
        memchr::memchr_iter(b'\n', bytes)
            .filter(|lf| self.after_break(range.start + lf).is_some())
            .count()
    }

    fn text(&self, range: Range<usize>) -> String {
        let text = self
            .encoding
            .decode(self.bytes.get(range).unwrap_or_default());
        with_lf(&text).into_owned()
    }
}

/// The lines of a diff up to a bound.
#[derive(Default)]
struct Lines {
    text: String,
    count: usize,
}

impl Lines {
    const fn is_full(&self) -> bool {
        self.count >= MOST_LINES
    }

    fn push(&mut self, line: &str) {
        if self.count > MOST_LINES {
            return;
        }
        if self.count > 0 {
            self.text.push('\n');
        }
        self.count += 1;
        if self.count == MOST_LINES + 1 {
            self.text.push_str("… the diff goes on");
            return;
        }
        let mut chars = line.chars();
        self.text.extend(chars.by_ref().take(MOST_LINE_CHARS));
        let rest = chars.count();
        if rest > 0 {
            // Writing to a string does not fail.
            let _ = write!(self.text, "… [+{rest} chars]");
        }
    }
}
