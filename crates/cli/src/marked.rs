//! Whether this process works for a model.
//!
//! Every command of a call carries a mark in its environment. A shell can take the mark from what it
//! starts, but not from itself: so the processes that this one comes from are looked at too, each
//! with the leaders of its group and of its session, since a parent may be gone already. A process
//! that cuts all of these ties is not found; that it was allowed to run at all is what permission is
//! for.

use std::collections::BTreeSet;
use std::fs;

use toolpost_tools::CALL_MARK;

/// The id of the call that this process is a part of.
pub(crate) fn call() -> Option<String> {
    if let Some(id) = std::env::var_os(CALL_MARK) {
        return Some(id.to_string_lossy().into_owned());
    }
    let mut seen = BTreeSet::new();
    let mut next = vec![std::process::id()];
    while let Some(process) = next.pop() {
        // 0 stands for none; 1 has no parents, and is looked at like any other.
        if process == 0 || !seen.insert(process) {
            continue;
        }
        if let Some(id) = mark_of(process) {
            return Some(id);
        }
        next.extend(relatives(process));
    }
    None
}

/// The mark in the environment that a process was started with, where that may be read.
fn mark_of(process: u32) -> Option<String> {
    let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
    environment.split(|byte| *byte == 0).find_map(|variable| {
        let value = variable
            .strip_prefix(CALL_MARK.as_bytes())?
            .strip_prefix(b"=")?;
        Some(String::from_utf8_lossy(value).into_owned())
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
