//! Putting a new file in the place of an old one: whoever reads sees the old or the new, never half.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Writes the file beside its place, for its owner alone, and moves it there. Folders that are
/// missing are made.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    fs::create_dir_all(folder)?;
    let fresh = folder.join(format!(
        ".{}.{}",
        name.to_string_lossy(),
        std::process::id()
    ));
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&fresh)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
    let done = written.and_then(|()| fs::rename(&fresh, path));
    if done.is_err() {
        // The first error is the one that counts.
        let _ = fs::remove_file(&fresh);
    }
    done
}
