//! Writing over a file that must stay the same file.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{FallocateFlags, OFlags};
use rustix::io::Errno;

/// Writes the pieces of `new` over `old`. When it fails, what was there is put back.
pub(super) fn write(path: &Path, old: &[u8], new: &[&[u8]]) -> io::Result<Metadata> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    let mut options = OpenOptions::new();
    options
        .write(true)
        .custom_flags(i32::try_from(flags.bits()).unwrap_or(0));
    let mut file = options.open(path)?;
    let length: usize = new.iter().map(|piece| piece.len()).sum();
    if length > old.len() {
        // Space is asked for first, where the file system can tell, so that it cannot run out.
        let asked = rustix::fs::fallocate(&file, FallocateFlags::empty(), 0, length as u64);
        if let Err(error @ (Errno::NOSPC | Errno::DQUOT)) = asked {
            file.set_len(old.len() as u64)?;
            return Err(error.into());
        }
    }
    match put(&mut file, new) {
        Ok(()) => file.metadata(),
        Err(error) => {
            put(&mut file, &[old])?;
            Err(error)
        }
    }
}

fn put(file: &mut File, pieces: &[&[u8]]) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    for piece in pieces {
        file.write_all(piece)?;
    }
    let length = file.stream_position()?;
    file.set_len(length)
}
