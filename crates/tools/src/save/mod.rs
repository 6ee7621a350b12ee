//! Writing a file whole or not at all.
//!
//! The new content goes into a temporary file in the same folder, which then takes the place of
//! the old one in one step; whoever looks sees the old file or the new one. The mode is kept. A
//! file that cannot be replaced without loss (it has other names, attributes, or another owner)
//! is written in place, and put back as it was when that fails.

mod in_place;
mod temporary;
#[cfg(test)]
mod tests;

use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use toolpost_core::{Facts, ToolError};

use crate::file_state::Stamp;
use crate::work::Stop;
use crate::{failure, open, place};
use temporary::Temporary;
pub(crate) use temporary::is_temporary;

/// Files over this size are not changed: they are held in memory twice.
const MOST_BYTES: u64 = 1 << 30;
/// Between two steps of this size the work can be stopped.
const STEP: usize = 1 << 20;
const MOST_LINKS: usize = 40;

/// A file as it was read before a change.
pub(crate) struct Before {
    pub(crate) metadata: Metadata,
    pub(crate) bytes: Vec<u8>,
}

/// Where a change really goes: the end of all links, and the file there, if any.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) before: Option<Before>,
}

impl Target {
    /// Follows `path` and reads what is there. A file that must not be written is refused here.
    pub(crate) fn load(path: &Path, facts: &Facts, stop: &Stop) -> Result<Self, ToolError> {
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
        let bytes = read_all(file, &metadata, stop)?
            .map_err(|error| failure::io(&error, "read", &shown, &path))?;
        Ok(Self {
            path,
            before: Some(Before { metadata, bytes }),
        })
    }

    /// Puts the pieces of `new` there, unless the file has changed since it was loaded.
    pub(crate) fn save(
        &self,
        new: &[&[u8]],
        facts: &Facts,
        stop: &Stop,
    ) -> Result<Metadata, ToolError> {
        let shown = place::shown(&self.path, facts);
        let fail = |error: &io::Error| failure::io(error, "write", &shown, &self.path);
        stop.check()?;
        match &self.before {
            None => self.create(new, &shown, stop),
            Some(before) if must_stay(&self.path, &before.metadata) => {
                self.write_in_place(before, new, &shown, stop)
            }
            Some(before) => match self.replace(before, new, &shown, stop)? {
                Ok(metadata) => Ok(metadata),
                Err(error) if is_worth_in_place(&error) => {
                    self.write_in_place(before, new, &shown, stop)
                }
                Err(error) => Err(fail(&error)),
            },
        }
    }

    fn create(&self, new: &[&[u8]], shown: &str, stop: &Stop) -> Result<Metadata, ToolError> {
        let fail = |error: &io::Error| failure::io(error, "write", shown, &self.path);
        let folders = NewFolders::above(&self.path).map_err(|error| fail(&error))?;
        let temporary = Temporary::new(&self.path, 0o666).map_err(|error| fail(&error))?;
        write_steps(temporary.file(), new, stop)?.map_err(|error| fail(&error))?;
        let metadata = stop.commit(|| match put_new(temporary.path(), &self.path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(failure::stale(shown))
            }
            other => other
                .and_then(|()| temporary.placed().metadata())
                .map_err(|error| fail(&error)),
        })?;
        folders.keep();
        Ok(metadata)
    }

    /// The inner result is the system's word, on which writing in place may be tried instead.
    fn replace(
        &self,
        before: &Before,
        new: &[&[u8]],
        shown: &str,
        stop: &Stop,
    ) -> Result<io::Result<Metadata>, ToolError> {
        let made = Temporary::new(&self.path, 0o600).and_then(|temporary| {
            let (made, old) = (temporary.file().metadata()?, &before.metadata);
            if (made.uid(), made.gid()) != (old.uid(), old.gid()) {
                return Err(Errno::PERM.into());
            }
            Ok(temporary)
        });
        let temporary = match made {
            Ok(temporary) => temporary,
            Err(error) => return Ok(Err(error)),
        };
        if let Err(error) = write_steps(temporary.file(), new, stop)? {
            return Ok(Err(error));
        }
        let mode = fs::Permissions::from_mode(before.metadata.mode() & 0o7777);
        if let Err(error) = temporary.file().set_permissions(mode) {
            return Ok(Err(error));
        }
        stop.commit(|| {
            self.still(before, shown)?;
            Ok(fs::rename(temporary.path(), &self.path)
                .and_then(|()| temporary.placed().metadata()))
        })
    }

    fn write_in_place(
        &self,
        before: &Before,
        new: &[&[u8]],
        shown: &str,
        stop: &Stop,
    ) -> Result<Metadata, ToolError> {
        stop.commit(|| {
            self.still(before, shown)?;
            in_place::write(&self.path, &before.bytes, new)
                .map_err(|error| failure::io(&error, "write", shown, &self.path))
        })
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

/// Folders made for a new file; those that are not kept are taken away again.
struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    fn above(path: &Path) -> io::Result<Self> {
        let missing = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists());
        let made = Self(missing.map(Path::to_path_buf).collect());
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(made)
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for NewFolders {
    fn drop(&mut self) {
        for folder in &self.0 {
            // One that somebody else has filled meanwhile stays.
            let _ = fs::remove_dir(folder);
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

/// Whether replacing the file would lose something: other names or attributes of it.
fn must_stay(path: &Path, metadata: &Metadata) -> bool {
    if metadata.nlink() > 1 {
        return true;
    }
    let mut names = [0_u8; 4096];
    match rustix::fs::listxattr(path, &mut names[..]) {
        Ok(0) | Err(Errno::NOTSUP) => false,
        Ok(length) => names
            .get(..length)
            .unwrap_or_default()
            .split(|byte| *byte == 0)
            // This label is given anew to every file by its folder.
            .any(|name| !name.is_empty() && name != b"security.selinux"),
        Err(_) => true,
    }
}

/// Whether the file itself may be writable though it could not be replaced.
fn is_worth_in_place(error: &io::Error) -> bool {
    let worth = [
        Errno::XDEV,
        Errno::BUSY,
        Errno::PERM,
        Errno::ACCESS,
        Errno::ROFS,
        Errno::TXTBSY,
    ];
    worth
        .iter()
        .any(|errno| error.raw_os_error() == Some(errno.raw_os_error()))
}

/// Moves a file to a name that nobody may have taken meanwhile.
fn put_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        other => Ok(other?),
    }
}

fn read_all(
    mut file: File,
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

fn write_steps(mut file: &File, new: &[&[u8]], stop: &Stop) -> Result<io::Result<()>, ToolError> {
    for step in new.iter().flat_map(|piece| piece.chunks(STEP)) {
        stop.check()?;
        if let Err(error) = file.write_all(step) {
            return Ok(Err(error));
        }
    }
    Ok(Ok(()))
}
