//! How a step is taken back, or made final.

use std::fs;
use std::io;
use std::path::PathBuf;

use super::folders::NewFolders;
use super::in_place;
use super::stage::put_new;

/// How a step is taken back.
pub(super) enum Undo<'t> {
    /// Remove what was made.
    Create { path: PathBuf, folders: NewFolders },
    /// Put what was there back from this name.
    Restore { path: PathBuf, kept: PathBuf },
    /// Write the old bytes over the new ones.
    WriteBack { path: PathBuf, old: &'t [u8] },
    /// Move it back.
    MoveBack {
        from: PathBuf,
        to: PathBuf,
        folders: NewFolders,
    },
}

impl Undo<'_> {
    /// Takes the step back.
    pub(super) fn undo(self) -> io::Result<()> {
        match self {
            Self::Create { path, folders } => {
                fs::remove_file(path)?;
                drop(folders);
                Ok(())
            }
            Self::Restore { path, kept } => fs::rename(kept, path),
            Self::WriteBack { path, old } => in_place::write(&path, old, &[old]).map(drop),
            Self::MoveBack { from, to, folders } => {
                put_new(&to, &from)?;
                drop(folders);
                Ok(())
            }
        }
    }

    /// Makes the step final.
    pub(super) fn keep(self) {
        match self {
            Self::Create { folders, .. } | Self::MoveBack { folders, .. } => folders.keep(),
            Self::Restore { kept, .. } => {
                // The change is done; what could not be removed has a name that nobody shows.
                let _ = fs::remove_file(kept);
            }
            Self::WriteBack { .. } => {}
        }
    }
}
