//! The side of one session: takes notes from the driver and hands them to the thread that writes.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::TransactionBehavior;
use tokio::sync::oneshot;
use toolpost_core::{Answer, AskedCall, BoxFuture, Outcome, PermittedCall, Toolbox};

use super::inbox::Inbox;
use super::life::{self, Life};
use super::note::{Asked, Call, Durability, End, Entry, Note};
use super::queue::Queue;
use super::writer::Writer;
use super::{JournalError, Mask, apply, database, digest, now};
use crate::store::{CallKey, CallStore, NotedCall, StoreError};

/// How long a question waits, or its answer to be taken up, where nothing else is said: a week.
pub(super) const QUESTIONS_LAST: Duration = Duration::from_secs(7 * 24 * 3600);

/// What is recorded, and how.
#[derive(Debug, Clone)]
pub struct Recording {
    /// The name of the session, where it has one. Answers to its questions are for it alone.
    pub name: Option<String>,
    /// The root that the calls are about.
    pub root: String,
    /// The tools, for their definitions.
    pub toolbox: Arc<Toolbox>,
    /// What must not be written.
    pub mask: Mask,
    /// How long a question waits, and an answer to be taken up.
    pub questions_last: Duration,
}

impl Recording {
    /// A session without a name of these tools about this root, with nothing masked.
    pub fn new(toolbox: impl Into<Arc<Toolbox>>, root: impl AsRef<Path>) -> Self {
        Self {
            name: None,
            root: root.as_ref().to_string_lossy().into_owned(),
            toolbox: toolbox.into(),
            mask: Mask::default(),
            questions_last: QUESTIONS_LAST,
        }
    }
}

/// The first thing that could not be written.
#[derive(Debug, Clone, Default)]
pub(super) struct Trouble(Arc<Mutex<Option<String>>>);

impl Trouble {
    pub(super) fn tell(&self, error: &rusqlite::Error) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert_with(|| error.to_string());
    }
}

/// Records one session in a journal. A cheap clone; all clones are one. When the last is dropped
/// the session is closed and all is written; [`Recorder::close`] does so at once.
#[derive(Clone)]
pub struct Recorder(Arc<Inner>);

struct Inner {
    inbox: Inbox,
    session: i64,
    trouble: Trouble,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Recorder {
    pub(super) fn begin(path: &Path, recording: Recording) -> Result<Self, JournalError> {
        let life = Life::begin(&life::folder(path)).map_err(JournalError::Folder)?;
        let mut database = database::open(path)?;
        let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let name = recording.name.as_deref();
        let session = apply::open_session(&transaction, name, &recording.root, life.name())?;
        transaction.commit()?;
        let (inbox, trouble) = (Inbox::default(), Trouble::default());
        let writer = Writer::new(
            database,
            inbox.clone(),
            session,
            recording,
            trouble.clone(),
            life,
        );
        let thread = std::thread::Builder::new()
            .name("journal".into())
            .spawn(move || writer.run())
            .map_err(|error| JournalError::Writer(error.to_string()))?;
        Ok(Self(Arc::new(Inner {
            inbox,
            session,
            trouble,
            thread: Mutex::new(Some(thread)),
        })))
    }

    /// The session's number in the journal.
    pub fn session(&self) -> i64 {
        self.0.session
    }

    /// An approver that keeps questions in the journal.
    pub fn queue(&self) -> Queue {
        Queue(self.clone())
    }

    /// The first thing that could not be written, where there is one.
    pub fn trouble(&self) -> Option<String> {
        self.0
            .trouble
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Writes what is left and closes the session. Calls that are still open are closed with it,
    /// and no further one can start that must be kept.
    pub fn close(&self) {
        self.0.close();
    }

    pub(super) async fn ask(
        &self,
        call: &AskedCall,
        description: String,
    ) -> Result<Answer, StoreError> {
        let (sender, receiver) = oneshot::channel();
        let (asked, decision) = (call.call(), call.decision());
        self.put(
            Note::Asked(Box::new(Asked {
                at: now(),
                id: asked.id().to_string(),
                name: asked.name().to_owned(),
                input: asked.input().to_owned(),
                description,
                effects: asked.effects(),
                decision: decision.clone(),
                binding: decision.binding.clone(),
                answer: Some(sender),
            })),
            Durability::Synced,
            None,
        )?;
        receiver.await.unwrap_or_else(|_| Err(gone()))
    }

    fn put(
        &self,
        note: Note,
        durability: Durability,
        done: Option<oneshot::Sender<Result<(), StoreError>>>,
    ) -> Result<(), StoreError> {
        let entry = Entry {
            note,
            durability,
            done,
        };
        self.0.inbox.put(entry).map_err(|_| gone())
    }

    /// Puts a note and waits until it is as durable as it must be.
    fn put_and_wait(
        &self,
        note: Note,
        durability: Durability,
    ) -> BoxFuture<'static, Result<(), StoreError>> {
        if durability == Durability::Soon {
            let put = self.put(note, durability, None);
            return Box::pin(std::future::ready(put));
        }
        let (sender, receiver) = oneshot::channel();
        if let Err(error) = self.put(note, durability, Some(sender)) {
            return Box::pin(std::future::ready(Err(error)));
        }
        Box::pin(async move { receiver.await.unwrap_or_else(|_| Err(gone())) })
    }
}

impl CallStore for Recorder {
    fn admit(&self, key: CallKey, call: NotedCall<'_>) {
        let note = Note::Admitted(Box::new(noted(key, call)));
        drop(self.put(note, Durability::Soon, None));
    }

