//! The journal: one file that keeps every call, its decision, its approvals and how it ended.
//!
//! It is an SQLite file in WAL mode, and several processes may use one at the same time. A
//! [`Recorder`] is the side of one session: it takes notes from the driver and hands them to a
//! thread that writes them, many in one transaction. How durable a note is before anything goes on
//! depends on what the call may do:
//!
//! | the call | its start and its end are |
//! |---|---|
//! | only reads | written within a few milliseconds; nothing waits |
//! | may be repeated | committed before it begins and before its outcome is given away: this outlives the process |
//! | may not be repeated, or is answered by a person | synced to the disk likewise: this outlives the machine |
//!
//! What a session that went down left open is closed when the journal is opened next: a call that
//! had begun and may not be repeated becomes `unknown`, any other `cancelled`. Nothing is ever run
//! again from here.
//!
//! Left out of it: results (only their digest is kept), and what a mask takes out.

mod answer;
mod apply;
mod database;
mod digest;
mod error;
mod inbox;
mod life;
mod log;
mod mask;
mod note;
mod question;
mod queue;
mod recorder;
mod recover;
mod retain;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::Connection;

pub use answer::Settled;
pub use error::JournalError;
pub use log::{Filter, LoggedCall, SessionName};
pub use mask::{Mask, MaskError};
pub use question::KeptQuestion;
pub use queue::Queue;
pub use recorder::{Recorder, Recording};
pub use recover::SessionProcess;

/// A journal that is open. Reading and answering go through it; [`Journal::record`] begins to write.
pub struct Journal {
    path: PathBuf,
    connection: Mutex<Connection>,
}

/// How long what is in a journal is kept. Open calls and open questions are never removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Calls that ended longer ago go.
    pub max_age: Option<Duration>,
    /// Where the file holds more than this, the oldest calls go.
    pub max_bytes: Option<u64>,
}

impl Default for Retention {
    /// 90 days and 256 MiB.
    fn default() -> Self {
        Self {
            max_age: Some(Duration::from_secs(90 * 24 * 3600)),
            max_bytes: Some(256 * 1024 * 1024),
        }
    }
}

impl Journal {
    /// Opens the journal in this file, which is made where it is not there, for its owner alone.
    /// What sessions that went down have left open is closed.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is no journal, or was written by a newer version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = std::path::absolute(path.as_ref()).map_err(JournalError::Folder)?;
        let mut connection = database::open(&path)?;
        recover::recover(&mut connection, &life::folder(&path))?;
        Ok(Self {
            path,
            connection: Mutex::new(connection),
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Closes what sessions that went down have left open since this was opened.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn close_dead(&self) -> Result<(), JournalError> {
        recover::recover(&mut self.connection(), &life::folder(&self.path))
    }

    /// Tells how many calls nobody knows the end of, where there are some that nobody was told of
    /// yet. They count as told only after that.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read or written.
    pub fn tell_unknown(&self, tell: impl FnOnce(usize)) -> Result<(), JournalError> {
        recover::tell_unknown(&self.connection(), tell)
    }

    /// Removes what is older or more than this.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn retain(&self, retention: Retention) -> Result<(), JournalError> {
        retain::retain(&mut self.connection(), retention)
    }

    /// Calls that the filter lets through, in the order in which they were admitted.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn calls(&self, filter: &Filter) -> Result<Vec<LoggedCall>, JournalError> {
        log::calls(&self.connection(), filter)
    }

    /// Questions that wait for an answer or whose answer waits for its calls, the oldest first.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn questions(&self) -> Result<Vec<KeptQuestion>, JournalError> {
        question::open_ones(&self.connection())
    }

    /// The processes of the sessions that are open.
    ///
    /// # Errors
    ///
    /// When the journal cannot be read.
    pub fn processes(&self) -> Result<Vec<SessionProcess>, JournalError> {
        recover::processes(&self.connection())
    }

    /// Answers a question: yes, for as many calls as waited for this answer.
    ///
    /// # Errors
    ///
    /// When there is no such question that waits, or the journal cannot be written.
    pub fn allow(&self, question: i64, by: &str) -> Result<Settled, JournalError> {
        answer::allow(&mut self.connection(), question, by)
    }

    /// Answers a question: no, with words for the model. An answer of yes that is not used up yet
    /// is taken back by this.
    ///
    /// # Errors
    ///
    /// When there is no such question that is open, or the journal cannot be written.
    pub fn deny(
        &self,
        question: i64,
        by: &str,
        words: Option<&str>,
    ) -> Result<Settled, JournalError> {
        answer::deny(&mut self.connection(), question, by, words)
    }

    /// Begins to record a session.
    ///
    /// # Errors
    ///
    /// When the journal cannot be written.
    pub fn record(&self, recording: Recording) -> Result<Recorder, JournalError> {
        Recorder::begin(&self.path, recording)
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

/// Microseconds since 1970, which is how the journal keeps times.
fn micros(at: SystemTime) -> i64 {
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_micros()).unwrap_or(i64::MAX),
        Err(_) => 0,
    }
}

fn now() -> i64 {
    micros(SystemTime::now())
}

fn moment(micros: i64) -> SystemTime {
    let since = Duration::from_micros(u64::try_from(micros).unwrap_or_default());
    SystemTime::UNIX_EPOCH
        .checked_add(since)
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

fn span(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
