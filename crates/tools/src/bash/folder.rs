//! The folder that the shell stands in, from one call to the next.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use toolpost_core::{Facts, WorkingFolder};

use super::BashOutput;

/// Where a shell begins.
pub(super) struct Stand {
    pub(super) folder: PathBuf,
    /// The folder that was kept and is gone.
    gone: Option<PathBuf>,
}

impl Stand {
    /// The kept folder, or what is left of the way to it.
    pub(super) fn of(facts: &Facts) -> Self {
        let kept = facts.working_folder();
        if kept.is_dir() {
            return Self {
                folder: kept,
                gone: None,
            };
        }
        let mut left = kept.ancestors();
        let nearest = left.find(|folder| folder.is_dir() && facts.is_inside(folder));
        Self {
            folder: nearest.unwrap_or_else(|| facts.root()).to_path_buf(),
            gone: Some(kept),
        }
    }

    /// Says that another folder was used than the kept one.
    pub(super) fn told(&self, output: &mut BashOutput) {
        if let Some(gone) = &self.gone {
            output.note(&format!(
                "the folder `{}` is gone; this ran in `{}`",
                gone.display(),
                self.folder.display()
            ));
        }
    }
}

/// Hears from a shell in which folder it ended.
///
/// The shell writes it into a file that has no name: it is reached through our own descriptor, so
/// nothing is left behind, and what the shell starts does not hold it open.
pub(super) struct Moves(File);

impl Moves {
    /// Nothing where there are no files without names; then no folder is kept.
    #[cfg(target_os = "linux")]
    pub(super) fn watch() -> Option<Self> {
        use rustix::fs::{MemfdFlags, memfd_create};
        let file = memfd_create("shell-cwd", MemfdFlags::CLOEXEC).ok()?;
        Some(Self(file.into()))
    }

    /// Nothing where there are no files without names; then no folder is kept.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn watch() -> Option<Self> {
        None
    }

    /// The command, with the report at its end. They share a line, so that the shell counts the
    /// lines as they were written.
    pub(super) fn reported_by(&self, command: &str) -> String {
        use std::os::fd::AsRawFd;
        let (pid, descriptor) = (std::process::id(), self.0.as_raw_fd());
        format!("trap 'builtin pwd -P 2>/dev/null >|/proc/{pid}/fd/{descriptor}' EXIT; {command}")
    }

    /// Where the shell ended, if it came to say so.
    pub(super) fn end(mut self) -> Option<PathBuf> {
        let mut told = Vec::new();
        self.0.rewind().ok()?;
        self.0.read_to_end(&mut told).ok()?;
        let name = told.strip_suffix(b"\n")?.to_vec();
        Some(PathBuf::from(OsString::from_vec(name))).filter(|folder| folder.is_absolute())
    }
}

/// Keeps the folder for the next shell, and says where that is.
pub(super) fn keep(end: Option<PathBuf>, stand: &Stand, facts: &Facts, output: &mut BashOutput) {
    let Some(kept) = facts.state().get::<WorkingFolder>() else {
        return;
    };
    let began = &stand.folder;
    match end {
        Some(end) if !facts.is_inside(&end) => {
            output.note(&format!(
                "`{}` is outside of the root, so the next command begins in `{}`",
                end.display(),
                began.display()
            ));
            kept.set(began);
        }
        Some(end) if end != facts.resolve(began) => {
            output.note(&format!("the next command begins in `{}`", end.display()));
            output.folder = Some(end.display().to_string());
            kept.set(end);
        }
        _ if stand.gone.is_some() => kept.set(began),
        _ => {}
    }
}
