//! Edits of files that are too large to be worth holding in memory.
//!
//! The usual case is done here: a text that is there once, in a file of which pages were seen. The
//! file is read once through a buffer, only the lines round the place are held, and everything
//! else is copied by the system. Whatever else there is, an error among it, is left to the way
//! through memory, which knows all cases.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use toolpost_core::{Facts, ToolError};

use super::engine::{Replacement, splices};
use super::stream::{BUFFER, Place, only_place};
use super::{EditInput, EditOutput, diff};
use crate::draft::{Splice, pieces};
use crate::file_state::{FileState, Part};
use crate::place;
use crate::save::{Before, Target};
use crate::text::{Coding, Encoding, HEAD, Look, look_at, with_lf};
use crate::work::Stop;

#[cfg(test)]
mod tests;

/// Smaller files are as quickly read as looked through.
const LARGE: u64 = 4 << 20;
/// So much round the place is looked at, for the line ends there and for the diff.
const AROUND: u64 = 64 << 10;

/// Makes the edit, where it is a usual one of a large file.
pub(super) fn edit(
    input: &EditInput,
    path: &Path,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<Option<EditOutput>, ToolError> {
    if path.metadata().is_ok_and(|found| found.len() <= LARGE) || !state.has_parts(path) {
        return Ok(None);
    }
    let target = Target::open(path, facts)?;
    match &target.before {
        Some(before) => Large {
            target: &target,
            before,
            state,
            stop,
            around: AROUND,
            buffer: BUFFER,
        }
        .edit(input, facts),
        None => Ok(None),
    }
}

struct Large<'a> {
    target: &'a Target,
    before: &'a Before,
    state: &'a FileState,
    stop: &'a Stop,
    /// How much round the place is looked at.
    around: u64,
    buffer: usize,
}

impl Large<'_> {
    fn edit(&self, input: &EditInput, facts: &Facts) -> Result<Option<EditOutput>, ToolError> {
        let (old, new) = (with_lf(&input.old_string), with_lf(&input.new_string));
        let is_odd = |text: &str| text.contains(['\r', '\u{feff}']);
        if old.is_empty() || old == new || is_odd(&old) || is_odd(&new) {
            return Ok(None);
        }
        let Some(coding) = self.coding() else {
            return Ok(None);
        };
        let Some(place) = self.place(&old)? else {
            return Ok(None);
        };
        let Some(window) = self.window(place, coding) else {
            return Ok(None);
        };
        let wanted = Replacement {
            old: &old,
            new: &new,
            all: false,
        };
        let Ok(near) = splices(&window.bytes, window.coding, wanted) else {
            return Ok(None);
        };
        let base = window.start;
        let far = |splice: &Splice| Splice {
            range: base + splice.range.start..base + splice.range.end,
            with: splice.with.clone(),
        };
        let splices: Vec<Splice> = near.iter().map(far).collect();
        if !self.is_as_seen() {
            return Ok(None);
        }
        let Ok(length) = usize::try_from(self.before.metadata.len()) else {
            return Ok(None);
        };
        let pieces = pieces(length, &splices);
        let saved = match self.target.save(&pieces, facts, self.stop) {
            Ok(saved) => saved,
            Err(error) if error.code() == "cancelled" => return Err(error),
            // Perhaps it can be written in place, for which all of it must be in memory.
            Err(_) => return Ok(None),
        };
        let path = &self.target.path;
        self.state
            .edited(path, &self.before.metadata, None, &saved, &splices);
        Ok(Some(EditOutput {
            file_path: place::shown(path, facts),
            replacements: 1,
            created: false,
            diff: diff::unified_from(&window.bytes, window.coding, &near, window.first_line),
        }))
    }

    /// How the text is written, where its bytes can be looked for as they are.
    fn coding(&self) -> Option<Coding> {
        let mut head = vec![0; HEAD];
        let length = self.before.file().read_at(&mut head, 0).ok()?;
        match look_at(head.get(..length)?) {
            Look::Text(coding) if coding.encoding == Encoding::Utf8 => Some(coding),
            _ => None,
        }
    }

    fn place(&self, old: &str) -> Result<Option<Place>, ToolError> {
        let reader = At {
            file: self.before.file(),
            at: 0,
        };
        let place = only_place(reader, old.as_bytes(), self.buffer, self.stop)?;
        Ok(place.ok().flatten())
    }

    /// The lines round a place. Nothing where they are so long that their ends are not near.
    fn window(&self, place: Place, coding: Coding) -> Option<Window> {
        let length = self.before.metadata.len();
        let mut range =
            place.start.saturating_sub(self.around)..(place.end + self.around).min(length);
        let mut bytes = self.bytes(range.clone())?;
        let own = usize::try_from(place.start - range.start).ok()?;
        let after = bytes.get(usize::try_from(place.end - range.start).ok()?..)?;
        if range.end < length && memchr::memchr_iter(b'\n', after).count() < 5 {
            return None;
        }
        if range.start > 0 {
            let before = bytes.get(..own)?;
            let first = memchr::memchr(b'\n', before)?;
            if memchr::memchr_iter(b'\n', before).count() < 6 {
                return None;
            }
            bytes.drain(..=first);
            range.start += first as u64 + 1;
        }
        let own = usize::try_from(place.start - range.start).ok()?;
        let breaks = memchr::memchr_iter(b'\n', bytes.get(..own)?).count();
        let has_mark = coding.has_mark && range.start == 0;
        Some(Window {
            first_line: 1 + place.breaks - breaks.min(place.breaks),
            coding: Coding { has_mark, ..coding },
            start: usize::try_from(range.start).ok()?,
            bytes,
        })
    }

    fn bytes(&self, range: Range<u64>) -> Option<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(range.end.checked_sub(range.start)?).ok()?];
        let file = self.before.file();
        file.read_exact_at(&mut bytes, range.start).ok()?;
        Some(bytes)
    }

    /// Whether the pages that were seen are still the same.
    fn is_as_seen(&self) -> bool {
        let file = self.before.file();
        let is_same = |part: &Part| {
            let length = usize::try_from(part.end - part.start.min(part.end));
            let mut bytes = vec![0; length.unwrap_or(0)];
            file.read_exact_at(&mut bytes, part.start).is_ok() && part.has(&bytes)
        };
        let size = self.before.metadata.len();
        self.state
            .parts(&self.target.path, size)
            .is_some_and(|parts| parts.iter().all(is_same))
    }
}

/// Some lines of the file.
struct Window {
    bytes: Vec<u8>,
    /// Where they begin.
    start: usize,
    first_line: usize,
    coding: Coding,
}

/// Reads without moving the position of the file.
struct At<'f> {
    file: &'f File,
    at: u64,
}

impl io::Read for At<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
