//! What a session has seen of which files, so that nothing unseen is overwritten.
//!
//! Content decides, not times: a file counts as unchanged when the hash of what was read is the
//! hash of what is there now. There are two kinds of record.
//!
//! - *Whole*: the hash of the whole file. A file that was saved again with the same bytes is
//!   fresh; a file whose time was set back after a change is not.
//! - *Parts*: of a large file only pages are read, and only they are hashed, so that reading one
//!   page never costs a scan of the file. For an edit the file counts as fresh while its size and
//!   every page that was read are the same: an edit replaces only the very bytes that it names
//!   and keeps all others as they are on the disk, so it cannot undo a change elsewhere. A write
//!   of the whole file would, so for one the times of the file must be the same as well,
//!   including the one that programs cannot set. A change that an edit found elsewhere stays
//!   unseen until the file is read again.
//!
//! Each path has a lock that spans look, compute and write, so two calls cannot interleave.

use std::collections::HashMap;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use xxhash_rust::xxh3::xxh3_64;

use crate::draft::Splice;

#[cfg(test)]
mod tests;

/// So many pages of one file are remembered; the oldest go first.
const MOST_PARTS: usize = 64;
/// Locks nobody holds are swept out when there are more than this.
const SWEEP_LOCKS: usize = 1024;

/// What a session has seen of files. A cheap clone; all clones are one.
#[derive(Debug, Clone, Default)]
pub struct FileState {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    records: Mutex<HashMap<PathBuf, FileRecord>>,
    locks: Mutex<HashMap<PathBuf, Weak<AsyncMutex<()>>>>,
}

/// What was seen of one file, in a form that can be kept between processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// The file, with links followed.
    pub path: PathBuf,
    /// Size and times of the file when it was seen.
    pub stamp: Stamp,
    /// What was seen of its content.
    pub seen: Seen,
}

/// Size and times of a file at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// When the content changed, in nanoseconds since 1970; programs can set it.
    pub modified_ns: i64,
    /// When anything about the file changed, in nanoseconds since 1970; programs cannot set it.
    pub changed_ns: i64,
}

/// What was seen of a file's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Seen {
    /// All of it, with this hash.
    Whole(u64),
    /// Some pages.
    Parts(Vec<Part>),
}

/// One page that was seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// Its first byte.
    pub start: u64,
    /// The byte after its last.
    pub end: u64,
    /// The hash of its bytes.
    pub hash: u64,
}

/// How a file stands to what was seen of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Fresh,
    NotRead,
    Stale,
}

/// What is about to be done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// Some named bytes are replaced, the rest stays as it is on the disk.
    Splice,
    /// All is replaced.
    Replace,
}

impl FileState {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything seen so far, by path, so that a later process can go on with it.
    pub fn records(&self) -> Vec<FileRecord> {
        let mut records: Vec<FileRecord> = self.map().values().cloned().collect();
        records.sort_by(|a, b| a.path.cmp(&b.path));
        records
    }

    /// Takes up what an earlier process had seen.
    pub fn restore(&self, records: impl IntoIterator<Item = FileRecord>) {
        self.map().extend(
            records
                .into_iter()
                .map(|record| (record.path.clone(), record)),
        );
    }

    /// Takes the lock of a path; it is held until the guard is dropped.
    pub(crate) async fn lock(&self, path: &Path) -> OwnedMutexGuard<()> {
        let lock = {
            let mut locks = self
                .inner
                .locks
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if locks.len() > SWEEP_LOCKS {
                locks.retain(|_, lock| lock.strong_count() > 0);
            }
            match locks.get(path).and_then(Weak::upgrade) {
                Some(lock) => lock,
                None => {
                    let lock = Arc::new(AsyncMutex::new(()));
                    locks.insert(path.to_path_buf(), Arc::downgrade(&lock));
                    lock
                }
            }
        };
        lock.lock_owned().await
    }

    /// Remembers that all of a file was seen or written.
    pub(crate) fn saw_whole(&self, path: &Path, metadata: &Metadata, hash: u64) {
        self.put(path, Stamp::of(metadata), Seen::Whole(hash));
    }

    /// Remembers that a page of a file was seen, beside the pages seen while it was the same.
    pub(crate) fn saw_part(&self, path: &Path, metadata: &Metadata, part: Part) {
        let stamp = Stamp::of(metadata);
        let mut map = self.map();
        let mut parts = match map.remove(path) {
            Some(FileRecord {
                stamp: before,
                seen,
                ..
            }) if before == stamp => match seen {
                whole @ Seen::Whole(_) => {
                    map.insert(
                        path.into(),
                        FileRecord {
                            path: path.into(),
                            stamp,
                            seen: whole,
                        },
                    );
                    return;
                }
                Seen::Parts(parts) => parts,
            },
            _ => Vec::new(),
        };
        parts.retain(|seen| seen.start < part.start || seen.end > part.end);
        if parts.len() >= MOST_PARTS {
            parts.remove(0);
        }
        parts.push(part);
        map.insert(
            path.into(),
            FileRecord {
                path: path.into(),
                stamp,
                seen: Seen::Parts(parts),
            },
        );
    }

    /// Whether only pages of a file were seen.
    pub(crate) fn has_parts(&self, path: &Path) -> bool {
        let map = self.map();
        matches!(map.get(path), Some(record) if matches!(record.seen, Seen::Parts(_)))
    }

