//! Whether this process works for a model.
//!
//! Every command of a call carries a mark in its environment. A shell can take the mark from what it
//! starts, and even from itself, but not from where it comes from: so the processes that this one
//! comes from are looked at too, for the mark and for whether they are the process of a session that
//! is open, each with the leaders of its group and of its session, since a parent may be gone
//! already. The process of a session takes in what loses its parent, so the way up leads there too.
//! Where the way cannot be seen, since this process is in another space of process ids than an open
//! session or there is no `/proc`, a person is not believed either. A call that ends its session's
//! process and outlives it is not found; that it was allowed to do so is what permission is for.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use toolpost_run::journal::SessionProcess;
use toolpost_tools::CALL_MARK;

use crate::exit::usage;

/// Refuses what only a person may do. What a model's own call says is not what a person says.
pub(crate) fn refuse_calls(sessions: &[SessionProcess], what: &str) -> anyhow::Result<()> {
    let own = fs::read_link("/proc/self/ns/pid").ok();
    let own = own.as_deref().and_then(Path::to_str);
    let is_elsewhere =
        |session: &SessionProcess| session.space.is_some() && session.space.as_deref() != own;
    if (cfg!(target_os = "linux") && own.is_none()) || sessions.iter().any(is_elsewhere) {
        return Err(usage(format!(
            "nobody can tell here whether this runs as a part of a call, and no call may {what}: a \
             session is open in another container or namespace than this, or `/proc` is missing; run \
             it where the session runs, or when that has ended"
        )));
    }
    match works_for(sessions) {
        None => Ok(()),
        Some(whom) => Err(usage(format!(
            "this runs as a part of {whom}, and no call may {what}; a person has to run it, outside \
             of any call"
        ))),
    }
}

/// What this process works for, where that is a model: a call, or a session of one of these
/// processes.
fn works_for(sessions: &[SessionProcess]) -> Option<String> {
    if std::env::var_os(CALL_MARK).is_some() {
        return Some("a call".to_owned());
    }
    let mut seen = BTreeSet::new();
    let mut next: Vec<u32> = own().into_iter().collect();
    while let Some(process) = next.pop() {
        // 0 stands for none; 1 has no parents, and is looked at like any other.
        if process == 0 || !seen.insert(process) {
            continue;
        }
        if is_marked(process) {
            return Some("a call".to_owned());
        }
        if sessions.iter().any(|session| session.pid == process) {
            return Some(format!("the session of process {process}"));
        }
        next.extend(relatives(process));
    }
    None
}

/// The number of this process as `/proc` has it, which knows it by another than the process itself
/// where that is in a namespace of its own.
fn own() -> Option<u32> {
    fs::read_link("/proc/self").ok()?.to_str()?.parse().ok()
}

/// Whether a process was started with the mark, as far as that may be read.
fn is_marked(process: u32) -> bool {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|variable| {
        let rest = variable.strip_prefix(CALL_MARK.as_bytes());
        rest.is_some_and(|rest| rest.starts_with(b"="))
    })
}

/// The parent of a process, the leader of its group and that of its session.
fn relatives(process: u32) -> Vec<u32> {
    let Ok(status) = fs::read_to_string(format!("/proc/{process}/stat")) else {
        return Vec::new();
    };
    // The program's name stands in brackets and may hold anything.
    let Some((_, fields)) = status.rsplit_once(')') else {
        return Vec::new();
    };
    let numbers = fields.split_whitespace().skip(1).take(3);
    numbers.filter_map(|number| number.parse().ok()).collect()
}
