//! Looking for a text in a file that is not held in memory.
//!
//! The file goes through a buffer once, and the one place is found or not. Line ends are matched as
//! a model sees them: the line feed of the text is one of the file, with or without a carriage
//! return before it.

use std::io::{self, Read};

use memchr::memmem::Finder;
use toolpost_core::ToolError;

use crate::work::Stop;

/// So much of a file is held at once.
pub(super) const BUFFER: usize = 1 << 20;

/// Where a text is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: u64,
    pub(super) end: u64,
    /// How many line ends are before it.
    pub(super) breaks: usize,
}

/// The only place of a text, looked for through a buffer of about this size. Nothing when there
/// is none or more than one.
pub(super) fn only_place(
    stream: impl Read,
    text: &[u8],
    buffer: usize,
    stop: &Stop,
) -> Result<io::Result<Option<Place>>, ToolError> {
    let Some(search) = Search::new(text) else {
        return Ok(Ok(None));
    };
    search.run(stream, buffer, stop)
}

struct Search<'t> {
    text: &'t [u8],
    /// The longest piece of the text without a line end, and where it begins in it.
    piece: Finder<'t>,
    piece_start: usize,
    /// The most bytes that the text can have in the file.
    longest: usize,
}

impl<'t> Search<'t> {
    fn new(text: &'t [u8]) -> Option<Self> {
        let mut start = 0;
        let mut longest: (usize, &[u8]) = (0, &[]);
        for line in text.split(|byte| *byte == b'\n') {
            if line.len() > longest.1.len() {
                longest = (start, line);
            }
            start += line.len() + 1;
        }
        let breaks = memchr::memchr_iter(b'\n', text).count();
        // Without a piece there is nothing to look for quickly.
        (!longest.1.is_empty()).then(|| Self {
            text,
            piece: Finder::new(longest.1),
            piece_start: longest.0,
            longest: text.len() + breaks + 1,
        })
    }

    fn run(
        &self,
        mut stream: impl Read,
        buffer: usize,
        stop: &Stop,
    ) -> Result<io::Result<Option<Place>>, ToolError> {
        let mut buffer = vec![0; buffer.max(4 * self.longest)];
        // What is in the buffer: from this byte of the file on, so many of them.
        let (mut base, mut filled) = (0_u64, 0_usize);
        // Up to here the pieces were looked at.
        let mut seen = 0_usize;
        let mut found: Option<Place> = None;
        // Before what is in the buffer.
        let mut breaks = 0_usize;
        loop {
            stop.check()?;
            let room = buffer.get_mut(filled..).unwrap_or_default();
            let count = match stream.read(room) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Ok(Err(error)),
            };
            filled += count;
            let is_end = count == 0;
            let bytes = buffer.get(..filled).unwrap_or_default();
            // A piece near the end of the buffer waits for what comes after it.
            let until = if is_end {
                filled
            } else {
                filled.saturating_sub(self.longest)
            };
            while let Some(at) = bytes
                .get(seen..)
                .and_then(|rest| self.piece.find(rest))
                .map(|at| seen + at)
                .filter(|at| *at < until)
            {
                seen = at + 1;
                let Some((start, end)) = self.around(bytes, at) else {
                    continue;
                };
                match found {
                    // One that begins within another is not counted, as nowhere.
                    Some(first) if base + (start as u64) < first.end => {}
                    Some(_) => return Ok(Ok(None)),
                    None => {
                        let before = bytes.get(..start).unwrap_or_default();
                        found = Some(Place {
                            start: base + start as u64,
                            end: base + end as u64,
                            breaks: breaks + memchr::memchr_iter(b'\n', before).count(),
                        });
                    }
                }
            }
            if is_end {
                return Ok(Ok(found));
            }
            seen = seen.max(until);
            let gone = seen.saturating_sub(self.longest);
            if gone > 0 && filled == buffer.len() {
                if found.is_none() {
                    let before = buffer.get(..gone).unwrap_or_default();
                    breaks += memchr::memchr_iter(b'\n', before).count();
                }
                buffer.copy_within(gone..filled, 0);
                (base, filled, seen) = (base + gone as u64, filled - gone, seen - gone);
            }
        }
    }

    /// The text round its piece at this place of the file.
    fn around(&self, bytes: &[u8], at: usize) -> Option<(usize, usize)> {
        let mut start = at;
        for wanted in self.text.get(..self.piece_start)?.iter().rev() {
            start = start.checked_sub(1)?;
            if bytes.get(start) != Some(wanted) {
                return None;
            }
            let is_crlf = *wanted == b'\n' && start > 0 && bytes.get(start - 1) == Some(&b'\r');
            start -= usize::from(is_crlf);
        }
        let mut end = at;
        for wanted in self.text.get(self.piece_start..)? {
            if *wanted == b'\n' && bytes.get(end..end + 2) == Some(b"\r\n") {
                end += 1;
            }
            if bytes.get(end) != Some(wanted) {
                return None;
            }
            end += 1;
        }
        Some((start, end))
    }
}
