//! What a search has found so far: no more than can be shown, in an order of its own.

use std::collections::BTreeMap;

use crate::newest::Rank;

/// What one file gave.
#[derive(Debug, Default)]
pub(super) struct Hits {
    /// How many lines match.
    pub(super) count: u64,
    /// The lines kept, with their surroundings.
    pub(super) lines: Vec<Line>,
    /// Whether it looked binary where it matched.
    pub(super) is_binary: bool,
}

/// One line to show.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) number: Option<u64>,
    pub(super) is_match: bool,
    /// Whether lines before it are left out.
    pub(super) is_after_gap: bool,
    /// The line, clipped.
    pub(super) text: String,
}

/// The files that match. Of those that come too late in the order to be shown only the numbers
/// are kept.
#[derive(Debug)]
pub(super) struct Found {
    files: BTreeMap<Rank, Hits>,
    /// How many files or lines can be shown at most, the ones to leave out included.
    most: u64,
    /// Whether lines are shown, and not files.
    by_lines: bool,
    kept_lines: u64,
    pub(super) total_files: u64,
    pub(super) total_lines: u64,
}

impl Found {
    pub(super) fn new(most: u64, by_lines: bool) -> Self {
        Self {
            files: BTreeMap::new(),
            most,
            by_lines,
            kept_lines: 0,
            total_files: 0,
            total_lines: 0,
        }
    }

    pub(super) fn add(&mut self, rank: Rank, hits: Hits) {
        self.total_files += 1;
        self.total_lines += hits.count;
        self.kept_lines += matches(&hits);
        self.files.insert(rank, hits);
        while self.is_over() {
            if let Some((_, hits)) = self.files.pop_last() {
                self.kept_lines -= matches(&hits);
            }
        }
    }

    /// Whether there is enough without the last file.
    fn is_over(&self) -> bool {
        if !self.by_lines {
            return self.files.len() as u64 > self.most;
        }
        let last = self
            .files
            .last_key_value()
            .map_or(0, |(_, hits)| matches(hits));
        self.files.len() > 1 && self.kept_lines - last >= self.most
    }

    /// The files in order.
    pub(super) fn into_files(self) -> impl Iterator<Item = (Rank, Hits)> {
        self.files.into_iter()
    }
}

fn matches(hits: &Hits) -> u64 {
    // A binary file is one line of the answer.
    if hits.is_binary {
        1
    } else {
        hits.lines.iter().filter(|line| line.is_match).count() as u64
    }
}
