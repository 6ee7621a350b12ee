//! A file's content with changes made in memory, and the one write at the end.
//!
//! Changes are kept as splices of the old bytes, however many were made one after the other. So
//! what no change has touched is a range of the old file still, and is written as that.

mod splice;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::Metadata;

use toolpost_core::{Facts, ToolError};

use crate::edit::unified;
use crate::file_state::FileState;
use crate::save::{Piece, Target, hash};
use crate::text::Coding;
use crate::work::Stop;
use splice::compose;
pub(crate) use splice::{Sequence, Splice};

/// From this size on, a second thread is worth its start.
const LARGE: usize = 4 << 20;

/// A content with changes.
pub(crate) struct Draft<'a> {
    old: &'a [u8],
    /// Without the last changes.
    now: Cow<'a, [u8]>,
    /// From the old bytes to those of `now`; rising and apart.
    splices: Vec<Splice>,
    /// The last changes.
    last: Vec<Splice>,
}

impl<'a> Draft<'a> {
    /// No change yet.
    pub(crate) const fn new(old: &'a [u8]) -> Self {
        Self {
            old,
            now: Cow::Borrowed(old),
            splices: Vec::new(),
            last: Vec::new(),
        }
    }

    /// The content as it is now.
    pub(crate) fn bytes(&mut self) -> &[u8] {
        if !self.last.is_empty() {
            let last = std::mem::take(&mut self.last);
            let new: Vec<&[u8]> = pieces(self.now.len(), &last)
                .iter()
                .map(|piece| piece.bytes(&self.now))
                .collect();
            let new = new.concat();
            self.now = Cow::Owned(new);
            let first = std::mem::take(&mut self.splices);
            self.splices = compose(self.old.len(), first, last);
        }
        &self.now
    }

    /// Makes changes of the content as it is now; they are in rising order and apart.
    pub(crate) fn change(&mut self, splices: Vec<Splice>) {
        self.bytes();
        self.last = splices;
    }

    /// All changes of the old content.
    pub(crate) fn splices(&mut self) -> &[Splice] {
        if self.splices.is_empty() {
            return &self.last;
        }
        self.bytes();
        &self.splices
    }

    /// Whether anything is other than it was.
    pub(crate) fn is_changed(&mut self) -> bool {
        let old = self.old;
        self.bytes() != old
    }

    /// The changes as a small diff.
    pub(crate) fn diff(&mut self, coding: Coding) -> String {
        unified(self.old, coding, self.splices())
    }

    /// Saves the changes of a target's bytes, and remembers the file as it is then.
    pub(crate) fn save(
        &mut self,
        target: &Target,
        state: &FileState,
        facts: &Facts,
        stop: &Stop,
    ) -> Result<(), ToolError> {
        let old = self.old;
        let splices = self.splices();
        let pieces = pieces(old.len(), splices);
        let (metadata, hash) = save_and_hash(target, &pieces, old, state, facts, stop)?;
        remember(state, target, &metadata, hash, splices);
        Ok(())
    }
}

/// A content with some splices made, as pieces. It has this many bytes before.
pub(crate) fn pieces(length: usize, splices: &[Splice]) -> Vec<Piece<'_>> {
    let mut pieces = Vec::with_capacity(splices.len() * 2 + 1);
    let mut from = 0;
    for splice in splices {
        pieces.push(Piece::Old(from..splice.range.start));
        pieces.push(Piece::New(&splice.with));
        from = splice.range.end;
    }
    pieces.push(Piece::Old(from..length));
    pieces
}

/// Saves the pieces and hashes them, both at the same time. Of a large file of which only pages
/// were seen nobody asks for the hash.
fn save_and_hash(
    target: &Target,
    pieces: &[Piece<'_>],
    old: &[u8],
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<(Metadata, Option<u64>), ToolError> {
    let length: usize = pieces.iter().map(|piece| piece.bytes(old).len()).sum();
    let is_large = length > LARGE;
    if is_large && state.has_parts(&target.path) {
        return Ok((target.save(pieces, facts, stop)?, None));
    }
    std::thread::scope(|scope| {
        let hashing = is_large.then(|| scope.spawn(|| hash(pieces, old)));
        let metadata = target.save(pieces, facts, stop)?;
        let hash = hashing
            .and_then(|hashing| hashing.join().ok())
            .unwrap_or_else(|| hash(pieces, old));
        Ok((metadata, Some(hash)))
    })
}

/// Remembers a file as it is after a change.
pub(crate) fn remember(
    state: &FileState,
    target: &Target,
    now: &Metadata,
    whole: Option<u64>,
    splices: &[Splice],
) {
    match (&target.before, whole) {
        (Some(before), whole) => {
            state.edited(&target.path, &before.metadata, whole, now, splices);
        }
        (None, Some(whole)) => state.saw_whole(&target.path, now, whole),
        (None, None) => {}
    }
}
