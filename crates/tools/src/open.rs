//! Opening files for reading, without ever being held up or fooled by what is not a file.
//!
//! A pipe would block, a device may never end, and a terminal could take over. So what is not a
//! regular file is refused before the open, and again after it, in case it was swapped meanwhile.

use std::fs::{File, FileType, Metadata};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use toolpost_core::{Facts, ToolError};

use crate::{failure, place};

/// Opens a resolved path for reading and says what the file is.
pub(crate) fn for_reading(path: &Path, facts: &Facts) -> Result<(File, Metadata), ToolError> {
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => place::not_found(path, facts),
        _ => failure::io(&error, "read", &place::shown(path, facts), path),
    };
    refuse_irregular(path.metadata().map_err(refused)?.file_type(), path, facts)?;
    let file = open(path).map_err(refused)?;
    let metadata = file.metadata().map_err(refused)?;
    refuse_irregular(metadata.file_type(), path, facts)?;
    Ok((file, metadata))
}

/// Opens without waiting for a writer of a pipe, and without a terminal taking over.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// An error unless it is a regular file.
pub(crate) fn refuse_irregular(
    kind: FileType,
    path: &Path,
    facts: &Facts,
) -> Result<(), ToolError> {
    if kind.is_file() {
        return Ok(());
    }
    let shown = place::shown(path, facts);
    Err(if kind.is_dir() {
        failure::is_directory(&shown)
    } else {
        failure::not_regular(&shown, name_of(kind))
    })
}

fn name_of(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else if kind.is_char_device() || kind.is_block_device() {
        "a device"
    } else {
        "something else"
    }
}
