//! What sessions that went down have left open.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::{JournalError, apply, life, now};

/// The process of a session that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionProcess {
    /// Its id.
    pub pid: u32,
    /// The space of ids that this is one of, as the link `/proc/self/ns/pid` names it; nothing
    /// where the system did not tell.
    pub space: Option<String>,
}

/// Closes the calls of sessions whose process is gone. Those of sessions that live are theirs.
pub(super) fn recover(database: &mut Connection, lives: &Path) -> Result<(), JournalError> {
    let dead: Vec<(i64, String)> = {
        let mut statement =
            database.prepare("SELECT id, life FROM sessions WHERE closed IS NULL")?;
        let open = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let open: Vec<(i64, String)> = open.collect::<Result<_, _>>()?;
        let is_dead = |(_, name): &(i64, String)| !life::is_alive(lives, name);
        open.into_iter().filter(is_dead).collect()
    };
    if dead.is_empty() {
        return Ok(());
    }
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for (session, _) in &dead {
        apply::close_session(&transaction, *session, now())?;
    }
    transaction.commit()?;
    for (_, name) in &dead {
        life::clear(lives, name);
    }
    Ok(())
}

/// Tells how many calls turned out to be unknown since somebody was told last.
pub(super) fn tell_unknown(
    database: &Connection,
    tell: impl FnOnce(usize),
) -> Result<(), JournalError> {
    let (count, last): (i64, Option<i64>) = database.query_row(
        "SELECT count(*), max(id) FROM calls WHERE is_told = 0",
        (),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if let Some(last) = last {
        tell(usize::try_from(count).unwrap_or_default());
        let told = "UPDATE calls SET is_told = 1 WHERE is_told = 0 AND id <= ?1";
        database.execute(told, [last])?;
    }
    Ok(())
}

/// The processes of the sessions that nobody has closed.
pub(super) fn processes(database: &Connection) -> Result<Vec<SessionProcess>, JournalError> {
    let mut statement = database.prepare("SELECT pid, space FROM sessions WHERE closed IS NULL")?;
    let processes = statement.query_map((), |row| {
        Ok(SessionProcess {
            pid: row.get(0)?,
            space: row.get(1)?,
        })
    })?;
    Ok(processes.collect::<Result<_, _>>()?)
}
