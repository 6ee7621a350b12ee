//! Who may run now: a synchronous state machine that keeps program order where it matters.
//!
//! Calls are admitted in program order. A call may start when it is permitted, a slot is free, and
//! every earlier call that conflicts with it has ended. So whatever runs together, the result is
//! that of running one by one. There is no clock and no task here; the driver asks what may start
//! after each step. Comparing each new call with all others is right: a turn has tens of calls.
//!
//! A call that touches *everything* may change what the paths of later calls mean (a shell may make
//! a link), and one that changes what a later footprint rests on (the folder that a shell stands
//! in) changes that one. A call admitted behind such a call is therefore *dim*: it counts as
//! touching everything until the driver has looked again ([`Ledger::dim`], [`Ledger::revise`]),
//! which it may do as soon as no such call is before it any more.

use std::collections::HashMap;
use std::sync::Arc;

use crate::definition::FailureReach;
use crate::footprint::{Footprint, Scope};

#[cfg(test)]
mod tests;

/// A call's place in program order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Admitted; whether it may run is not known yet.
    Undecided,
    /// May run when its turn comes.
    Permitted,
    /// Runs.
    Running,
    /// Was given up and has not ended.
    Abandoned,
    /// Will not run, but later calls still see it until its turn has come.
    Void,
}

#[derive(Debug, Clone)]
struct Line {
    place: Place,
    footprint: Footprint,
    is_dim: bool,
    phase: Phase,
    pool: Option<Arc<str>>,
    /// The earlier calls that conflict with it and have not ended.
    blockers: Vec<Place>,
    /// Later calls that run and conflict with it, since its input was edited after they began.
    overtaken_by: Vec<Place>,
}

impl Line {
    /// What it must be taken to touch.
    fn touches(&self) -> &Footprint {
        if self.is_dim {
            &Footprint::Everything
        } else {
            &self.footprint
        }
    }

    fn conflicts_with(&self, other: &Self) -> bool {
        self.touches().conflicts_with(other.touches())
    }

    fn touches_everything(&self) -> bool {
        self.touches() == &Footprint::Everything
    }

    const fn has_begun(&self) -> bool {
        matches!(self.phase, Phase::Running | Phase::Abandoned)
    }

    /// Whether what the other touches is not known before this one has ended.
    ///
    /// One that is dim itself hides no more than it did when it was looked at last: nothing behind
    /// it starts before it is looked at again, and then it may hide more.
    fn hides(&self, other: &Self) -> bool {
        self.footprint.unsettles(&other.footprint)
    }
}

/// The calls that have not ended, in program order.
#[derive(Debug, Clone)]
pub struct Ledger {
    lines: Vec<Line>,
    next: u64,
    slots: usize,
    pools: HashMap<Arc<str>, usize>,
}

impl Ledger {
    /// A ledger that lets at most `slots` calls run at a time; at least one.
    pub fn new(slots: usize) -> Self {
        Self {
            lines: Vec::new(),
            next: 0,
            slots: slots.max(1),
            pools: HashMap::new(),
        }
    }

    /// Lets at most `slots` calls of this pool run at a time; at least one.
    pub fn set_pool(&mut self, pool: impl Into<Arc<str>>, slots: usize) {
        self.pools.insert(pool.into(), slots.max(1));
    }

    /// Takes the next place in program order for a call that touches `footprint`.
    pub fn admit(&mut self, footprint: Footprint, pool: Option<Arc<str>>) -> Place {
        let place = Place(self.next);
        self.next = self.next.saturating_add(1);
        let mut line = Line {
            place,
            footprint,
            is_dim: false,
            phase: Phase::Undecided,
            pool,
            blockers: Vec::new(),
            overtaken_by: Vec::new(),
        };
        line.is_dim = self.lines.iter().any(|earlier| earlier.hides(&line));
        line.blockers = blockers(&self.lines, &line);
        self.lines.push(line);
        place
    }

    /// The call touches this instead: its input was edited, or the driver looked again.
    pub fn revise(&mut self, place: Place, footprint: Footprint) {
        let Some(index) = self.index(place) else {
            return;
        };
        if let Some(line) = self.lines.get_mut(index) {
            line.footprint = footprint;
            line.is_dim = false;
            line.overtaken_by.clear();
        }
        // Those behind it may now conflict with it, or be hidden by it.
        for at in index..self.lines.len() {
            let (earlier, from) = self.lines.split_at_mut(at);
            let Some((line, later)) = from.split_first_mut() else {
                return;
            };
            if at > index && line.has_begun() {
                continue;
            }
            line.is_dim |= earlier.iter().any(|earlier| earlier.hides(line));
            line.blockers = blockers(earlier, line);
            if at == index {
                let runs = later.iter().filter(|other| other.has_begun());
                line.overtaken_by = runs
                    .filter(|other| other.conflicts_with(line))
                    .map(|other| other.place)
                    .collect();
            }
        }
    }

