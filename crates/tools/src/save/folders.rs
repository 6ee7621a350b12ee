//! Folders that are made for a new file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Folders made for a new file; those that are not kept are taken away again.
#[derive(Debug)]
pub(super) struct NewFolders(Vec<PathBuf>);

impl NewFolders {
    pub(super) fn above(path: &Path) -> io::Result<Self> {
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

    pub(super) fn keep(mut self) {
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
