//! A session: tools, a policy, somebody to ask, and the calls that run.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolpost_core::{
    CancellationToken, ErrorKind, EventSink, Facts, Links, Outcome, OutcomeError, Policy, RawCall,
    ReadOptions, SimplePolicy, State, Toolbox, ToolboxError, WorkingFolder,
};

use crate::approve::{Approver, Nobody, OnceEach};
use crate::asking::Asking;
use crate::budget::{BatchBudget, Budget};
use crate::clock::Clock;
use crate::drive::Admitted;
use crate::events::EventQueue;
use crate::handle::CallHandle;
use crate::hook::{Hook, Hooks};
use crate::record::Records;
use crate::store::CallStore;
use crate::turns::{Stopper, Turns};

/// How long a call may take. Waiting for a turn or for a person does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// From start to end.
    pub absolute: Option<Duration>,
    /// Without a report of progress.
    pub idle: Option<Duration>,
    /// From being told to stop to being given up.
    pub grace: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            absolute: None,
            idle: None,
            grace: Duration::from_secs(2),
        }
    }
}

pub(crate) struct Inner {
    pub(crate) toolbox: Arc<Toolbox>,
    pub(crate) facts: Facts,
    pub(crate) policy: Arc<dyn Policy>,
    pub(crate) approver: Arc<dyn Approver>,
    pub(crate) hooks: Hooks,
    pub(crate) read: ReadOptions,
    pub(crate) deadlines: Deadlines,
    pub(crate) budget: Budget,
    pub(crate) events: Option<Arc<dyn EventSink>>,
    pub(crate) cancel: CancellationToken,
    pub(crate) clock: Clock,
    pub(crate) slots: usize,
    pub(crate) pools: Vec<(Arc<str>, usize)>,
    pub(crate) records: Records,
    turns: Turns,
    asking: Arc<Asking>,
    ids: Mutex<HashSet<Arc<str>>>,
}

/// Takes calls and drives each to exactly one outcome.
///
/// Calls that do not conflict run together; those that do run in the order in which they were
/// submitted. Dropping the session stops its calls; their handles still give an outcome.
pub struct Session {
    inner: Arc<Inner>,
}

/// Sets a session up.
pub struct SessionBuilder {
    toolbox: Arc<Toolbox>,
    root: PathBuf,
    roots: Vec<PathBuf>,
    state: State,
    links: Option<Arc<dyn Links>>,
    policy: Arc<dyn Policy>,
    approver: Arc<dyn Approver>,
    hooks: Hooks,
    read: ReadOptions,
    deadlines: Deadlines,
    budget: Budget,
    events: Option<Arc<dyn EventSink>>,
    max_parallel: usize,
    pools: Vec<(Arc<str>, usize)>,
    store: Option<Arc<dyn CallStore>>,
}

impl Session {
    /// A session of these tools about the folder `root`. What it only reads there is allowed;
    /// all else would be asked, and nobody is asked until there is an approver.
    pub fn builder(toolbox: impl Into<Arc<Toolbox>>, root: impl Into<PathBuf>) -> SessionBuilder {
        SessionBuilder {
            toolbox: toolbox.into(),
            root: root.into(),
            roots: Vec::new(),
            state: State::new(),
            links: None,
            policy: Arc::new(SimplePolicy::new()),
            approver: Arc::new(Nobody),
            hooks: Hooks::new(),
            read: ReadOptions::default(),
            deadlines: Deadlines::default(),
            budget: Budget::default(),
            events: None,
            max_parallel: 10,
            pools: Vec::new(),
            store: None,
        }
    }

    /// Takes a call. Its place in the order is taken before this returns; it runs in a task of
    /// its own, on the runtime that this is called in.
    pub fn submit(&self, call: RawCall) -> CallHandle {
        let (id, name) = (Arc::clone(call.id()), Arc::clone(call.name()));
        let queue = EventQueue::default();
        let cancel = self.inner.cancel.child_token();
        match self.admit(call, queue.clone(), cancel.clone()) {
            Ok(admitted) => {
                let (sender, receiver) = tokio::sync::oneshot::channel();
                let started = admitted.started();
                tokio::spawn(async move {
                    // Whoever dropped the handle does not want the outcome.
                    drop(sender.send(Box::new(admitted.drive().await)));
                });
                CallHandle {
                    id,
                    name,
                    cancel,
                    started,
                    outcome: receiver,
                    events: queue.reader(),
                }
            }
            Err(outcome) => CallHandle::ended(id, name, outcome),
        }
    }

    /// Runs one call to its end in the caller's own task. Dropping the future drops the call.
    pub async fn call(&self, call: RawCall) -> Outcome {
        let cancel = self.inner.cancel.child_token();
        match self.admit(call, EventQueue::default(), cancel) {
            Ok(admitted) => admitted.drive().await,
            Err(outcome) => *outcome,
        }
    }

    /// Runs calls together as far as they allow, and gives their outcomes in program order,
    /// within the budget of a batch.
    pub async fn run(&self, calls: impl IntoIterator<Item = RawCall>) -> Vec<Outcome> {
        let handles: Vec<_> = calls.into_iter().map(|call| self.submit(call)).collect();
        let mut budget = self.batch_budget();
        let mut outcomes = Vec::with_capacity(handles.len());
        for handle in handles {
            outcomes.push(budget.fit(handle.outcome().await));
        }
        outcomes
    }

    /// The budget that the outcomes of one batch share.
    pub fn batch_budget(&self) -> BatchBudget {
        BatchBudget::new(self.inner.budget.clone())
    }

