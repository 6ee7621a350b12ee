//! The processes that a command started, also those that left its process group.
//!
//! A process that calls `setsid` is no member of the group any more, and one whose parent has
//! ended is nobody's child. What stays with all of them is the environment that they were given, so
//! each run marks it with a name of its own and finds its family by that mark, and by descent from
//! the command. A process that does both, leaving its parent and emptying its environment, is out
//! of reach. This needs `/proc`; without it only the group is ended.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, getpid, kill_process};

/// The variable that carries the mark. Where it is set a process works for a model, so it may not
/// answer for a person.
pub const CALL_MARK: &str = "TOOLPOST_CALL";

/// New processes may appear while others are ended; so often it is looked again.
const PASSES: usize = 50;

/// The name of one run's family.
#[derive(Debug, Clone)]
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
        let entry = format!("{CALL_MARK}={}", self.0);
        let mut known: HashSet<i32> = first
            .map(|pid| pid.as_raw_nonzero().get())
            .into_iter()
            .collect();
        for _ in 0..PASSES {
            let members = family(&entry, &mut known);
            if members.is_empty() {
                return;
            }
            for pid in members.into_iter().filter_map(Pid::from_raw) {
                // One that has ended meanwhile is what is wanted.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// The members that live: marked, or children of one that is known.
fn family(entry: &str, known: &mut HashSet<i32>) -> Vec<i32> {
    let me = getpid().as_raw_nonzero().get();
    let Ok(folder) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let mut parents: Vec<(i32, i32)> = Vec::new();
    let mut members = Vec::new();
    for pid in folder
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
    {
        let Some((state, parent)) = stat(pid) else {
            continue;
        };
        if pid == me || matches!(state, 'Z' | 'X') {
            continue;
        }
        parents.push((pid, parent));
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if environment
            .split(|byte| *byte == 0)
            .any(|variable| variable == entry.as_bytes())
        {
            known.insert(pid);
            members.push(pid);
        }
    }
    // Descent may be listed in any order, so it is followed until it ends.
    loop {
        let more: Vec<i32> = parents
            .iter()
            .filter(|(pid, parent)| known.contains(parent) && !known.contains(pid))
            .map(|(pid, _)| *pid)
            .collect();
        if more.is_empty() {
            return members;
        }
        known.extend(&more);
        members.extend(more);
    }
}

/// A process's state and its parent.
fn stat(pid: i32) -> Option<(char, i32)> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything, so what counts comes after the last bracket.
    let mut fields = text.get(text.rfind(')')? + 1..)?.split_ascii_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// When a process began, in ticks since the machine did.
fn start_time(pid: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields = text.get(text.rfind(')')? + 1..)?;
    fields.split_ascii_whitespace().nth(19).map(str::to_owned)
}
