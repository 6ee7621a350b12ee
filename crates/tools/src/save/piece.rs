//! A new content as pieces: what is kept of the old file, and what is new.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use toolpost_core::ToolError;
use xxhash_rust::xxh3::Xxh3;

use super::{Before, STEP};
use crate::work::Stop;

/// From this size on the system is asked to copy what stays.
const WORTH_A_CALL: usize = 256 * 1024;

/// A part of a new content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// These bytes of the old file.
    Old(Range<usize>),
    /// New ones.
    New(&'a [u8]),
}

impl<'a> Piece<'a> {
    /// Its bytes, where `old` is the whole old file.
    pub(crate) fn bytes(&self, old: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Old(range) => old.get(range.clone()).unwrap_or_default(),
            Self::New(bytes) => bytes,
        }
    }
}

/// The hash of a new content.
pub(crate) fn hash(pieces: &[Piece<'_>], old: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    for piece in pieces {
        hash.update(piece.bytes(old));
    }
    hash.digest()
}

/// Writes the pieces, and looks between two steps whether to stop.
pub(super) fn write(
    file: &File,
    pieces: &[Piece<'_>],
    before: Option<&Before>,
    stop: &Stop,
) -> Result<io::Result<()>, ToolError> {
    let old = before.map_or(&[][..], |before| &before.bytes);
    for piece in pieces {
        let copied = match (piece, before) {
            (Piece::Old(range), Some(before)) if range.len() >= WORTH_A_CALL => {
                match copy(file, before, range, stop)? {
                    Ok(copied) => copied,
                    Err(error) => return Ok(Err(error)),
                }
            }
            _ => 0,
        };
        let written = match (piece, before) {
            (Piece::Old(range), Some(before)) if !before.is_loaded() => {
                copy_by_hand(file, before, range.start + copied..range.end, stop)?
            }
            _ => write_steps(
                file,
                piece.bytes(old).get(copied..).unwrap_or_default(),
                stop,
            )?,
        };
        if let Err(error) = written {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}

/// Lets the system copy, which may even share the blocks. Says how much was copied; the rest has
/// to be written.
fn copy(
    mut to: &File,
    before: &Before,
    range: &Range<usize>,
    stop: &Stop,
) -> Result<io::Result<usize>, ToolError> {
    let mut from = range.start as u64;
    let end = range.end as u64;
    let mut at = match to.stream_position() {
        Ok(at) => at,
        Err(error) => return Ok(Err(error)),
    };
    while from < end {
        stop.check()?;
        let length = usize::try_from(end - from).unwrap_or(0).min(16 * STEP);
        let copied =
            rustix::fs::copy_file_range(&before.file, Some(&mut from), to, Some(&mut at), length);
        // What the file system cannot do is done by hand, and what went wrong goes wrong again.
        if !copied.is_ok_and(|count| count > 0) {
            break;
        }
    }
    let copied = usize::try_from(from).map_or(0, |from| from - range.start);
    Ok(to.seek(SeekFrom::Start(at)).map(|_| copied))
}

/// Copies what is not in memory through a buffer.
fn copy_by_hand(
    mut to: &File,
    before: &Before,
    range: Range<usize>,
    stop: &Stop,
) -> Result<io::Result<()>, ToolError> {
    let mut buffer = vec![0; STEP.min(range.len())];
    let mut at = range.start;
    while at < range.end {
        stop.check()?;
        let length = buffer.len().min(range.end - at);
        let step = buffer.get_mut(..length).unwrap_or_default();
        let copied = before
            .file
            .read_exact_at(step, at as u64)
            .and_then(|()| to.write_all(step));
        if let Err(error) = copied {
            return Ok(Err(error));
        }
        at += length;
    }
    Ok(Ok(()))
}

fn write_steps(mut file: &File, bytes: &[u8], stop: &Stop) -> Result<io::Result<()>, ToolError> {
    for step in bytes.chunks(STEP) {
        stop.check()?;
        if let Err(error) = file.write_all(step) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}