    fn start<'a>(
        &'a self,
        key: CallKey,
        call: &'a PermittedCall,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        let effects = call.effects();
        let note = Note::Started {
            key,
            at: now(),
            decision: call.decision().cloned(),
            effects,
        };
        let durability = Durability::of(effects);
        let kept = self.put_and_wait(note, durability);
        if durability == Durability::Soon {
            // Reading leaves nothing behind that the journal must account for.
            return Box::pin(std::future::ready(Ok(())));
        }
        kept
    }

    fn end(&self, key: CallKey, outcome: &Outcome) -> BoxFuture<'static, ()> {
        let has_begun = outcome
            .time
            .as_ref()
            .is_some_and(|time| time.started_ms.is_some());
        let durability = match outcome.effects {
            Some(effects) if has_begun => Durability::of(effects),
            _ => Durability::Soon,
        };
        let note = Note::Ended(Box::new(End {
            key,
            at: now(),
            status: outcome.status,
            error: outcome
                .error
                .as_ref()
                .map(|error| (error.kind, error.message.clone())),
            decision: outcome.decision.clone(),
            digest: digest::of_outcome(outcome),
        }));
        let kept = self.put_and_wait(note, durability);
        // What could not be written is trouble of the operator's; the outcome is what it is, and
        // the journal will call it unknown.
        Box::pin(async move { drop(kept.await) })
    }

    fn revise(&self, key: CallKey, call: NotedCall<'_>) {
        let note = Note::Revised(Box::new(noted(key, call)));
        drop(self.put(note, Durability::Soon, None));
    }

    fn abandon(&self, key: CallKey) {
        let note = Note::Abandoned { key, at: now() };
        drop(self.put(note, Durability::Soon, None));
    }
}

impl Inner {
    fn close(&self) {
        self.inbox.close();
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread {
            // It has no panics of its own, and there is nobody to tell of another's.
            drop(thread.join());
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.close();
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder")
            .field("session", &self.0.session)
            .finish_non_exhaustive()
    }
}

fn noted(key: CallKey, call: NotedCall<'_>) -> Call {
    Call {
        key,
        at: now(),
        id: call.id.to_owned(),
        name: call.name.to_owned(),
        input: call.input.to_owned(),
        repairs: call.repairs.to_vec(),
        effects: call.effects,
        parent: call.parent,
        folder: call
            .folder
            .map(|folder| folder.to_string_lossy().into_owned()),
    }
}

fn gone() -> StoreError {
    StoreError("the journal is closed".to_owned())
}
