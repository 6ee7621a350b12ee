//! The commands that this process has started: whose a process is that carries no mark of ours.
//!
//! What a process is the parent of is a fact about the process, so this is the one thing here that
//! is kept outside of a session.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::time::{ClockId, clock_gettime};
use tokio::process::{Child, Command};

use super::family::{self, Mark, Process};

static RUNS: Mutex<Vec<Run>> = Mutex::new(Vec::new());

/// One command, from its start to its end. Times are in ticks since the machine began, as the
/// system gives them for processes.
struct Run {
    mark: Mark,
    first: i32,
    began: u64,
    ended: Option<u64>,
}

/// Starts a command, and takes it down.
pub(super) fn spawn(command: &mut Command, mark: &Mark) -> io::Result<Child> {
    // Held meanwhile, so that nobody takes the new process for one that was left behind.
    let mut runs = runs();
    // One that has ended since the last command must not seem to live to this one.
    family::bury(|pid| is_first(&runs, pid));
    let began = now();
    let child = command.spawn()?;
    runs.push(Run {
        mark: mark.clone(),
        first: child.id().and_then(|id| id.try_into().ok()).unwrap_or(0),
        began,
        ended: None,
    });
    Ok(child)
}

/// The command has ended. It is remembered for as long as one runs that was there with it.
pub(super) fn end(mark: &Mark) {
    let mut runs = runs();
    if let Some(run) = runs.iter_mut().find(|run| run.mark == *mark) {
        run.ended = Some(now());
    }
    let oldest = runs
        .iter()
        .filter(|run| run.ended.is_none())
        .map(|run| run.began)
        .min();
    runs.retain(|run| match (run.ended, oldest) {
        (None, _) => true,
        (Some(ended), Some(oldest)) => ended >= oldest,
        (Some(_), None) => false,
    });
}

/// Whether an orphan that carries no mark of a known command can only be this one's: no other ran
/// when it began. Where others did, nobody can tell, and it is left until the session ends.
pub(super) fn is_left_by(mark: &Mark, process: &Process) -> bool {
    let runs = runs();
    let ran = |run: &Run| {
        run.began <= process.start && run.ended.is_none_or(|ended| process.start <= ended)
    };
    !is_first(&runs, process.pid) && runs.iter().all(|run| ran(run) == (run.mark == *mark))
}

/// Whether a mark is that of a command that is known here.
pub(super) fn is_known(value: &[u8]) -> bool {
    runs()
        .iter()
        .any(|run| run.mark.value().as_bytes() == value)
}

fn is_first(runs: &[Run], pid: i32) -> bool {
    runs.iter()
        .any(|run| run.ended.is_none() && run.first == pid)
}

fn runs() -> MutexGuard<'static, Vec<Run>> {
    RUNS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A hundred ticks are a second, whatever the kernel counts by.
fn now() -> u64 {
    let now = clock_gettime(ClockId::Boottime);
    let ticks = now.tv_sec.saturating_mul(100) + now.tv_nsec / 10_000_000;
    u64::try_from(ticks).unwrap_or_default()
}
