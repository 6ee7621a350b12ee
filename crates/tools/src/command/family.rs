//! The processes that a command started, also those that left its process group.
//!
//! A process that calls `setsid` is no member of the group any more, and one whose parent has
//! ended is nobody's child. What stays with all of them is the environment that they were given, so
//! each run marks it with a name of its own and finds its family by that mark, and by descent from
//! the command. A process that does both, leaving its parent and emptying its environment, is found
//! where this process takes in orphans ([`Orphans`]), which the command does and a library must not
//! do to its host, and only where no other command ran when it began. This needs `/proc`; without it
//! only the group is ended.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, set_child_subreaper,
    waitid, waitpid,
};

use super::runs;

/// The variable that carries the mark. Where it is set a process works for a model, so it may not
/// answer for a person.
pub const CALL_MARK: &str = "TOOLPOST_CALL";

/// New processes may appear while others are ended; so often it is looked again.
const PASSES: usize = 50;
/// Between the request to end and the order to, in steps of [`STEP`].
const STEPS: usize = 20;
const STEP: Duration = Duration::from_millis(10);

/// Whether this process takes in orphans: then it must bury them too.
static ADOPTS: AtomicBool = AtomicBool::new(false);

/// The name of one run's family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark(String);

impl Mark {
    /// A name that no other run on this machine has.
    pub(super) fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let start = start_time("self").unwrap_or_default();
        Self(format!("{}-{start}-{count}", getpid().as_raw_nonzero()))
    }

    /// The value of the variable.
    pub(super) fn value(&self) -> &str {
        &self.0
    }

    /// Kills the whole family, `first` and its descendants among it, until nobody is left.
    pub(super) fn kill(&self, first: Option<Pid>) {
        let mut known: HashSet<i32> = first
            .map(|pid| pid.as_raw_nonzero().get())
            .into_iter()
            .collect();
        for _ in 0..PASSES {
            let members = family(self, &mut known);
            if members.is_empty() {
                return;
            }
            signal(&members, Signal::KILL);
        }
    }
}

/// Takes in the processes that have lost their parent, of all that this process starts from here
/// on, so that none of them is out of reach.
#[derive(Debug)]
pub struct Orphans {
    /// The children that were there before. They are not ours to end.
    before: HashSet<i32>,
}

impl Orphans {
    /// Begins to take them in. Where the system cannot do that, they are only not found.
    pub fn adopt() -> Self {
        let done = set_child_subreaper(Some(getpid()));
        ADOPTS.store(done.is_ok(), Ordering::Relaxed);
        Self {
            before: children().into_iter().collect(),
        }
    }

    /// Ends all that was started and still runs: with a request first, then with the order.
    pub async fn end(&self) {
        // Most runs leave nothing behind, and looking at all processes takes a while.
        if children().iter().all(|child| self.before.contains(child)) {
            return;
        }
        signal(&self.left(), Signal::TERM);
        for _ in 0..STEPS {
            if self.left().is_empty() {
                return;
            }
            tokio::time::sleep(STEP).await;
        }
        self.kill();
    }

    /// Ends all that at once.
    pub fn kill(&self) {
        for _ in 0..PASSES {
            let left = self.left();
            if left.is_empty() {
                return;
            }
            signal(&left, Signal::KILL);
        }
    }

    fn left(&self) -> Vec<i32> {
        let processes = processes();
        let mut left = HashSet::from([me()]);
        let mut members = descendants(&processes, &mut left, &self.before);
        members.retain(|pid| *pid != me());
        members
    }
}

/// Buries the orphans that were taken in and have ended, so that nothing takes them for living.
/// Somebody else waits for what this process has started.
pub(super) fn bury(is_started: impl Fn(i32) -> bool) {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    if !ADOPTS.load(Ordering::Relaxed) || !matches!(waitid(WaitId::All, look), Ok(Some(_))) {
        return;
    }
    let gone = |pid: &i32| matches!(Process::read(&pid.to_string()), Some(('Z', _)));
    for pid in children().into_iter().filter(gone) {
        if let (false, Some(pid)) = (is_started(pid), Pid::from_raw(pid)) {
            // Somebody else may have been faster.
            let _ = waitpid(Some(pid), WaitOptions::NOHANG);
        }
    }
}

