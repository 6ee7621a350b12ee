//! Questions that are kept: asked here, and answered when somebody gets to it.
//!
//! A question is about one *binding*: the tool, the exact bytes of the input, the digest of the
//! tool's definition with what stands behind it, the root, the name of the session where it has
//! one, and the objects that the paths of the input lead to. Of one binding at most one question
//! waits at a time. A call that asks is answered in this order:
//!
//! 1. An answer with the same binding that is not used up and has not expired: the call takes one
//!    use of it. Two processes cannot take the same use, since each takes it in a transaction.
//! 2. Otherwise the call waits with all others that ask the same.
//!
//! An answer has as many uses as one session had calls waiting for it, the most of any: twenty equal
//! calls of one run are settled by one answer, and a run that is tried again before there is an
//! answer does not ask for more than it needs.

use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, Row, params};
use toolpost_core::{Decision, Effects};

use super::apply::{Session, json};
use super::digest::Parts;
use super::mask::MASKED;
use super::note::Asked;
use super::{JournalError, moment, now, span};

/// A question that is open, as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeptQuestion {
    /// Its number, by which it is answered.
    pub id: i64,
    /// The id of the call that asked first.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// The exact input as JSON text, unless it is masked.
    pub input: String,
    /// Whether a mask has taken something out of the input, which is not what will run then.
    pub is_masked: bool,
    /// What the call does, in the tool's words.
    pub description: String,
    /// What the call may do.
    pub effects: Effects,
    /// Why it is asked: the decision as JSON.
    pub decision: String,
    /// The session that asked first: its number.
    pub session: i64,
    /// Its name, where it has one.
    pub session_name: Option<String>,
    /// Its process.
    pub pid: u32,
    /// The root that it is about.
    pub root: String,
    /// The folder that the shell stood in, where that was not the root.
    pub folder: Option<String>,
    /// When it was asked last.
    pub asked: SystemTime,
    /// When the question, or its answer, is forgotten.
    pub expires: SystemTime,
    /// How many calls the answer is for: those that wait, or those that have not taken it up yet.
    pub calls: u64,
    /// Whether it was answered with yes (`true`) or no, where it was answered.
    pub answer: Option<bool>,
}

/// Who asks.
pub(super) struct Asker<'a> {
    pub(super) session: &'a Session<'a>,
    pub(super) name: Option<&'a str>,
    pub(super) root: &'a str,
    pub(super) definition: Option<&'a str>,
    pub(super) lasts: Duration,
}

/// What a call that asks is given.
pub(super) enum Given {
    Yes,
    No(Option<String>),
    Later,
}

const USE: &str = "
UPDATE questions SET uses = uses - 1
WHERE id = (SELECT id FROM questions WHERE binding = ?1 AND uses > 0 AND expires > ?2
  ORDER BY id LIMIT 1) AND uses > 0
RETURNING id, state, words";

const WAIT: &str = "
INSERT INTO questions (binding, session, call, tool, input, is_masked, description, effects,
  decision, asked, lasts, expires, state)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?10 + ?11, 'waiting')
ON CONFLICT (binding) WHERE state = 'waiting'
DO UPDATE SET asked = excluded.asked, lasts = excluded.lasts, expires = excluded.expires
RETURNING id";

const COUNT: &str = "
INSERT INTO waiting (question, session, calls) VALUES (?1, ?2, 1)
ON CONFLICT DO UPDATE SET calls = calls + 1";

const OPEN: &str = "
SELECT q.id, q.call, q.tool, q.input, q.is_masked, q.description, q.effects, q.decision,
  q.session, s.name, s.pid, s.root, q.asked, q.expires,
  CASE q.state WHEN 'waiting'
    THEN (SELECT max(calls) FROM waiting w WHERE w.question = q.id) ELSE q.uses END,
  q.state,
  (SELECT c.folder FROM calls c WHERE c.session = q.session AND c.call = q.call
    ORDER BY c.id DESC LIMIT 1)
FROM questions q JOIN sessions s ON s.id = q.session
WHERE (q.state = 'waiting' OR q.uses > 0) AND q.expires > ?1
ORDER BY q.id";

