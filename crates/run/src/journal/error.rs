//! What can go wrong with a journal.

use std::io;

use thiserror::Error;

/// Why a journal cannot be used, for the operator.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum JournalError {
    /// The file or its folder cannot be made or opened.
    #[error("the journal cannot be opened: {0}")]
    Folder(io::Error),
    /// A newer version has written it.
    #[error(
        "the journal has version {found} and this toolpost knows {known}; use a newer toolpost, or \
         another file with `--journal FILE`"
    )]
    Newer {
        /// The file's version.
        found: i64,
        /// The newest version that is known here.
        known: i64,
    },
    /// The file is something else.
    #[error("the file is no journal of toolpost; name another with `--journal FILE`")]
    NoJournal,
    /// No question with this number is open.
    #[error("no question {0} waits; `toolpost approvals list` shows those that do")]
    NoQuestion(i64),
    /// The database does not do what it should.
    #[error("the journal cannot be read or written: {0}")]
    Database(#[from] rusqlite::Error),
    /// The thread that writes cannot be started or has gone.
    #[error("nothing can be written to the journal any more: {0}")]
    Writer(String),
}
