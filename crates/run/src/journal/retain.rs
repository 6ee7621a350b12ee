//! What is too old or too much goes. Open calls and open questions stay whatever their age.

use rusqlite::{Connection, TransactionBehavior, params};

use super::{JournalError, Retention, now, question, span};

/// A question that is settled and used up, or whose time is over.
const SETTLED: &str = "state <> 'waiting' AND uses = 0";
/// How often the oldest calls are taken away before the rest is left for the next time.
const ROUNDS: usize = 4;

pub(super) fn retain(database: &mut Connection, retention: Retention) -> Result<(), JournalError> {
    if let Some(age) = retention.max_age {
        let before = now().saturating_sub(span(age));
        let is_any: bool = database.query_row(
            "SELECT EXISTS (SELECT 1 FROM calls WHERE admitted < ?1)
               OR EXISTS (SELECT 1 FROM questions WHERE asked < ?1)",
            [before],
            |row| row.get(0),
        )?;
        if is_any {
            remove_before(database, before)?;
        }
    }
    if let Some(most) = retention.max_bytes {
        for _ in 0..ROUNDS {
            let held = held(database)?;
            if held <= most || !remove_oldest(database, most, held)? {
                break;
            }
        }
        give_back(database)?;
    }
    Ok(())
}

/// Gives free pages back to the file system, each row of the first statement one of them. Where
/// another process reads, the file shrinks the next time.
fn give_back(database: &Connection) -> Result<(), JournalError> {
    for statement in [
        "PRAGMA incremental_vacuum",
        "PRAGMA wal_checkpoint(TRUNCATE)",
    ] {
        let mut statement = database.prepare(statement)?;
        let mut rows = statement.query(())?;
        while rows.next()?.is_some() {}
    }
    Ok(())
}

fn remove_before(database: &mut Connection, before: i64) -> Result<(), JournalError> {
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    question::expire(&transaction)?;
    transaction.execute(
        "DELETE FROM calls WHERE state = 'ended' AND admitted < ?1 AND ended < ?1",
        [before],
    )?;
    let old = format!("SELECT id FROM questions WHERE {SETTLED} AND asked < ?1");
    transaction.execute(
        &format!("DELETE FROM waiting WHERE question IN ({old})"),
        [before],
    )?;
    transaction.execute(
        &format!("DELETE FROM questions WHERE {SETTLED} AND asked < ?1"),
        [before],
    )?;
    transaction.execute(
        "DELETE FROM sessions WHERE closed < ?1
           AND id NOT IN (SELECT session FROM calls)
           AND id NOT IN (SELECT session FROM questions)
           AND id NOT IN (SELECT session FROM waiting)",
        [before],
    )?;
    transaction.commit()?;
    Ok(())
}

/// Bytes of the pages that hold something.
fn held(database: &Connection) -> Result<u64, JournalError> {
    let pragma = |name| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = pragma("page_count")?.saturating_sub(pragma("freelist_count")?);
    Ok(u64::try_from(pages.saturating_mul(pragma("page_size")?)).unwrap_or_default())
}

/// Removes as large a part of the calls as what is held is too much; says whether any went.
fn remove_oldest(database: &mut Connection, most: u64, held: u64) -> Result<bool, JournalError> {
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let ended: i64 = transaction.query_row(
        "SELECT count(*) FROM calls WHERE state = 'ended'",
        (),
        |row| row.get(0),
    )?;
    let ended = u64::try_from(ended).unwrap_or_default();
    let excess = held.saturating_sub(most);
    let part = u128::from(ended) * u128::from(excess) / u128::from(held.max(1));
    let count = i64::try_from(part).unwrap_or(i64::MAX).saturating_add(1);
    let removed = transaction.execute(
        "DELETE FROM calls WHERE id IN
           (SELECT id FROM calls WHERE state = 'ended' ORDER BY id LIMIT ?1)",
        params![count],
    )?;
    transaction.commit()?;
    Ok(removed > 0)
}
