//! Notes about calls as changes of the tables.
//!
//! Of a call whose input a mask has taken something out of, no words are kept that were made from
//! the input: reasons, errors and repairs may show a part that the mask does not know any more.

use std::borrow::Cow;

use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;
use toolpost_core::{Effects, ErrorKind, Status};

use super::mask::MASKED;
use super::note::{Call, End, is_repeatable};
use super::{Mask, digest, life};
use crate::store::CallKey;

/// The session that is written about.
pub(super) struct Session<'s> {
    pub(super) id: i64,
    pub(super) mask: &'s Mask,
}

/// What a call that was dropped on its way, or whose process went down, has come to. Parameters:
/// the session, the time, and which words to say.
pub(super) const CLOSE: &str = "
UPDATE calls SET
  status = CASE WHEN state = 'started' AND NOT is_repeatable THEN 'unknown' ELSE 'cancelled' END,
  error_kind = CASE WHEN state = 'started' AND NOT is_repeatable THEN 'unknown' ELSE 'cancelled' END,
  error = CASE
    WHEN state <> 'started' THEN 'its process ended before it began; nothing was done'
    WHEN is_repeatable THEN 'its process ended while it ran; it may be run again'
    ELSE 'its process ended while it ran; nobody knows how far it came, so look before running it again'
  END,
  is_told = NOT (state = 'started' AND NOT is_repeatable),
  state = 'ended', ended = ?2
WHERE session = ?1 AND state <> 'ended'";

const ADMIT: &str = "
INSERT INTO calls (session, key, parent, call, tool, input, is_masked, input_digest,
  definition_digest, repairs, effects, is_repeatable, admitted, folder, state)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, 'admitted')";

const REVISE: &str = "
UPDATE calls SET input = ?3, is_masked = ?4, input_digest = ?5, repairs = ?6, effects = ?7,
  is_repeatable = ?8, folder = ?9
WHERE session = ?1 AND key = ?2";

const START: &str = "
UPDATE calls SET state = 'started', started = ?3, is_repeatable = ?5,
  decision = CASE WHEN is_masked AND json_valid(?4)
    THEN json_replace(?4, '$.reason', '[masked]') ELSE ?4 END
WHERE session = ?1 AND key = ?2 AND state = 'admitted'";

const END: &str = "
UPDATE calls SET state = 'ended', ended = ?3, status = ?4, error_kind = ?5,
  error = CASE WHEN is_masked AND ?6 IS NOT NULL THEN '[masked]' ELSE ?6 END,
  decision = coalesce(
    CASE WHEN is_masked AND json_valid(?7)
      THEN json_replace(?7, '$.reason', '[masked]') ELSE ?7 END, decision),
  outcome_digest = ?8
WHERE session = ?1 AND key = ?2 AND state <> 'ended'";