/// The children of this process, those included that have ended and that nobody waited for.
fn children() -> Vec<i32> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten();
    let lists = threads
        .flatten()
        .map(|thread| fs::read_to_string(thread.path().join("children")));
    let Ok(lists) = lists.collect::<Result<Vec<_>, _>>() else {
        // Not every kernel has the lists; those that live are found all the same.
        let me = me();
        let mine = processes()
            .into_iter()
            .filter(|process| process.parent == me);
        return mine.map(|process| process.pid).collect();
    };
    let numbers = lists.iter().flat_map(|list| list.split_ascii_whitespace());
    numbers.filter_map(|pid| pid.parse().ok()).collect()
}

/// One that has ended meanwhile is what is wanted.
fn signal(members: &[i32], signal: Signal) {
    for pid in members.iter().copied().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, signal);
    }
}

fn me() -> i32 {
    getpid().as_raw_nonzero().get()
}

/// A process that lives.
pub(super) struct Process {
    pub(super) pid: i32,
    parent: i32,
    /// In ticks since the machine began.
    pub(super) start: u64,
}

fn processes() -> Vec<Process> {
    let Ok(folder) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    folder
        .flatten()
        .filter_map(|entry| Process::read(entry.file_name().to_str()?))
        .filter_map(|(state, process)| (!matches!(state, 'Z' | 'X')).then_some(process))
        .collect()
}

/// The members that live: marked, children of one that is known, or an orphan that only this command
/// can have left.
fn family(mark: &Mark, known: &mut HashSet<i32>) -> Vec<i32> {
    let me = me();
    let processes = processes();
    // A library's host has children of its own, which are nobody's orphans.
    let adopts = ADOPTS.load(Ordering::Relaxed);
    let mut members = Vec::new();
    for process in processes.iter().filter(|process| process.pid != me) {
        let is_orphan = adopts && process.parent == me;
        let is_member = match mark_of(process.pid) {
            Some(value) if value == mark.value().as_bytes() => true,
            Some(value) if runs::is_known(&value) => false,
            _ => is_orphan && runs::is_left_by(mark, process),
        };
        if is_member {
            known.insert(process.pid);
            members.push(process.pid);
        }
    }
    members.extend(descendants(&processes, known, &HashSet::from([me])));
    members
}

/// The mark in the environment that a process was given.
fn mark_of(pid: i32) -> Option<Vec<u8>> {
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = variable.strip_prefix(CALL_MARK.as_bytes())?;
        Some(value.strip_prefix(b"=")?.to_vec())
    })
}

/// Those that descend from one that is known, and now are known themselves.
fn descendants(processes: &[Process], known: &mut HashSet<i32>, except: &HashSet<i32>) -> Vec<i32> {
    let mut found = Vec::new();
    // Descent may be listed in any order, so it is followed until it ends.
    loop {
        let more: Vec<i32> = processes
            .iter()
            .filter(|process| known.contains(&process.parent))
            .map(|process| process.pid)
            .filter(|pid| !known.contains(pid) && !except.contains(pid))
            .collect();
        if more.is_empty() {
            return found;
        }
        known.extend(&more);
        found.extend(more);
    }
}

impl Process {
    /// Its state and the rest of it. `pid` may be `self`.
    fn read(pid: &str) -> Option<(char, Self)> {
        if pid != "self" && !pid.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in brackets may hold anything, so what counts comes after the last bracket.
        let fields = text.get(text.rfind(')')? + 1..)?;
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let number = |at: usize| fields.get(at)?.parse().ok();
        let process = Self {
            pid: text.split_ascii_whitespace().next()?.parse().ok()?,
            parent: number(1)?,
            start: fields.get(19)?.parse().ok()?,
        };
        Some((fields.first()?.chars().next()?, process))
    }
}

/// When a process began, in ticks since the machine did.
fn start_time(pid: &str) -> Option<u64> {
    Process::read(pid).map(|(_, process)| process.start)
}