    /// The tools.
    pub fn toolbox(&self) -> &Toolbox {
        &self.inner.toolbox
    }

    /// Root, working folder, state and links.
    pub fn facts(&self) -> &Facts {
        &self.inner.facts
    }

    /// The policy.
    pub fn policy(&self) -> &dyn Policy {
        &*self.inner.policy
    }

    /// How arguments are read.
    pub fn read_options(&self) -> &ReadOptions {
        &self.inner.read
    }

    /// Tells all calls to stop, now and later.
    pub fn cancel(&self) {
        self.inner.cancel.cancel();
    }

    fn admit(
        &self,
        call: RawCall,
        queue: EventQueue,
        cancel: CancellationToken,
    ) -> Result<Admitted, Box<Outcome>> {
        let inner = &self.inner;
        let admitted_ms = inner.clock.ms();
        let fresh = inner
            .ids
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(Arc::clone(call.id()));
        let raw = inner.records.raw(&call);
        let valid = if fresh {
            inner.toolbox.validate(call, &inner.facts, &inner.read)
        } else {
            Err(Box::new(duplicate(&call)))
        };
        let call = valid.map_err(|mut outcome| {
            let ended_ms = inner.clock.ms();
            outcome.time = Some(Box::new(toolpost_core::Time {
                admitted_ms,
                ended_ms,
                ..Default::default()
            }));
            if let Some(raw) = raw {
                inner.records.refused(&raw, None, &outcome);
            }
            outcome
        })?;
        let footprint = call.footprint(&inner.facts);
        let stop = Stopper::new(cancel);
        let pool = call.limits().pool;
        let turn = inner
            .turns
            .admit(call.id(), footprint.clone(), pool, stop.clone());
        Ok(
            Admitted::new(Arc::clone(inner), call, footprint, turn, queue, stop, None)
                .asked_in_order(inner.asking.admit()),
        )
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.inner.cancel.cancel();
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("toolbox", &self.inner.toolbox)
            .finish_non_exhaustive()
    }
}

pub(crate) fn duplicate(call: &RawCall) -> Outcome {
    let message = "another call has this id already; give each call an id of its own";
    let error = OutcomeError::new(ErrorKind::DuplicateId, message);
    Outcome::invalid(call.id(), call.name(), error)
}

impl SessionBuilder {
    /// Further folders that count as inside.
    #[must_use]
    pub fn roots(mut self, roots: Vec<PathBuf>) -> Self {
        self.roots = roots;
        self
    }

    /// Gives the tools a piece of state, found by its type. A [`WorkingFolder`] is there without
    /// this; it begins at the root.
    #[must_use]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.state.insert(value);
        self
    }

    /// How links of the file system are followed. Without this, paths are taken as they are
    /// written.
    #[must_use]
    pub fn links(mut self, links: impl Links + 'static) -> Self {
        self.links = Some(Arc::new(links));
        self
    }

    /// Who decides.
    #[must_use]
    pub fn policy(mut self, policy: impl Policy + 'static) -> Self {
        self.policy = Arc::new(policy);
        self
    }

    /// Who answers. Calls with equal input that wait at the same time are asked about once.
    #[must_use]
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Arc::new(OnceEach::new(approver));
        self
    }

    /// Who else has a word before permission, and hears of outcomes. Several are asked in the order
    /// in which they were given.
    #[must_use]
    pub fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// How arguments are read: repair and limits.
    #[must_use]
    pub fn read_options(mut self, options: ReadOptions) -> Self {
        self.read = options;
        self
    }

    /// How long a call may take.
    #[must_use]
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// How long a result may be, and where longer ones go.
    #[must_use]
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Where the events of all calls go, besides each call's own stream.
    #[must_use]
    pub fn events(mut self, sink: impl EventSink + 'static) -> Self {
        self.events = Some(Arc::new(sink));
        self
    }

    /// Where what happens to calls is kept; nowhere when left out.
    #[must_use]
    pub fn store(mut self, store: impl CallStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// How many calls may run at a time; 10 when left out.
    #[must_use]
    pub fn max_parallel(mut self, calls: usize) -> Self {
        self.max_parallel = calls;
        self
    }

    /// How many calls of this pool may run at a time. A tool names its pool in its limits.
    #[must_use]
    pub fn pool(mut self, pool: impl Into<Arc<str>>, calls: usize) -> Self {
        self.pools.push((pool.into(), calls));
        self
    }

    /// Makes the session.
    ///
    /// # Errors
    ///
    /// When a tool needs state that was not given.
    pub fn build(mut self) -> Result<Session, ToolboxError> {
        if self.state.get::<WorkingFolder>().is_none() {
            self.state.insert(WorkingFolder::new(&self.root));
        }
        let mut roots = self.roots;
        // What was spilled for the model may be read by it.
        roots.extend(self.budget.spill_folder.clone());
        let mut facts = Facts::new(self.root)
            .with_state(self.state)
            .with_roots(roots);
        if let Some(links) = self.links {
            facts = facts.with_links(links);
        }
        self.toolbox.check_needs(&facts)?;
        Ok(Session {
            inner: Arc::new(Inner {
                toolbox: self.toolbox,
                facts,
                policy: self.policy,
                approver: self.approver,
                hooks: self.hooks,
                read: self.read,
                deadlines: self.deadlines,
                budget: self.budget,
                events: self.events,
                cancel: CancellationToken::new(),
                clock: Clock::start(),
                slots: self.max_parallel,
                turns: Turns::new(self.max_parallel, &self.pools),
                pools: self.pools,
                records: Records::new(self.store),
                asking: Arc::default(),
                ids: Mutex::default(),
            }),
        })
    }
}
