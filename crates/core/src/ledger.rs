//! Who may run now: a synchronous state machine that keeps program order where it matters.
//!
//! Calls are admitted in program order. A call may start when it is permitted, a slot is free, and
//! every earlier call that conflicts with it has ended. So whatever runs together, the result is
//! that of running one by one. There is no clock and no task here; the driver asks what may start
//! after each step. Comparing all with all is right: a turn has tens of calls.

use crate::footprint::Footprint;

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
    /// Will not run, but later calls still see it until its turn has come.
    Void,
}

#[derive(Debug)]
struct Line {
    place: Place,
    footprint: Footprint,
    phase: Phase,
}

/// The calls that have not ended, in program order.
#[derive(Debug)]
pub struct Ledger {
    lines: Vec<Line>,
    next: u64,
    slots: usize,
}

impl Ledger {
    /// A ledger that lets at most `slots` calls run at a time; at least one.
    pub fn new(slots: usize) -> Self {
        Self {
            lines: Vec::new(),
            next: 0,
            slots: slots.max(1),
        }
    }

    /// Takes the next place in program order for a call that touches `footprint`.
    pub fn admit(&mut self, footprint: Footprint) -> Place {
        let place = Place(self.next);
        self.next = self.next.saturating_add(1);
        self.lines.push(Line {
            place,
            footprint,
            phase: Phase::Undecided,
        });
        place
    }

    /// The call's input was edited before it was permitted: it touches this instead.
    pub fn revise(&mut self, place: Place, footprint: Footprint) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.place == place) {
            line.footprint = footprint;
        }
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
    }

    /// Takes the calls that may start now, earliest first, and counts them as running.
    pub fn start(&mut self) -> Vec<Place> {
        self.drop_void();
        let mut running = self
            .lines
            .iter()
            .filter(|line| line.phase == Phase::Running)
            .count();
        let mut started = Vec::new();
        for index in 0..self.lines.len() {
            if running >= self.slots {
                break;
            }
            if self.is_ready(index)
                && let Some(line) = self.lines.get_mut(index)
            {
                line.phase = Phase::Running;
                started.push(line.place);
                running += 1;
            }
        }
        started
    }

    /// The earlier calls that this one waits for.
    pub fn waits_for(&self, place: Place) -> Vec<Place> {
        let Some(index) = self.lines.iter().position(|line| line.place == place) else {
            return Vec::new();
        };
        self.blockers(index).map(|line| line.place).collect()
    }

    fn blockers(&self, index: usize) -> impl Iterator<Item = &Line> {
        let (earlier, from) = self.lines.split_at(index);
        let me = from.first();
        earlier
            .iter()
            .filter(move |line| me.is_some_and(|me| me.footprint.conflicts_with(&line.footprint)))
    }

    fn is_ready(&self, index: usize) -> bool {
        self.lines
            .get(index)
            .is_some_and(|line| line.phase == Phase::Permitted)
            && self.blockers(index).next().is_none()
            && !self.meets_running(index)
    }

    /// A later call that runs conflicts only with one whose input was edited after that one began.
    fn meets_running(&self, index: usize) -> bool {
        let Some(me) = self.lines.get(index) else {
            return false;
        };
        self.lines.iter().any(|line| {
            line.phase == Phase::Running && me.footprint.conflicts_with(&line.footprint)
        })
    }

    /// Removes each void call whose turn has come; one may have held up the next.
    fn drop_void(&mut self) {
        let mut index = 0;
        while let Some(line) = self.lines.get(index) {
            if line.phase == Phase::Void && self.blockers(index).next().is_none() {
                self.lines.remove(index);
            } else {
                index += 1;
            }
        }
    }

    fn set(&mut self, place: Place, phase: Phase) {
        if let Some(line) = self.lines.iter_mut().find(|line| line.place == place) {
            line.phase = phase;
        }
    }
}
