//! A file as lines, and a new sequence of them with the line ends that fit.

use std::ops::Range;

use crate::draft::{Sequence, Splice};
use crate::text::{Coding, Encoding, Eol, break_positions};

/// The lines of a file's bytes.
pub(super) struct FileLines<'a> {
    bytes: &'a [u8],
    encoding: Encoding,
    /// After the mark.
    start: usize,
    lines: Vec<Line>,
}

/// Where a line is.
#[derive(Debug, Clone, Copy)]
struct Line {
    start: usize,
    /// Where its text ends.
    text: usize,
    /// Where its line end ends; the same for a last line without one.
    end: usize,
}

impl<'a> FileLines<'a> {
    pub(super) fn new(bytes: &'a [u8], coding: Coding) -> Self {
        let (encoding, mark) = (coding.encoding, coding.mark_len());
        let raw = bytes.get(mark..).unwrap_or_default();
        let (cr, width) = encoding.unit(b'\r');
        let cr = cr.get(..width).unwrap_or_default();
        let mut lines = Vec::new();
        let mut start = mark;
        for lf in break_positions(raw, encoding).map(|at| at + mark) {
            let text = bytes.get(start..lf).unwrap_or_default();
            let has_cr = text.len() >= width && text.ends_with(cr);
            lines.push(Line {
                start,
                text: if has_cr { lf - width } else { lf },
                end: lf + width,
            });
            start = lf + width;
        }
        if start < bytes.len() {
            lines.push(Line {
                start,
                text: bytes.len(),
                end: bytes.len(),
            });
        }
        Self {
            bytes,
            encoding,
            start: mark,
            lines,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    /// The text of a line, without its end; nothing after the last.
    pub(super) fn text(&self, line: usize) -> &[u8] {
        self.lines
            .get(line)
            .and_then(|line| self.bytes.get(line.start..line.text))
            .unwrap_or_default()
    }

    /// Begins to write the lines anew.
    pub(super) fn rewrite(&'a self) -> Rewrite<'a> {
        Rewrite {
            file: self,
            next: 0,
            removed: 0,
            taken: 0,
            new: Vec::new(),
        }
    }

    /// The end of a line, where it has one.
    fn eol(&self, line: usize) -> Option<Eol> {
        let line = self.lines.get(line)?;
        match line.end - line.text {
            0 => None,
            both if both > self.encoding.width() => Some(Eol::CrLf),
            _ => Some(Eol::Lf),
        }
    }

    /// The end that a line added before this one gets: that of the line before, else of the next.
    fn eol_near(&self, line: usize) -> Eol {
        // Only the last line of a file may lack an end, so two are enough to look at.
        let before = |count| line.checked_sub(count).and_then(|line| self.eol(line));
        before(1)
            .or_else(|| before(2))
            .or_else(|| self.eol(line))
            .unwrap_or(Eol::Lf)
    }

    fn lacks_last_end(&self) -> bool {
        self.lines.last().is_some_and(|line| line.end == line.text)
    }
}

/// One stretch of the new lines.
enum Stretch {
    /// These of the old ones.
    Old(Range<usize>),
    New {
        text: Vec<u8>,
        eol: Eol,
    },
}

/// The lines of a file, written anew from the first to the last.
pub(super) struct Rewrite<'a> {
    file: &'a FileLines<'a>,
    /// The next old line.
    next: usize,
    /// How many were removed just now.
    removed: usize,
    /// How many of their line ends were given to new lines.
    taken: usize,
    new: Vec<Stretch>,
}

impl Rewrite<'_> {
    /// Keeps the old lines up to this one.
    pub(super) fn keep_to(&mut self, line: usize) {
        if line > self.next {
            let stretch = self.next..line;
            match self.new.last_mut() {
                Some(Stretch::Old(last)) if last.end == stretch.start => last.end = stretch.end,
                _ => self.new.push(Stretch::Old(stretch)),
            }
            self.next = line;
        }
        (self.removed, self.taken) = (0, 0);
    }

    pub(super) fn keep_one(&mut self) {
        self.keep_to(self.next + 1);
    }

    pub(super) fn remove_one(&mut self) {
        self.next += 1;
        self.removed += 1;
    }

    /// Adds a line. It takes the end of the line that it replaces, or that of its neighbours.
    pub(super) fn add(&mut self, text: &[u8]) {
        let first = self.next - self.removed;
        let own = (self.taken < self.removed)
            .then(|| self.file.eol(first + self.taken))
            .flatten();
        self.taken += 1;
        self.new.push(Stretch::New {
            text: text.to_vec(),
            eol: own.unwrap_or_else(|| self.file.eol_near(self.next)),
        });
    }

    /// Keeps the rest. A file without a line end at its end stays one.
    pub(super) fn into_splices(mut self) -> Vec<Splice> {
        self.keep_to(self.file.count());
        let Self { file, new, .. } = self;
        let encoded = |eol: Eol| file.encoding.encode(eol.text()).unwrap_or_default();
        let mut out = Sequence::default();
        out.keep(0..file.start);
        let count = new.len();
        for (number, stretch) in new.iter().enumerate() {
            let is_bare = number + 1 == count && file.lacks_last_end();
            match stretch {
                Stretch::Old(lines) => {
                    let first = file.lines.get(lines.start);
                    let last = lines
                        .end
                        .checked_sub(1)
                        .and_then(|last| file.lines.get(last));
                    let (Some(first), Some(last)) = (first, last) else {
                        continue;
                    };
                    out.keep(first.start..if is_bare { last.text } else { last.end });
                    if !is_bare && last.end == last.text {
                        out.put(&encoded(file.eol_near(lines.end)));
                    }
                }
                Stretch::New { text, eol } => {
                    out.put(text);
                    if !is_bare {
                        out.put(&encoded(*eol));
                    }
                }
            }
        }
        out.into_splices(file.bytes.len())
    }
}
