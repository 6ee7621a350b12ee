//! Hunks fitted to the lines of a file.
//!
//! The lines that a hunk keeps and removes must be in the file, all of them and exactly, at one
//! place only, after the hunk before it. Nothing is taken for granted because it is near.

use std::borrow::Cow;

use memchr::memmem;
use xxhash_rust::xxh3::xxh3_64;

use super::lines::FileLines;
use super::parse::{Hunk, Sign};
use crate::draft::Splice;
use crate::edit::Fault as EditFault;
use crate::text::{Coding, Encoding};

/// Why a hunk does not fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// This anchor is not in the file, or not after what comes before it.
    NoAnchor(String),
    /// It only adds, and does not say where.
    NoPlace,
    /// Its lines are not in the file.
    NoMatch,
    /// They are, but only before the place where it may begin; at this line.
    OutOfOrder(usize),
    /// They are, but not at the end of the file.
    NotAtEnd,
    /// They are at several places; the lines of the first few.
    NotUnique { count: usize, lines: Vec<usize> },
    /// A line cannot be written in the file's encoding.
    Unwritable(EditFault),
}

/// The splices that make the hunks of a file's text.
pub(crate) fn fit<'h>(
    bytes: &[u8],
    coding: Coding,
    hunks: &'h [Hunk],
) -> Result<Vec<Splice>, (&'h Hunk, Misfit)> {
    let first = fit_in(bytes, coding, coding.encoding, hunks);
    match (&first, coding.encoding) {
        // A file that was guessed to be of an older encoding may still be UTF-8 here.
        (Err(_), Encoding::Older(_)) => fit_in(bytes, coding, Encoding::Utf8, hunks).or(first),
        _ => first,
    }
}

fn fit_in<'h>(
    bytes: &[u8],
    coding: Coding,
    encoding: Encoding,
    hunks: &'h [Hunk],
) -> Result<Vec<Splice>, (&'h Hunk, Misfit)> {
    let file = FileLines::new(bytes, coding);
    let hashes: Vec<u8> = (0..file.count())
        .flat_map(|line| xxh3_64(file.text(line)).to_le_bytes())
        .collect();
    let mut fitted = Vec::with_capacity(hunks.len());
    let mut from = 0;
    for hunk in hunks {
        let search = Search {
            file: &file,
            hashes: &hashes,
            encoding,
            hunk,
        };
        let at = search.place(from).map_err(|misfit| (hunk, misfit))?;
        from = at + hunk.old_lines().count();
        fitted.push((at, hunk));
    }
    let mut new = file.rewrite();
    for (at, hunk) in fitted {
        new.keep_to(at);
        for (sign, text) in &hunk.lines {
            match sign {
                Sign::Keep => new.keep_one(),
                Sign::Remove => new.remove_one(),
                Sign::Add => {
                    let text = encoded(encoding, text).map_err(|misfit| (hunk, misfit))?;
                    new.add(&text);
                }
            }
        }
    }
    Ok(new.into_splices())
}

fn encoded(encoding: Encoding, text: &str) -> Result<Cow<'_, [u8]>, Misfit> {
    encoding
        .encode(text)
        .map_err(|c| Misfit::Unwritable(EditFault::Unwritable { c, encoding }))
}

struct Search<'a> {
    file: &'a FileLines<'a>,
    /// Eight bytes a line.
    hashes: &'a [u8],
    encoding: Encoding,
    hunk: &'a Hunk,
}

