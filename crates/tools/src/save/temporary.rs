//! The temporary file that a new content is written to first.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const PREFIX: &[u8] = b".toolpost-";
const SUFFIX: &[u8] = b".tmp";

/// Whether a name is one of ours, which no listing or search shows.
pub(crate) fn is_temporary(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

/// A new file beside another one. It is removed when it is dropped before it was placed.
pub(super) struct Temporary {
    path: PathBuf,
    file: File,
    is_placed: std::cell::Cell<bool>,
}

impl Temporary {
    /// A name beside another one that no file has.
    pub(super) fn free_name(beside: &Path) -> PathBuf {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = beside.with_file_name(format!(".toolpost-{process}-{count}.tmp"));
            // Some may be left over from an earlier process of the same number.
            if path.symlink_metadata().is_err() {
                return path;
            }
        }
    }

    pub(super) fn new(beside: &Path, mode: u32) -> io::Result<Self> {
        loop {
            let path = Self::free_name(beside);
            match OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(mode)
                .open(&path)
            {
                // Somebody was faster.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    return Ok(Self {
                        path,
                        file,
                        is_placed: false.into(),
                    });
                }
            }
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) const fn file(&self) -> &File {
        &self.file
    }

    /// It has its lasting name now.
    pub(super) fn placed(&self) -> &File {
        self.is_placed.set(true);
        &self.file
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_placed.get() {
            // There is nobody left to tell; the name keeps it out of sight.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
