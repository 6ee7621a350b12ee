//! What sessions that went down have left open.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::{JournalError, apply, life, now};

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

/// Counts the calls that turned out to be unknown and that nobody was told of, and takes them for
/// told.
pub(super) fn newly_unknown(database: &Connection) -> Result<usize, JournalError> {
    let is_any: bool = database.query_row(
        "SELECT EXISTS (SELECT 1 FROM calls WHERE is_told = 0)",
        (),
        |row| row.get(0),
    )?;
    if !is_any {
        return Ok(0);
    }
    Ok(database.execute("UPDATE calls SET is_told = 1 WHERE is_told = 0", ())?)
}