    /// The pages that were seen of a file of this size; nothing where something else was seen.
    pub(crate) fn parts(&self, path: &Path, size: u64) -> Option<Vec<Part>> {
        match self.map().get(path) {
            Some(FileRecord {
                stamp,
                seen: Seen::Parts(parts),
                ..
            }) if stamp.size == size => Some(parts.clone()),
            _ => None,
        }
    }

    /// Remembers that a file was edited. `whole` is the hash of all of it, where that is known;
    /// otherwise the pages that were seen are still seen where they are now.
    ///
    /// Where only pages of it were seen and it had changed elsewhere, that change is in the file
    /// now and is still unseen: then only the edited place counts as seen, and the old times keep
    /// a write of the whole file from passing.
    pub(crate) fn edited(
        &self,
        path: &Path,
        before: &Metadata,
        whole: Option<u64>,
        now: &Metadata,
        splices: &[Splice],
    ) {
        let places = places(splices);
        let mut map = self.map();
        let (stamp, seen) = match (map.get(path), whole) {
            (
                Some(FileRecord {
                    stamp,
                    seen: Seen::Parts(_),
                    ..
                }),
                _,
            ) if *stamp != Stamp::of(before) => (
                Stamp {
                    size: now.len(),
                    ..*stamp
                },
                Seen::Parts(places),
            ),
            (_, Some(whole)) => (Stamp::of(now), Seen::Whole(whole)),
            (
                Some(FileRecord {
                    seen: Seen::Parts(parts),
                    ..
                }),
                None,
            ) => {
                let mut parts: Vec<Part> = parts
                    .iter()
                    .filter_map(|part| part.after(splices))
                    .chain(places)
                    .collect();
                parts.drain(..parts.len().saturating_sub(MOST_PARTS));
                (Stamp::of(now), Seen::Parts(parts))
            }
            (_, None) => (Stamp::of(now), Seen::Parts(places)),
        };
        map.insert(
            path.into(),
            FileRecord {
                path: path.into(),
                stamp,
                seen,
            },
        );
    }

    /// Remembers that a file has another name now. What was seen of it was seen of the same file.
    pub(crate) fn moved(&self, from: &Path, to: &Path, before: &Metadata, now: &Metadata) {
        let mut map = self.map();
        if let Some(mut record) = map.remove(from) {
            if record.stamp == Stamp::of(before) {
                record.stamp = Stamp::of(now);
            }
            record.path = to.to_path_buf();
            map.insert(to.to_path_buf(), record);
        }
    }

    /// Remembers nothing of a file that is gone.
    pub(crate) fn forget(&self, path: &Path) {
        self.map().remove(path);
    }

    /// How a file with these bytes stands to what was seen of it.
    pub(crate) fn standing(
        &self,
        path: &Path,
        metadata: &Metadata,
        bytes: &[u8],
        change: Change,
    ) -> Standing {
        let map = self.map();
        let Some(record) = map.get(path) else {
            return Standing::NotRead;
        };
        let is_fresh = match &record.seen {
            Seen::Whole(hash) => record.stamp.size == bytes.len() as u64 && *hash == xxh3_64(bytes),
            Seen::Parts(parts) => {
                let is_untouched = record.stamp == Stamp::of(metadata);
                record.stamp.size == bytes.len() as u64
                    && (is_untouched || change == Change::Splice)
                    && parts.iter().all(|part| part.is_in(bytes))
            }
        };
        if is_fresh {
            Standing::Fresh
        } else {
            Standing::Stale
        }
    }

    pub(crate) fn put(&self, path: &Path, stamp: Stamp, seen: Seen) {
        let record = FileRecord {
            path: path.to_path_buf(),
            stamp,
            seen,
        };
        self.map().insert(path.to_path_buf(), record);
    }

    fn map(&self) -> MutexGuard<'_, HashMap<PathBuf, FileRecord>> {
        self.inner
            .records
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the first few new texts are.
fn places(splices: &[Splice]) -> Vec<Part> {
    let mut moved_by = 0_i64;
    let place = |splice: &Splice| {
        let start = (splice.range.start as u64).saturating_add_signed(moved_by);
        moved_by += splice.with.len() as i64 - splice.range.len() as i64;
        Part {
            start,
            end: start + splice.with.len() as u64,
            hash: xxh3_64(&splice.with),
        }
    };
    splices.iter().take(MOST_PARTS / 2).map(place).collect()
}

impl Part {
    /// The same page after a change; nothing where the change is in it.
    fn after(self, splices: &[Splice]) -> Option<Self> {
        let mut moved_by = 0_i64;
        for splice in splices {
            let (start, end) = (splice.range.start as u64, splice.range.end as u64);
            if start >= self.end {
                break;
            }
            if end > self.start {
                return None;
            }
            moved_by += splice.with.len() as i64 - splice.range.len() as i64;
        }
        Some(Self {
            start: self.start.saturating_add_signed(moved_by),
            end: self.end.saturating_add_signed(moved_by),
            hash: self.hash,
        })
    }

    fn is_in(&self, bytes: &[u8]) -> bool {
        let (Ok(start), Ok(end)) = (usize::try_from(self.start), usize::try_from(self.end)) else {
            return false;
        };
        bytes.get(start..end).is_some_and(|part| self.has(part))
    }

    /// Whether these are its bytes.
    pub(crate) fn has(&self, bytes: &[u8]) -> bool {
        xxh3_64(bytes) == self.hash
    }
}

impl Stamp {
    /// Size and times as the system tells them.
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let nanos =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Self {
            size: metadata.len(),
            modified_ns: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed_ns: nanos(metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}