impl Search<'_> {
    /// The line that the hunk begins at; `from` is the first that it may.
    fn place(&self, from: usize) -> Result<usize, Misfit> {
        let old: Vec<Cow<'_, [u8]>> = self
            .hunk
            .old_lines()
            .map(|line| self.encoding.encode(line))
            .collect::<Result<_, _>>()
            // What the encoding does not have cannot be in the file.
            .map_err(|_| Misfit::NoMatch)?;
        let starts = self.starts(from)?;
        if old.is_empty() {
            return self.place_of_addition(&starts);
        }
        let mut found: Vec<usize> = Vec::new();
        if self.hunk.anchors.is_empty() {
            found = self.matches(from, &old);
        } else {
            // The first place from each anchor on that could be meant; a hunk may begin with the
            // line of the anchor itself.
            for start in &starts {
                found.extend(
                    self.matches(start.saturating_sub(1).max(from), &old)
                        .first(),
                );
            }
            found.dedup();
        }
        if self.hunk.is_at_end {
            let last = self.file.count() - old.len().min(self.file.count());
            if !found.is_empty() && !self.matches(from, &old).contains(&last) {
                return Err(Misfit::NotAtEnd);
            }
            found = self.matches(last.max(from), &old);
        }
        match found.as_slice() {
            [] => match self.matches(0, &old).first() {
                Some(line) if self.hunk.anchors.is_empty() => Err(Misfit::OutOfOrder(line + 1)),
                _ => Err(Misfit::NoMatch),
            },
            [only] => Ok(*only),
            several => Err(not_unique(several)),
        }
    }

    /// Where a hunk without lines of the file goes.
    fn place_of_addition(&self, starts: &[usize]) -> Result<usize, Misfit> {
        if self.file.count() == 0 {
            return Ok(0);
        }
        match (self.hunk.anchors.is_empty(), starts) {
            _ if self.hunk.is_at_end => Ok(self.file.count()),
            (true, _) => Err(Misfit::NoPlace),
            (false, [only]) => Ok(*only),
            (false, several) => Err(not_unique(several)),
        }
    }

    /// The lines after each place where all anchors stand, one below the other.
    fn starts(&self, from: usize) -> Result<Vec<usize>, Misfit> {
        let mut starts = vec![from];
        for (level, anchor) in self.hunk.anchors.iter().enumerate() {
            let wanted = self.lines_like(anchor);
            let after = |start: usize| {
                let first = wanted.partition_point(|line| *line < start);
                wanted.get(first..).unwrap_or_default()
            };
            starts = if level == 0 {
                after(from).iter().map(|line| line + 1).collect()
            } else {
                // Within an outer one the first is meant.
                starts
                    .iter()
                    .filter_map(|start| after(*start).first())
                    .map(|line| line + 1)
                    .collect()
            };
            starts.dedup();
            if starts.is_empty() {
                return Err(Misfit::NoAnchor(anchor.clone()));
            }
        }
        Ok(starts)
    }

    /// The lines that are this one, but for white space round it.
    fn lines_like(&self, anchor: &str) -> Vec<usize> {
        let Ok(anchor) = self.encoding.encode(anchor) else {
            return Vec::new();
        };
        let is_like = |line: &usize| {
            let text = self.file.text(*line);
            memmem::find(text, &anchor).is_some()
                && self.encoding.decode(text).trim() == self.encoding.decode(&anchor).trim()
        };
        (0..self.file.count()).filter(is_like).collect()
    }

    /// The lines from `from` on at which all of these lines are.
    fn matches(&self, from: usize, lines: &[Cow<'_, [u8]>]) -> Vec<usize> {
        let needle: Vec<u8> = lines
            .iter()
            .flat_map(|line| xxh3_64(line).to_le_bytes())
            .collect();
        let hashes = self.hashes.get(from * 8..).unwrap_or_default();
        let finder = memmem::Finder::new(&needle);
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(next) = hashes.get(at..).and_then(|rest| finder.find(rest)) {
            let place = at + next;
            let line = from + place / 8;
            let is_match = place.is_multiple_of(8)
                && (line..)
                    .zip(lines)
                    .all(|(line, text)| self.file.text(line) == &**text);
            if is_match {
                found.push(line);
            }
            at = place + if is_match { 8 } else { 1 };
        }
        found
    }
}

fn not_unique(places: &[usize]) -> Misfit {
    Misfit::NotUnique {
        count: places.len(),
        lines: places.iter().take(5).map(|line| line + 1).collect(),
    }
}
