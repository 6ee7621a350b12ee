//! Answering a question that is kept.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::{JournalError, now, question};

/// A question that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settled {
    /// The tool that it is about.
    pub tool: String,
    /// Its input, perhaps masked.
    pub input: String,
    /// Whether a mask has taken something out of that.
    pub is_masked: bool,
    /// How many calls may take the answer up, each once.
    pub calls: u64,
}

/// An answer lasts as long from now as its question did from when it was asked.
const ALLOW: &str = "
UPDATE questions SET state = 'allowed', answered = ?2, answered_by = ?3, expires = ?2 + lasts,
  uses = (SELECT max(calls) FROM waiting w WHERE w.question = questions.id)
WHERE id = ?1 AND state = 'waiting'
RETURNING tool, input, is_masked, uses";

const DENY: &str = "
UPDATE questions SET answered = ?2, answered_by = ?3, words = ?4, expires = ?2 + lasts,
  uses = CASE state WHEN 'waiting'
    THEN (SELECT max(calls) FROM waiting w WHERE w.question = questions.id) ELSE uses END,
  state = 'denied'
WHERE id = ?1 AND (state = 'waiting' OR uses > 0)
RETURNING tool, input, is_masked, uses";

pub(super) fn allow(
    database: &mut Connection,
    question: i64,
    by: &str,
) -> Result<Settled, JournalError> {
    settle(database, question, ALLOW, &[&question, &now(), &by])
}

pub(super) fn deny(
    database: &mut Connection,
    question: i64,
    by: &str,
    words: Option<&str>,
) -> Result<Settled, JournalError> {
    settle(
        database,
        question,
        DENY,
        params![question, now(), by, words],
    )
}

fn settle(
    database: &mut Connection,
    question: i64,
    statement: &str,
    parameters: &[&dyn rusqlite::ToSql],
) -> Result<Settled, JournalError> {
    database.pragma_update(None, "synchronous", "FULL")?;
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
    question::expire(&transaction)?;
    let settled = transaction
        .query_row(statement, parameters, |row| {
            Ok(Settled {
                tool: row.get(0)?,
                input: row.get(1)?,
                is_masked: row.get(2)?,
                calls: u64::try_from(row.get::<_, i64>(3)?).unwrap_or_default(),
            })
        })
        .optional()?;
    transaction.commit()?;
    settled.ok_or(JournalError::NoQuestion(question))
}
