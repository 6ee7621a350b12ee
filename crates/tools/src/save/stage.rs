//! A new content laid ready beside its place, and the one step that puts it there.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use toolpost_core::{Facts, ToolError};

use super::folders::NewFolders;
use super::temporary::Temporary;
use super::undo::Undo;
use super::{Before, Piece, Target, in_place, piece};
use crate::work::Stop;
use crate::{failure, place};

/// A new content that is ready to be put in its place. Dropped before that, it leaves no trace.
pub(crate) struct Staged<'t> {
    target: &'t Target,
    new: &'t [Piece<'t>],
    shown: String,
    how: How,
}

enum How {
    Create {
        temporary: Temporary,
        folders: NewFolders,
    },
    Replace(Temporary),
    InPlace,
}

/// Whether a step may have to be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// It stands.
    Forget,
    /// What was there is kept until all steps are done.
    Keep,
}

/// A step that was taken.
pub(super) struct Done<'t> {
    pub(super) metadata: Metadata,
    pub(super) undo: Option<Undo<'t>>,
}

impl Target {
    /// Lays the pieces ready.
    pub(crate) fn stage<'t>(
        &'t self,
        new: &'t [Piece<'t>],
        facts: &Facts,
        stop: &Stop,
    ) -> Result<Staged<'t>, ToolError> {
        let shown = place::shown(&self.path, facts);
        stop.check()?;
        let how = match &self.before {
            None => self.stage_new(new, &shown, stop)?,
            Some(before) if must_stay(&self.path, &before.metadata) => How::InPlace,
            Some(before) => match self.stage_beside(before, new, stop)? {
                Ok(temporary) => How::Replace(temporary),
                Err(error) if is_worth_in_place(&error) => How::InPlace,
                Err(error) => return Err(failure::io(&error, "write", &shown, &self.path)),
            },
        };
        Ok(Staged {
            target: self,
            new,
            shown,
            how,
        })
    }

    fn stage_new(&self, new: &[Piece<'_>], shown: &str, stop: &Stop) -> Result<How, ToolError> {
        let fail = |error: &io::Error| failure::io(error, "write", shown, &self.path);
        let folders = NewFolders::above(&self.path).map_err(|error| fail(&error))?;
        let temporary = Temporary::new(&self.path, 0o666).map_err(|error| fail(&error))?;
        piece::write(temporary.file(), new, None, stop)?.map_err(|error| fail(&error))?;
        Ok(How::Create { temporary, folders })
    }

    /// The inner result is the system's word, on which writing in place may be tried instead.
    fn stage_beside(
        &self,
        before: &Before,
        new: &[Piece<'_>],
        stop: &Stop,
    ) -> Result<io::Result<Temporary>, ToolError> {
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
        if let Err(error) = piece::write(temporary.file(), new, Some(before), stop)? {
            return Ok(Err(error));
        }
        let mode = fs::Permissions::from_mode(before.metadata.mode() & 0o7777);
        let set = temporary.file().set_permissions(mode);
        Ok(set.map(|()| temporary))
    }
}

impl<'t> Staged<'t> {
    /// Puts the content in its place, unless the file has changed since it was loaded.
    pub(super) fn commit(self, afterwards: Afterwards) -> Result<Done<'t>, ToolError> {
        let Self {
            target,
            new,
            shown,
            how,
        } = self;
        let path = &target.path;
        let fail = |error: &io::Error| failure::io(error, "write", &shown, path);
        let Some(before) = &target.before else {
            return match how {
                How::Create { temporary, folders } => create(&temporary, folders, path, afterwards)
                    .map_err(|error| match error.kind() {
                        io::ErrorKind::AlreadyExists => failure::stale(&shown),
                        _ => fail(&error),
                    }),
                How::Replace(_) | How::InPlace => Err(failure::stale(&shown)),
            };
        };
        target.still(before, &shown)?;
        let replaced = match how {
            How::Replace(temporary) => replace(&temporary, path, afterwards),
            How::Create { .. } | How::InPlace => Err(Errno::XDEV.into()),
        };
        match replaced {
            Err(error) if is_worth_in_place(&error) && before.is_loaded() => {
                let new: Vec<&[u8]> = new.iter().map(|piece| piece.bytes(&before.bytes)).collect();
                let metadata =
                    in_place::write(path, &before.bytes, &new).map_err(|error| fail(&error))?;
                let undo = Undo::WriteBack {
                    path: path.clone(),
                    old: &before.bytes,
                };
                Ok(Done {
                    metadata,
                    undo: (afterwards == Afterwards::Keep).then_some(undo),
                })
            }
            other => other.map_err(|error| fail(&error)),
        }
    }
}

/// Gives the temporary file the name that nobody may have taken meanwhile.
fn create<'t>(
    temporary: &Temporary,
    folders: NewFolders,
    path: &Path,
    afterwards: Afterwards,
) -> io::Result<Done<'t>> {
    put_new(temporary.path(), path)?;
    let metadata = temporary.placed().metadata()?;
    let path = path.to_path_buf();
    let undo = match afterwards {
        Afterwards::Forget => {
            folders.keep();
            None
        }
        Afterwards::Keep => Some(Undo::Create { path, folders }),
    };
    Ok(Done { metadata, undo })
}

/// Puts the temporary file in the place of the one at `path`.
fn replace<'t>(temporary: &Temporary, path: &Path, afterwards: Afterwards) -> io::Result<Done<'t>> {
    if afterwards == Afterwards::Forget {
        fs::rename(temporary.path(), path)?;
        let metadata = temporary.placed().metadata()?;
        return Ok(Done {
            metadata,
            undo: None,
        });
    }
    // The two change names in one step, so the old file is kept and there is always one.
    let flags = RenameFlags::EXCHANGE;
    let kept = match rustix::fs::renameat_with(CWD, temporary.path(), CWD, path, flags) {
        Ok(()) => temporary.path().to_path_buf(),
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            let kept = Temporary::free_name(path);
            fs::hard_link(path, &kept)?;
            if let Err(error) = fs::rename(temporary.path(), path) {
                fs::remove_file(&kept)?;
                return Err(error);
            }
            kept
        }
        Err(error) => return Err(error.into()),
    };
    let metadata = temporary.placed().metadata()?;
    let undo = Some(Undo::Restore {
        path: path.to_path_buf(),
        kept,
    });
    Ok(Done { metadata, undo })
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
pub(super) fn put_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::hard_link(from, to)?;
            fs::remove_file(from)
        }
        other => Ok(other?),
    }
}
