//! Writing a file whole or not at all.
//!
//! The new content goes into a temporary file in the same folder, which then takes the place of
//! the old one in one step; whoever looks sees the old file or the new one. The mode is kept. A
//! file that cannot be replaced without loss (it has other names, attributes, or another owner)
//! is written in place, and put back as it was when that fails.

mod folders;
mod in_place;
mod piece;
mod stage;
mod temporary;
#[cfg(test)]
mod tests;
mod together;
mod undo;

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use toolpost_core::{Facts, ToolError};

use crate::file_state::Stamp;
use crate::work::Stop;
use crate::{failure, open, place};
pub(crate) use piece::{Piece, hash};
use stage::Afterwards;
pub(crate) use stage::Staged;
pub(crate) use temporary::is_temporary;
pub(crate) use together::{Step, Steps, exists};

/// Files over this size are not changed: they are held in memory twice.
const MOST_BYTES: u64 = 1 << 30;
/// Between two steps of this size the work can be stopped.
const STEP: usize = 1 << 20;
const MOST_LINKS: usize = 40;

/// A file as it was read before a change.
pub(crate) struct Before {
    pub(crate) metadata: Metadata,
    /// All of it; nothing of a file that was only opened.
    pub(crate) bytes: Vec<u8>,
    /// The open file, from which the system can copy what stays.
    file: File,
}

impl Before {
    pub(crate) const fn file(&self) -> &File {
        &self.file
    }

    /// Whether all of it is in memory.
    fn is_loaded(&self) -> bool {
        self.bytes.len() as u64 >= self.metadata.len()
    }
}

/// Where a change really goes: the end of all links, and the file there, if any.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Before>,
}

impl Target {
    /// Follows `path` and reads what is there. A file that must not be written is refused here.
    pub(crate) fn load(path: &Path, facts: &Facts, stop: &Stop) -> Result<Self, ToolError> {
        let mut target = Self::open(path, facts)?;
        if let Some(before) = &mut target.before {
            before.bytes = read_all(&before.file, &before.metadata, stop)?.map_err(|error| {
                let shown = place::shown(&target.path, facts);
                failure::io(&error, "read", &shown, &target.path)
            })?;
        }
        Ok(target)
    }

    /// The same without reading it.
    pub(crate) fn open(path: &Path, facts: &Facts) -> Result<Self, ToolError> {
        let path = end_of_links(path, facts)?;
        let shown = place::shown(&path, facts);
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path, before: None });
            }
            Err(error) => return Err(failure::io(&error, "write", &shown, &path)),
        };
        open::refuse_irregular(metadata.file_type(), &path, facts)?;
        // The mode decides and not an attempt, because root may write everything.
        if metadata.mode() & 0o222 == 0 {
            return Err(failure::read_only(&shown));
        }
        if metadata.len() > MOST_BYTES {
            return Err(failure::too_large(&shown, metadata.len(), MOST_BYTES));
        }
        let (file, metadata) = open::for_reading(&path, facts)?;
        Ok(Self {
            path,
            before: Some(Before {
                metadata,
                bytes: Vec::new(),
                file,
            }),
        })
    }

    /// Puts the pieces there, unless the file has changed since it was loaded.
    pub(crate) fn save(
        &self,
        new: &[Piece<'_>],
        facts: &Facts,
        stop: &Stop,
    ) -> Result<Metadata, ToolError> {
        let staged = self.stage(new, facts, stop)?;
        stop.commit(|| staged.commit(Afterwards::Forget).map(|done| done.metadata))
    }

    /// An error when the file is not the one that was loaded.
    fn still(&self, before: &Before, shown: &str) -> Result<(), ToolError> {
        let now = self.path.metadata().map_err(|_| failure::stale(shown))?;
        let is_same = now.ino() == before.metadata.ino()
            && now.dev() == before.metadata.dev()
            && Stamp::of(&now) == Stamp::of(&before.metadata);
        if is_same {
            Ok(())
        } else {
            Err(failure::stale(shown))
        }
    }
}

/// A link is written through: what it leads to is the file, also when that is not there yet.
fn end_of_links(path: &Path, facts: &Facts) -> Result<PathBuf, ToolError> {
    let mut end = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match end.read_link() {
            Ok(target) => {
                let folder = end.parent().unwrap_or(&end);
                end = folder.join(target);
            }
            Err(_) => return Ok(end),
        }
    }
    let error = Errno::LOOP.into();
    Err(failure::io(
        &error,
        "write",
        &place::shown(path, facts),
        path,
    ))
}

fn read_all(
    mut file: &File,
    metadata: &Metadata,
    stop: &Stop,
) -> Result<io::Result<Vec<u8>>, ToolError> {
    let size = usize::try_from(metadata.len()).unwrap_or(0);
    let mut bytes = Vec::with_capacity(size + 1);
    loop {
        stop.check()?;
        match (&mut file).take(4 * STEP as u64).read_to_end(&mut bytes) {
            Ok(0) => return Ok(Ok(bytes)),
            Ok(_) if bytes.len() as u64 > MOST_BYTES => {
                return Ok(Err(io::ErrorKind::FileTooLarge.into()));
            }
            Ok(_) => {}
            Err(error) => return Ok(Err(error)),
        }
    }
}
