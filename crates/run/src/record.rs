//! The driver's side of a store: the record of one call, which is closed in any case.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use toolpost_core::{
    ErrorKind, Facts, Outcome, OutcomeError, PermittedCall, RawCall, ValidatedCall,
};

use crate::store::{CallKey, CallStore, NotedCall};

/// The store of a session, if it has one, and the next key.
#[derive(Default)]
pub(crate) struct Records {
    store: Option<Arc<dyn CallStore>>,
    next: AtomicU64,
}

/// The record of one call. Dropped before its end, it says so to the store.
pub(crate) struct Record(Option<Open>);

struct Open {
    store: Arc<dyn CallStore>,
    key: CallKey,
    parent: Option<CallKey>,
}

impl Records {
    pub(crate) fn new(store: Option<Arc<dyn CallStore>>) -> Self {
        let next = AtomicU64::default();
        Self { store, next }
    }

    /// What is known of a call before it is validated, where that is kept.
    pub(crate) fn raw(&self, call: &RawCall) -> Option<RawCall> {
        self.store.as_ref().map(|_| call.clone())
    }

    /// Opens the record of a call that has its place.
    pub(crate) fn admit(
        &self,
        call: &ValidatedCall,
        parent: Option<CallKey>,
        facts: &Facts,
    ) -> Record {
        if self.store.is_none() {
            return Record(None);
        }
        let folder = folder(facts);
        self.open(NotedCall::valid(call, parent, folder.as_deref()))
    }

    /// Keeps a call that was refused before it had a place.
    pub(crate) fn refused(&self, call: &RawCall, parent: Option<CallKey>, outcome: &Outcome) {
        let mut record = self.open(NotedCall::raw(call, parent));
        if let Some(open) = record.0.take() {
            // It had no effect, so nothing waits for this to be durable.
            drop(open.store.end(open.key, outcome));
        }
    }

    fn open(&self, call: NotedCall<'_>) -> Record {
        Record(self.store.as_ref().map(|store| {
            let key = CallKey(self.next.fetch_add(1, Ordering::Relaxed));
            store.admit(key, call);
            Open {
                store: Arc::clone(store),
                key,
                parent: call.parent,
            }
        }))
    }
}

impl Record {
    pub(crate) fn key(&self) -> Option<CallKey> {
        self.0.as_ref().map(|open| open.key)
    }

    /// The input was changed.
    pub(crate) fn revise(&self, call: &ValidatedCall, facts: &Facts) {
        if let Some(open) = &self.0 {
            let folder = folder(facts);
            let noted = NotedCall::valid(call, open.parent, folder.as_deref());
            open.store.revise(open.key, noted);
        }
    }

    /// Gives the call back once its start is kept; its outcome where that cannot be.
    pub(crate) async fn start(&self, call: PermittedCall) -> Result<PermittedCall, Box<Outcome>> {
        let Some(open) = &self.0 else {
            return Ok(call);
        };
        match open.store.start(open.key, &call).await {
            Ok(()) => Ok(call),
            Err(error) => Err(Box::new(call.fail(unrecorded(error.0)))),
        }
    }

    /// The call has its outcome; waits until that is as durable as it must be.
    pub(crate) async fn end(&mut self, outcome: &Outcome) {
        if let Some(open) = self.0.take() {
            open.store.end(open.key, outcome).await;
        }
    }
}

impl Drop for Record {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            open.store.abandon(open.key);
        }
    }
}

/// The folder that the shell stands in, where that is not the root.
fn folder(facts: &Facts) -> Option<PathBuf> {
    Some(facts.working_folder()).filter(|folder| folder != facts.root())
}

fn unrecorded(operator_text: String) -> OutcomeError {
    let mut error = OutcomeError::new(
        ErrorKind::ToolFailed,
        "not run: its start cannot be written to the journal, and without that nothing that has an \
         effect may begin; nothing was done, so try again once the journal can be written",
    );
    error.code = Some("not_recorded".into());
    error.operator_text = Some(operator_text);
    error
}