impl Session<'_> {
    pub(super) fn admit(
        &self,
        database: &Connection,
        call: &Call,
        definition: Option<&str>,
    ) -> rusqlite::Result<()> {
        let masked = self.mask.json(&call.input);
        database.prepare_cached(ADMIT)?.execute(params![
            self.id,
            key(call.key),
            call.parent.map(key),
            self.text(&call.id),
            // The name of a tool that there is tells nothing.
            match definition {
                Some(_) => Cow::from(&call.name),
                None => self.text(&call.name),
            },
            masked.as_deref().unwrap_or(&call.input),
            masked.is_some(),
            digest::of_text(&call.input),
            definition,
            self.repairs(call, masked.is_some()),
            call.effects.map(|effects| json(&effects)),
            call.effects.is_none_or(is_repeatable),
            call.at,
            call.folder.as_deref().map(|folder| self.text(folder)),
        ])?;
        Ok(())
    }

    pub(super) fn revise(&self, database: &Connection, call: &Call) -> rusqlite::Result<()> {
        let masked = self.mask.json(&call.input);
        database.prepare_cached(REVISE)?.execute(params![
            self.id,
            key(call.key),
            masked.as_deref().unwrap_or(&call.input),
            masked.is_some(),
            digest::of_text(&call.input),
            self.repairs(call, masked.is_some()),
            call.effects.map(|effects| json(&effects)),
            call.effects.is_none_or(is_repeatable),
            call.folder.as_deref().map(|folder| self.text(folder)),
        ])?;
        Ok(())
    }

    pub(super) fn start(
        &self,
        database: &Connection,
        call: CallKey,
        at: i64,
        decision: Option<&impl Serialize>,
        effects: Effects,
    ) -> rusqlite::Result<()> {
        let changed = database.prepare_cached(START)?.execute(params![
            self.id,
            key(call),
            at,
            decision.map(|decision| self.masked_json(decision)),
            is_repeatable(effects),
        ])?;
        // A start without a row would leave an effect without a record.
        if changed == 1 {
            Ok(())
        } else {
            Err(rusqlite::Error::StatementChangedRows(changed))
        }
    }

    pub(super) fn end(&self, database: &Connection, end: &End) -> rusqlite::Result<()> {
        let error = end.error.as_ref();
        database.prepare_cached(END)?.execute(params![
            self.id,
            key(end.key),
            end.at,
            word(end.status),
            error.map(|(kind, _)| kind_word(*kind)),
            error.map(|(_, text)| shortened(self.mask.text(text).unwrap_or_else(|| text.clone()))),
            end.decision
                .as_ref()
                .map(|decision| self.masked_json(decision)),
            end.digest,
        ])?;
        Ok(())
    }

    pub(super) fn abandon(
        &self,
        database: &Connection,
        call: CallKey,
        at: i64,
    ) -> rusqlite::Result<()> {
        let close = format!("{CLOSE} AND key = ?3");
        database
            .prepare_cached(&close)?
            .execute(params![self.id, at, key(call)])?;
        Ok(())
    }

    pub(super) fn masked_json(&self, value: &impl Serialize) -> String {
        let text = json(value);
        self.mask.json(&text).unwrap_or(text)
    }

    /// A text as it may be kept.
    pub(super) fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.mask.text(text).map_or(Cow::from(text), Cow::from)
    }

    fn repairs(&self, call: &Call, is_masked: bool) -> Option<String> {
        let kept = || match is_masked {
            true => json(&MASKED),
            false => self.masked_json(&call.repairs),
        };
        (!call.repairs.is_empty()).then(kept)
    }
}

/// What an error says is kept to this length; it may hold all that a command printed.
const LONGEST_ERROR: usize = 4_000;

fn shortened(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(LONGEST_ERROR) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// The name of a session, its root and its process.
pub(super) fn open_session(
    database: &Connection,
    name: Option<&str>,
    root: &str,
    life: &str,
) -> rusqlite::Result<i64> {
    database.execute(
        "INSERT INTO sessions (name, root, pid, space, life, opened)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            name,
            root,
            std::process::id(),
            life::space(),
            life,
            super::now()
        ],
    )?;
    Ok(database.last_insert_rowid())
}

/// Closes a session with what is still open in it.
pub(super) fn close_session(database: &Connection, session: i64, at: i64) -> rusqlite::Result<()> {
    let is_open: Option<i64> = database
        .query_row(
            "SELECT id FROM sessions WHERE id = ?1 AND closed IS NULL",
            [session],
            |row| row.get(0),
        )
        .optional()?;
    if is_open.is_none() {
        return Ok(());
    }
    database.execute(CLOSE, params![session, at])?;
    database.execute(
        "UPDATE sessions SET closed = ?2 WHERE id = ?1",
        params![session, at],
    )?;
    Ok(())
}

/// A key as the database keeps it; keys count from 0, so they fit.
fn key(key: CallKey) -> i64 {
    i64::try_from(key.0).unwrap_or(i64::MAX)
}

pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn word(status: Status) -> String {
    json(&status).trim_matches('"').to_owned()
}

fn kind_word(kind: ErrorKind) -> String {
    json(&kind).trim_matches('"').to_owned()
}
