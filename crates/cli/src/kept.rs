//! The parts of a session's file: each a key, what is kept under it, and how to go on with it.

use std::path::PathBuf;

use serde_json::Value;
use toolpost_core::{Facts, WorkingFolder};
use toolpost_run::session_file::Kept;
use toolpost_tools::{FileRecord, FileState};

/// Which files were read, and what was seen of them.
pub(crate) struct Seen(pub(crate) FileState);

impl Kept for Seen {
    fn key(&self) -> &'static str {
        "files_read"
    }

    fn save(&self) -> Value {
        serde_json::to_value(self.0.records()).unwrap_or_default()
    }

    fn restore(&self, value: Value) -> Result<(), String> {
        let records: Vec<FileRecord> =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        self.0.restore(records);
        Ok(())
    }
}

/// The folder that the shell stands in.
pub(crate) struct Stand(pub(crate) Facts);

impl Kept for Stand {
    fn key(&self) -> &'static str {
        "working_folder"
    }

    /// Nothing for a folder whose name is no text.
    fn save(&self) -> Value {
        serde_json::to_value(self.0.working_folder()).unwrap_or_default()
    }

    fn restore(&self, value: Value) -> Result<(), String> {
        let folder: Option<PathBuf> =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        if let (Some(folder), Some(kept)) = (folder, self.0.state().get::<WorkingFolder>()) {
            kept.set(folder);
        }
        Ok(())
    }
}
