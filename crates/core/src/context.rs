//! What a tool's body is given: state, a way to report, to be stopped, and to call other tools.

use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use crate::call::RawCall;
use crate::cancel::{Cancel, CancellationToken};
use crate::event::{Event, EventSink, NoProgress, Progress, Report};
use crate::facts::Facts;
use crate::outcome::Outcome;

/// A future that can be sent between threads.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Takes nested calls. The driver gives one, and sends each call through the whole pipeline.
pub trait Dispatch: Send + Sync {
    /// Validates, permits and runs `call` as a part of the call that `parent` belongs to.
    fn dispatch(&self, call: RawCall, parent: Context) -> BoxFuture<'static, Outcome>;
}

/// The surroundings of one call, given by the host to [`crate::PermittedCall::run`].
#[derive(Clone)]
pub struct Surroundings {
    /// Root, working folder, state and links.
    pub facts: Facts,
    /// Cancelled when the call is to stop; without one, nobody can stop it.
    pub cancel: Option<CancellationToken>,
    /// Where events go.
    pub events: Option<Arc<dyn EventSink>>,
    /// Who takes nested calls.
    pub dispatch: Option<Arc<dyn Dispatch>>,
}

impl Surroundings {
    /// The same, with a token that stops the call.
    #[must_use]
    pub fn with_cancel(mut self, cancel: CancellationToken) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Surroundings with these facts and nothing else: no events, no nested calls.
    pub fn new(facts: Facts) -> Self {
        Self {
            facts,
            cancel: None,
            events: None,
            dispatch: None,
        }
    }
}

struct Inner {
    id: Arc<str>,
    /// How many calls this one is nested in.
    depth: u32,
    facts: Facts,
    cancel: Cancel,
    events: Option<Arc<dyn EventSink>>,
    dispatch: Option<Arc<dyn Dispatch>>,
}

/// What a tool's body is given. A cheap clone; `P` is the type of its progress.
pub struct Context<P = NoProgress> {
    inner: Arc<Inner>,
    progress: PhantomData<fn(P)>,
}

impl<P> Context<P> {
    /// The id of the call.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// A key that stays the same when the very same call is tried again, for services that take one.
    pub fn idempotency_key(&self) -> &str {
        &self.inner.id
    }

    /// Root, working folder, state and links.
    pub fn facts(&self) -> &Facts {
        &self.inner.facts
    }

    /// The folder that the session is about.
    pub fn root(&self) -> &Path {
        self.inner.facts.root()
    }

    /// The state of type `T`, where the host gave one. A tool that says so in
    /// [`crate::Tool::needs`] can count on it.
    pub fn state<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.inner.facts.state().get()
    }

    /// Cancelled when the call is to stop. Await it, or hand it on.
    pub fn cancel(&self) -> &CancellationToken {
        self.inner.cancel.token()
    }

    /// Whether the call is to stop.
    pub fn is_cancelled(&self) -> bool {
        self.inner.cancel.is_cancelled()
    }

    /// How many calls this one is nested in: 0 for a call that a model made.
    pub fn depth(&self) -> u32 {
        self.inner.depth
    }

    /// Runs another tool as a part of this call. It goes through validation, permission and
    /// scheduling like any other, and its outcome comes back whatever happens.
    pub async fn call(&self, call: RawCall) -> Outcome {
        match &self.inner.dispatch {
            Some(dispatch) => dispatch.dispatch(call, self.retyped()).await,
            None => Outcome::no_dispatch(call),
        }
    }

    /// The same context for a tool with another kind of progress.
    pub(crate) fn retyped<Q>(&self) -> Context<Q> {
        Context {
            inner: Arc::clone(&self.inner),
            progress: PhantomData,
        }
    }

    pub(crate) fn new(id: Arc<str>, depth: u32, around: Surroundings) -> Self {
        let Surroundings {
            facts,
            cancel,
            events,
            dispatch,
        } = around;
        let cancel = Cancel::below(cancel);
        Self {
            inner: Arc::new(Inner {
                id,
                depth,
                facts,
                cancel,
                events,
                dispatch,
            }),
            progress: PhantomData,
        }
    }

    pub(crate) fn send(&self, event: Event) {
        if let Some(events) = &self.inner.events {
            events.send(&self.inner.id, event);
        }
    }

    /// Whether anybody listens, so that texts for listeners need not be made for nobody.
    pub(crate) fn is_watched(&self) -> bool {
        self.inner.events.is_some()
    }
}

impl<P: Progress> Context<P> {
    /// Reports how it goes. Never blocks; where nobody listens, the report is dropped.
    pub fn report(&self, progress: P) {
        if self.is_watched() {
            self.send(Event::Progress(Report::new(progress)));
        }
    }
}

impl<P> Clone for Context<P> {
    fn clone(&self) -> Self {
        self.retyped()
    }
}

impl<P> fmt::Debug for Context<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("id", &self.inner.id)
            .finish_non_exhaustive()
    }
}
