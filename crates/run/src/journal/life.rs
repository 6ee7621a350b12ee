//! Whether a session's process is still there.
//!
//! A session holds a lock on a file of its own beside the journal for as long as it lives. The
//! system gives the lock back when the process ends, however it ends, so this works where process
//! ids are reused or mean something else.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{FlockOperation, flock};

/// A session that lives, until this is dropped.
pub(super) struct Life {
    name: String,
    path: PathBuf,
    /// Holds the lock.
    _file: File,
}

/// The space that this process's id belongs to, where the system has several: a container has one of
/// its own.
pub(super) fn space() -> Option<String> {
    let space = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(space.to_string_lossy().into_owned())
}

/// The folder of the locks of a journal.
pub(super) fn folder(journal: &Path) -> PathBuf {
    let mut name = OsString::from(journal);
    name.push(".live");
    PathBuf::from(name)
}

impl Life {
    pub(super) fn begin(folder: &Path) -> io::Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
        loop {
            let name = format!(
                "{}-{}-{}",
                super::now(),
                std::process::id(),
                NEXT.fetch_add(1, Ordering::Relaxed)
            );
            let path = folder.join(&name);
            let file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path);
            match file {
                // Somebody in another space of process ids had the same thought.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
                    let _file = file;
                    return Ok(Self { name, path, _file });
                }
            }
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        // What stays is removed by whoever finds it dead.
        drop(fs::remove_file(&self.path));
    }
}

/// Whether the session with this lock lives. Where that cannot be told, it does: nobody may take
/// away what is another's.
pub(super) fn is_alive(folder: &Path, name: &str) -> bool {
    match File::open(folder.join(name)) {
        Ok(file) => flock(&file, FlockOperation::NonBlockingLockExclusive).is_err(),
        Err(error) => error.kind() != io::ErrorKind::NotFound,
    }
}

/// Removes the lock of a session that is dead.
pub(super) fn clear(folder: &Path, name: &str) {
    drop(fs::remove_file(folder.join(name)));
}
