//! The thread that writes: all notes that lie there go into one transaction.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, TransactionBehavior};
use tokio::sync::oneshot;
use toolpost_core::{Answer, Toolbox};

use super::apply::{self, Session};
use super::inbox::Inbox;
use super::life::Life;
use super::note::{Durability, Entry, Note};
use super::question::{Asker, Given};
use super::recorder::{Recording, Trouble};
use super::{digest, now};
use crate::store::StoreError;

/// All that the thread works with.
pub(super) struct Writer {
    pub(super) database: Connection,
    pub(super) inbox: Inbox,
    pub(super) session: i64,
    pub(super) recording: Recording,
    pub(super) trouble: Trouble,
    /// Held as long as there may be something to write.
    _life: Life,
    definitions: HashMap<String, Option<String>>,
    is_syncing: bool,
}

/// Who waits for an answer, and the answer.
type Waiting = (
    oneshot::Sender<Result<Answer, StoreError>>,
    Result<Answer, StoreError>,
);

impl Writer {
    pub(super) fn new(
        database: Connection,
        inbox: Inbox,
        session: i64,
        recording: Recording,
        trouble: Trouble,
        life: Life,
    ) -> Self {
        Self {
            database,
            inbox,
            session,
            recording,
            trouble,
            _life: life,
            definitions: HashMap::new(),
            is_syncing: false,
        }
    }

    /// Writes until the pile is closed and empty, then closes the session.
    pub(super) fn run(mut self) {
        while let Some(entries) = self.inbox.take() {
            self.write(entries);
        }
        let closed = self.sync(true).and_then(|()| {
            let transaction = self
                .database
                .transaction_with_behavior(TransactionBehavior::Immediate)?;
            apply::close_session(&transaction, self.session, now())?;
            transaction.commit()
        });
        if let Err(error) = closed {
            self.trouble.tell(&error);
        }
    }

    /// Writes these, and then tells everyone who waits for one of them.
    fn write(&mut self, mut entries: Vec<Entry>) {
        let must_sync = entries
            .iter()
            .any(|entry| entry.durability == Durability::Synced);
        let done = self
            .sync(must_sync)
            .and_then(|()| self.in_one_transaction(&mut entries));
        let problem = match &done {
            Ok(_) => None,
            Err(error) => {
                self.trouble.tell(error);
                Some(StoreError(error.to_string()))
            }
        };
        for (sender, answer) in done.unwrap_or_default() {
            drop(sender.send(answer));
        }
        for entry in entries {
            let result = || problem.clone().map_or(Ok(()), Err);
            if let Some(sender) = entry.done {
                drop(sender.send(result()));
            }
            if let (Note::Asked(mut asked), Some(problem)) = (entry.note, &problem)
                && let Some(sender) = asked.answer.take()
            {
                drop(sender.send(Err(problem.clone())));
            }
        }
    }

    fn sync(&mut self, must_sync: bool) -> rusqlite::Result<()> {
        if must_sync != self.is_syncing {
            let level = if must_sync { "FULL" } else { "NORMAL" };
            self.database.pragma_update(None, "synchronous", level)?;
            self.is_syncing = must_sync;
        }
        Ok(())
    }

    fn in_one_transaction(&mut self, entries: &mut [Entry]) -> rusqlite::Result<Vec<Waiting>> {
        let Self {
            database,
            recording,
            definitions,
            ..
        } = self;
        let session = Session {
            id: self.session,
            mask: &recording.mask,
        };
        let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut waiting = Vec::new();
        for entry in entries {
            match &mut entry.note {
                Note::Admitted(call) => {
                    let definition = definition(definitions, &recording.toolbox, &call.name);
                    session.admit(&transaction, call, definition)?;
                }
                Note::Revised(call) => session.revise(&transaction, call)?,
                Note::Started {
                    key,
                    at,
                    decision,
                    effects,
                } => session.start(&transaction, *key, *at, decision.as_ref(), *effects)?,
                Note::Ended(end) => session.end(&transaction, end)?,
                Note::Abandoned { key, at } => session.abandon(&transaction, *key, *at)?,
                Note::Asked(asked) => {
                    let asker = Asker {
                        session: &session,
                        name: recording.name.as_deref(),
                        root: &recording.root,
                        definition: definition(definitions, &recording.toolbox, &asked.name),
                        lasts: recording.questions_last,
                    };
                    let answer = match asker.ask(&transaction, asked)? {
                        Given::Yes => Answer::Yes,
                        Given::No(words) => Answer::No(words),
                        Given::Later => Answer::Later,
                    };
                    waiting.extend(asked.answer.take().map(|sender| (sender, Ok(answer))));
                }
            }
        }
        match transaction.commit() {
            Ok(()) => Ok(waiting),
            Err(error) => {
                // Whoever waits is told what went wrong instead, so nobody takes a yes for kept.
                for (sender, _) in waiting {
                    drop(sender.send(Err(StoreError(error.to_string()))));
                }
                Err(error)
            }
        }
    }
}

/// The digest of a tool's definition, made once.
fn definition<'d>(
    known: &'d mut HashMap<String, Option<String>>,
    toolbox: &Arc<Toolbox>,
    name: &str,
) -> Option<&'d str> {
    if !known.contains_key(name) {
        // A name that no tool has is the model's own, and there may be any number of them.
        if !toolbox.has(name) {
            return None;
        }
        let definition = toolbox.definition(name).and_then(Result::ok);
        let digest = definition.as_ref().map(digest::of_definition);
        known.insert(name.to_owned(), digest);
    }
    known.get(name)?.as_deref()
}
