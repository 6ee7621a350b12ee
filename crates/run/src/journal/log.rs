//! Reading what the journal keeps of calls.

use std::time::SystemTime;

use rusqlite::{Connection, Row, params_from_iter, types::Value};

use super::{JournalError, micros, moment};

/// A session by its name or, where it has none, by its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionName {
    /// The name that it was given.
    Named(String),
    /// Its number in the journal.
    Number(i64),
}

/// Which calls are wanted. What is left out lets all through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Of this session.
    pub session: Option<SessionName>,
    /// Of this tool.
    pub tool: Option<String>,
    /// With this status; `admitted` and `started` for calls that are open.
    pub status: Option<String>,
    /// Admitted at this time or later.
    pub since: Option<SystemTime>,
    /// About this root.
    pub root: Option<String>,
    /// With a greater number than this.
    pub after: Option<i64>,
    /// With one of these numbers.
    pub only: Option<Vec<i64>>,
    /// No more than this many, the newest.
    pub limit: Option<u64>,
}

/// A call as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedCall {
    /// Its number in the journal.
    pub id: i64,
    /// Its session's number.
    pub session: i64,
    /// Its session's name, where that has one.
    pub session_name: Option<String>,
    /// The root that it was about.
    pub root: String,
    /// The id that the model gave it.
    pub call: String,
    /// The id of the call that it was a part of.
    pub parent: Option<String>,
    /// The tool's name as it was called.
    pub tool: String,
    /// The input as JSON text.
    pub input: String,
    /// Whether a mask has taken something out of the input.
    pub is_masked: bool,
    /// The digest of the exact input, before anything was masked.
    pub input_digest: String,
    /// The digest of the tool's definition.
    pub definition_digest: Option<String>,
    /// What was mended in the input, as JSON.
    pub repairs: Option<String>,
    /// What it may do, as JSON; nothing for a call that is not valid.
    pub effects: Option<String>,
    /// What was decided, as JSON.
    pub decision: Option<String>,
    /// The question that it asked, or whose answer it took up.
    pub question: Option<i64>,
    /// Who answered that question, where somebody has.
    pub answered_by: Option<String>,
    /// The folder that the shell stood in, where that was not the root.
    pub folder: Option<String>,
    /// When it got its place.
    pub admitted: SystemTime,
    /// When it began.
    pub started: Option<SystemTime>,
    /// When its outcome was there, or its process was found to be gone.
    pub ended: Option<SystemTime>,
    /// Its status; `admitted` or `started` while it is open.
    pub status: String,
    /// The kind of its error and the text.
    pub error: Option<(String, String)>,
    /// The digest of what a model reads of its outcome.
    pub outcome_digest: Option<String>,
}

impl LoggedCall {
    /// Whether it has no outcome yet.
    pub fn is_open(&self) -> bool {
        self.ended.is_none()
    }
}

const SELECT: &str = "
SELECT c.id, c.session, s.name, s.root, c.call, p.call, c.tool, c.input, c.is_masked,
  c.input_digest, c.definition_digest, c.repairs, c.effects, c.decision, c.question, c.admitted,
  c.started, c.ended, coalesce(c.status, c.state), c.error_kind, c.error, c.outcome_digest,
  q.answered_by, c.folder
FROM calls c JOIN sessions s ON s.id = c.session
LEFT JOIN questions q ON q.id = c.question
LEFT JOIN calls p ON p.session = c.session AND p.key = c.parent
WHERE true";

pub(super) fn calls(
    database: &Connection,
    filter: &Filter,
) -> Result<Vec<LoggedCall>, JournalError> {
    let mut query = SELECT.to_owned();
    let mut values: Vec<Value> = Vec::new();
    let mut and = |condition: &str, value: Value| {
        query.push_str(" AND ");
        query.push_str(condition);
        values.push(value);
    };
    match &filter.session {
        Some(SessionName::Named(name)) => and("s.name = ?", name.clone().into()),
        Some(SessionName::Number(number)) => and("s.id = ?", (*number).into()),
        None => {}
    }
    if let Some(tool) = &filter.tool {
        and("c.tool = ?", tool.clone().into());
    }
    if let Some(status) = &filter.status {
        and("coalesce(c.status, c.state) = ?", status.clone().into());
    }
    if let Some(since) = filter.since {
        and("c.admitted >= ?", micros(since).into());
    }
    if let Some(root) = &filter.root {
        and("s.root = ?", root.clone().into());
    }
    if let Some(after) = filter.after {
        and("c.id > ?", after.into());
    }
    if let Some(only) = &filter.only {
        let list: Vec<String> = only.iter().map(i64::to_string).collect();
        query.push_str(&format!(" AND c.id IN ({})", list.join(",")));
    }
    // The newest are wanted, and told in the order in which they came.
    query.push_str(" ORDER BY c.id DESC");
    if let Some(limit) = filter.limit {
        query.push_str(" LIMIT ?");
        values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
    }
    let mut statement = database.prepare_cached(&query)?;
    let rows = statement.query_map(params_from_iter(values), logged)?;
    let mut calls = rows.collect::<Result<Vec<_>, _>>()?;
    calls.reverse();
    Ok(calls)
}

fn logged(row: &Row<'_>) -> rusqlite::Result<LoggedCall> {
    let (kind, text): (Option<String>, Option<String>) = (row.get(19)?, row.get(20)?);
    let time = |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<i64>>(at)?.map(moment));
    Ok(LoggedCall {
        id: row.get(0)?,
        session: row.get(1)?,
        session_name: row.get(2)?,
        root: row.get(3)?,
        call: row.get(4)?,
        parent: row.get(5)?,
        tool: row.get(6)?,
        input: row.get(7)?,
        is_masked: row.get(8)?,
        input_digest: row.get(9)?,
        definition_digest: row.get(10)?,
        repairs: row.get(11)?,
        effects: row.get(12)?,
        decision: row.get(13)?,
        question: row.get(14)?,
        admitted: moment(row.get(15)?),
        started: time(16)?,
        ended: time(17)?,
        status: row.get(18)?,
        error: kind.zip(text),
        outcome_digest: row.get(21)?,
        answered_by: row.get(22)?,
        folder: row.get(23)?,
    })
}