    /// The call that the driver must look at again before it or those behind it can start.
    pub fn dim(&self) -> Option<Place> {
        for (index, line) in self.lines.iter().enumerate() {
            if line.is_dim {
                // What is behind it waits for this one to be looked at.
                let mut earlier = self.lines.iter().take(index);
                let is_hidden = earlier.any(|earlier| earlier.hides(line));
                return (!is_hidden).then_some(line.place);
            }
            if line.touches_everything() {
                return None;
            }
        }
        None
    }

    /// Whether this call must wait for an earlier one that says that it changes `scope`, and will
    /// run.
    pub fn waits_for_change(&self, place: Place, scope: &Scope) -> bool {
        let Some(index) = self.index(place) else {
            return false;
        };
        let (earlier, line) = self.lines.split_at(index);
        let changes =
            |earlier: &&Line| earlier.phase != Phase::Void && earlier.footprint.changes(scope);
        line.first().is_some_and(|line| {
            let mut changers = earlier.iter().filter(changes);
            changers.any(|earlier| earlier.conflicts_with(line))
        })
    }

    /// The call may run when its turn comes.
    pub fn permit(&mut self, place: Place) {
        self.set(place, Phase::Permitted);
    }

    /// The call will not run. It ends when its turn has come, so that order is kept.
    pub fn void(&mut self, place: Place) {
        self.set(place, Phase::Void);
    }

    /// The call has ended: it touches nothing any more.
    pub fn end(&mut self, place: Place) {
        self.lines.retain(|line| line.place != place);
        for line in &mut self.lines {
            line.blockers.retain(|blocker| *blocker != place);
            line.overtaken_by.retain(|runner| *runner != place);
        }
    }

    /// The later calls that a failure of this one reaches, in program order. For
    /// [`FailureReach::Later`] some may be running already.
    pub fn reached(&self, place: Place, reach: FailureReach) -> Vec<Place> {
        let later = self.lines.iter().filter(|line| line.place > place);
        match reach {
            FailureReach::Own => Vec::new(),
            FailureReach::Later => later.map(|line| line.place).collect(),
            FailureReach::Dependents => {
                // What waits for a call that is skipped would have waited for this one's effects.
                let mut reached = vec![place];
                for line in later {
                    if line
                        .blockers
                        .iter()
                        .any(|blocker| reached.contains(blocker))
                    {
                        reached.push(line.place);
                    }
                }
                reached.split_off(1)
            }
        }
    }

    /// Takes the calls that may start now, earliest first, and counts them as running.
    pub fn start(&mut self) -> Vec<Place> {
        self.drop_void();
        let running = self
            .lines
            .iter()
            .filter(|line| line.phase == Phase::Running);
        let mut in_pools: HashMap<Arc<str>, usize> = HashMap::new();
        let mut count = 0;
        for line in running {
            count += 1;
            if let Some(pool) = &line.pool {
                *in_pools.entry(Arc::clone(pool)).or_default() += 1;
            }
        }
        let mut started = Vec::new();
        for line in &mut self.lines {
            if count >= self.slots {
                break;
            }
            let is_ready = line.phase == Phase::Permitted
                && !line.is_dim
                && line.blockers.is_empty()
                && line.overtaken_by.is_empty();
            if !is_ready {
                continue;
            }
            if let Some(pool) = &line.pool {
                let limit = self.pools.get(pool).copied().unwrap_or(usize::MAX);
                let in_pool = in_pools.entry(Arc::clone(pool)).or_default();
                if *in_pool >= limit {
                    continue;
                }
                *in_pool += 1;
            }
            line.phase = Phase::Running;
            count += 1;
            started.push(line.place);
        }
        started
    }

    /// The call is given up while it runs: it leaves its slot to others, but what it touches stays
    /// its own until it has ended.
    pub fn abandon(&mut self, place: Place) {
        self.set(place, Phase::Abandoned);
    }

    /// The earlier calls that this one waits for.
    pub fn waits_for(&self, place: Place) -> Vec<Place> {
        self.index(place)
            .and_then(|index| self.lines.get(index))
            .map(|line| line.blockers.clone())
            .unwrap_or_default()
    }

    /// Whether the call runs.
    pub fn is_running(&self, place: Place) -> bool {
        let line = self.index(place).and_then(|index| self.lines.get(index));
        line.is_some_and(|line| line.phase == Phase::Running)
    }

    /// Removes each void call whose turn has come; one may have held up the next.
    fn drop_void(&mut self) {
        let come = |line: &Line| line.phase == Phase::Void && line.blockers.is_empty();
        while let Some(place) = self
            .lines
            .iter()
            .find(|line| come(line))
            .map(|line| line.place)
        {
            self.end(place);
        }
    }

    fn set(&mut self, place: Place, phase: Phase) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.place == place) {
            line.phase = phase;
        }
    }

    fn index(&self, place: Place) -> Option<usize> {
        self.lines
            .binary_search_by_key(&place, |line| line.place)
            .ok()
    }
}

fn blockers(earlier: &[Line], line: &Line) -> Vec<Place> {
    earlier
        .iter()
        .filter(|other| line.conflicts_with(other))
        .map(|other| other.place)
        .collect()
}
