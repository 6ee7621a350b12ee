//! The file: how it is opened, what is in it, and which version it has.

use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::JournalError;

/// The version of the tables below.
const VERSION: i64 = 2;
/// Marks the file as a journal: `tplj` in ASCII.
const APPLICATION: i64 = 0x7470_6c6a;
/// How long one process waits for another.
const PATIENCE: Duration = Duration::from_secs(5);

/// Times are microseconds since 1970. `decision`, `repairs` and `effects` are JSON.
const TABLES: &str = "
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT,
  root TEXT NOT NULL,
  pid INTEGER NOT NULL,
  life TEXT NOT NULL,
  opened INTEGER NOT NULL,
  closed INTEGER,
  space TEXT
);
CREATE INDEX open_sessions ON sessions(id) WHERE closed IS NULL;
CREATE TABLE calls (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session INTEGER NOT NULL REFERENCES sessions(id),
  key INTEGER NOT NULL,
  parent INTEGER,
  call TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  is_masked INTEGER NOT NULL,
  input_digest TEXT NOT NULL,
  definition_digest TEXT,
  repairs TEXT,
  effects TEXT,
  is_repeatable INTEGER NOT NULL,
  decision TEXT,
  question INTEGER,
  admitted INTEGER NOT NULL,
  started INTEGER,
  ended INTEGER,
  state TEXT NOT NULL,
  status TEXT,
  error_kind TEXT,
  error TEXT,
  outcome_digest TEXT,
  is_told INTEGER NOT NULL DEFAULT 1,
  folder TEXT
);
CREATE UNIQUE INDEX call_of_session ON calls(session, key);
CREATE INDEX open_calls ON calls(session) WHERE state <> 'ended';
CREATE INDEX untold_calls ON calls(id) WHERE is_told = 0;
CREATE INDEX calls_by_time ON calls(admitted);
CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  binding TEXT NOT NULL,
  session INTEGER NOT NULL REFERENCES sessions(id),
  call TEXT NOT NULL,
  tool TEXT NOT NULL,
  input TEXT NOT NULL,
  is_masked INTEGER NOT NULL,
  description TEXT NOT NULL,
  effects TEXT NOT NULL,
  decision TEXT NOT NULL,
  asked INTEGER NOT NULL,
  lasts INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  state TEXT NOT NULL,
  uses INTEGER NOT NULL DEFAULT 0,
  answered INTEGER,
  answered_by TEXT,
  words TEXT
);
CREATE UNIQUE INDEX waiting_questions ON questions(binding) WHERE state = 'waiting';
CREATE INDEX unused_answers ON questions(binding) WHERE uses > 0;
CREATE TABLE waiting (
  question INTEGER NOT NULL REFERENCES questions(id),
  session INTEGER NOT NULL REFERENCES sessions(id),
  calls INTEGER NOT NULL,
  PRIMARY KEY (question, session)
) WITHOUT ROWID;
";

/// Opens the file and makes what is not there yet.
pub(super) fn open(path: &Path) -> Result<Connection, JournalError> {
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(JournalError::Folder)?;
    }
    // SQLite gives its other files the mode of this one.
    OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .open(path)
        .map_err(JournalError::Folder)?;
    let start = Instant::now();
    loop {
        match prepare(path) {
            // Changing to WAL does not wait for others by itself.
            Err(JournalError::Database(error)) if is_busy(&error) && start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(JournalError::Database(error))
                if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) =>
            {
                return Err(JournalError::NoJournal);
            }
            done => return done,
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn prepare(path: &Path) -> Result<Connection, JournalError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.set_prepared_statement_cache_capacity(64);
    // All of it as it was at one moment: another process may be making the tables just now.
    let moment = connection.transaction()?;
    let found = version(&moment)?;
    moment.commit()?;
    match found {
        VERSION => {}
        0 => create(&mut connection)?,
        1 => upgrade(&mut connection)?,
        found => {
            return Err(JournalError::Newer {
                found,
                known: VERSION,
            });
        }
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// The version of the tables; 0 for a file with nothing in it.
fn version(connection: &Connection) -> Result<i64, JournalError> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (pragma("application_id")?, pragma("user_version")?);
    match application {
        APPLICATION => Ok(version),
        0 if version == 0 && is_empty(connection)? => Ok(0),
        _ => Err(JournalError::NoJournal),
    }
}

fn is_empty(connection: &Connection) -> Result<bool, JournalError> {
    let count = "SELECT count(*) FROM sqlite_schema";
    Ok(connection.query_row(count, (), |row| row.get::<_, i64>(0))? == 0)
}

fn create(connection: &mut Connection) -> Result<(), JournalError> {
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    if version(&transaction)? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}

/// The first version kept neither the working folder nor the space of process ids.
fn upgrade(connection: &mut Connection) -> Result<(), JournalError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been quicker.
    if version(&transaction)? == 1 {
        transaction.execute_batch(
            "ALTER TABLE calls ADD COLUMN folder TEXT;
             ALTER TABLE sessions ADD COLUMN space TEXT;",
        )?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}