impl Asker<'_> {
    /// Takes an answer up, or waits for one.
    pub(super) fn ask(&self, database: &Connection, asked: &Asked) -> rusqlite::Result<Given> {
        let binding = self.binding(asked);
        expire(database)?;
        let taken = database
            .prepare_cached(USE)?
            .query_row(params![binding, now()], |row| {
                let (id, state): (i64, String) = (row.get(0)?, row.get(1)?);
                Ok((id, state, row.get(2)?))
            })
            .optional()?;
        let Some((question, state, words)) = taken else {
            self.wait(database, asked, &binding)?;
            return Ok(Given::Later);
        };
        self.name_question(database, asked, question)?;
        Ok(if state == "allowed" {
            Given::Yes
        } else {
            Given::No(words)
        })
    }

    fn wait(&self, database: &Connection, asked: &Asked, binding: &str) -> rusqlite::Result<()> {
        let mask = self.session.mask;
        let masked = mask.json(&asked.input);
        // Words that were made from a masked input may show a part of it.
        let (description, decision) = match &masked {
            Some(_) => (
                MASKED.into(),
                json(&Decision {
                    reason: MASKED.into(),
                    ..asked.decision.clone()
                }),
            ),
            None => (
                self.session.text(&asked.description),
                self.session.masked_json(&asked.decision),
            ),
        };
        let question: i64 = database.prepare_cached(WAIT)?.query_row(
            params![
                binding,
                self.session.id,
                self.session.text(&asked.id),
                asked.name,
                masked.as_deref().unwrap_or(&asked.input),
                masked.is_some(),
                description,
                json(&asked.effects),
                decision,
                asked.at,
                span(self.lasts),
            ],
            |row| row.get(0),
        )?;
        database
            .prepare_cached(COUNT)?
            .execute(params![question, self.session.id])?;
        self.name_question(database, asked, question)
    }

    /// The call's record says which question it is about.
    fn name_question(
        &self,
        database: &Connection,
        asked: &Asked,
        question: i64,
    ) -> rusqlite::Result<()> {
        let name = "UPDATE calls SET question = ?1
            WHERE session = ?2 AND call = ?3 AND state = 'admitted'";
        database.prepare_cached(name)?.execute(params![
            question,
            self.session.id,
            self.session.text(&asked.id)
        ])?;
        Ok(())
    }

    fn binding(&self, asked: &Asked) -> String {
        let mut parts = Parts::default()
            .and(asked.name.as_bytes())
            .and(asked.input.as_bytes())
            .and(self.definition.unwrap_or_default().as_bytes())
            .and(self.root.as_bytes())
            .and(self.name.unwrap_or_default().as_bytes());
        for (path, object) in asked.binding.iter().flat_map(|bound| &bound.objects) {
            parts = parts
                .and(path.as_os_str().as_encoded_bytes())
                .and(object.as_os_str().as_encoded_bytes());
        }
        parts.hex()
    }
}

/// Questions and answers whose time is over count no more.
pub(super) fn expire(database: &Connection) -> rusqlite::Result<()> {
    let expire = "UPDATE questions SET state = 'expired', uses = 0
        WHERE (state = 'waiting' OR uses > 0) AND expires <= ?1";
    database.prepare_cached(expire)?.execute([now()])?;
    Ok(())
}

pub(super) fn open_ones(database: &Connection) -> Result<Vec<KeptQuestion>, JournalError> {
    let mut statement = database.prepare_cached(OPEN)?;
    let questions = statement.query_map([now()], kept)?;
    Ok(questions.collect::<Result<_, _>>()?)
}

fn kept(row: &Row<'_>) -> rusqlite::Result<KeptQuestion> {
    let effects: String = row.get(6)?;
    let state: String = row.get(15)?;
    Ok(KeptQuestion {
        id: row.get(0)?,
        call: row.get(1)?,
        tool: row.get(2)?,
        input: row.get(3)?,
        is_masked: row.get(4)?,
        description: row.get(5)?,
        // What cannot be read is taken at its worst.
        effects: serde_json::from_str(&effects).unwrap_or_else(|_| Effects::UNKNOWN.and_destroys()),
        decision: row.get(7)?,
        session: row.get(8)?,
        session_name: row.get(9)?,
        pid: row.get(10)?,
        root: row.get(11)?,
        folder: row.get(16)?,
        asked: moment(row.get(12)?),
        expires: moment(row.get(13)?),
        calls: u64::try_from(row.get::<_, i64>(14)?).unwrap_or_default(),
        answer: (state != "waiting").then(|| state == "allowed"),
    })
}
