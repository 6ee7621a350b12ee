//! Several changes that are made together or not at all.
//!
//! Everything is laid ready first. Then the steps are taken one after the other; when one fails,
//! those before it are taken back. Only a process that is killed between two steps leaves some of
//! them done, each file by itself being the old one or the new one.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use toolpost_core::{Facts, ToolError};

use super::folders::NewFolders;
use super::stage::{Afterwards, Done, put_new};
use super::temporary::Temporary;
use super::undo::Undo;
use super::{Staged, Target};
use crate::work::Stop;
use crate::{failure, place};

/// One change of one file.
pub(crate) enum Step<'t> {
    /// Puts a new content there.
    Write(Staged<'t>),
    /// Removes the file.
    Remove(&'t Target),
    /// Gives the file another name, in folders that are made for it. `is_fresh` is false where an
    /// earlier step has written to it.
    Move {
        from: &'t Target,
        to: &'t Path,
        is_fresh: bool,
    },
}

/// Steps that are ready. Dropped, they leave no trace: the last goes first, since it may lie in a
/// folder that an earlier one has made.
#[derive(Default)]
pub(crate) struct Steps<'t>(Vec<Step<'t>>);

impl<'t> Steps<'t> {
    pub(crate) fn push(&mut self, step: Step<'t>) {
        self.0.push(step);
    }

    /// Takes all steps, or none. Gives the file of each step as it is then, where one is left.
    pub(crate) fn commit(
        mut self,
        facts: &Facts,
        stop: &Stop,
    ) -> Result<Vec<Option<Metadata>>, ToolError> {
        stop.commit(|| {
            let (mut undo, mut metadata) = (Vec::new(), Vec::new());
            self.0.reverse();
            while let Some(step) = self.0.pop() {
                match take(step, facts) {
                    Ok((now, back)) => {
                        undo.extend(back);
                        metadata.push(now);
                    }
                    Err(error) => {
                        // The vector is turned round, so that this drops the last step first.
                        self.0.clear();
                        return Err(take_back(undo, error));
                    }
                }
            }
            undo.into_iter().for_each(Undo::keep);
            Ok(metadata)
        })
    }
}

impl Drop for Steps<'_> {
    fn drop(&mut self) {
        while self.0.pop().is_some() {}
    }
}

/// Takes steps back, the last one first.
fn take_back(undo: Vec<Undo<'_>>, error: ToolError) -> ToolError {
    let failed: Vec<String> = undo
        .into_iter()
        .rev()
        .filter_map(|step| step.undo().err())
        .map(|error| error.to_string())
        .collect();
    if failed.is_empty() {
        return error;
    }
    let message = format!(
        "{}; an earlier change could not be taken back, so look at the files before you go on",
        error.message()
    );
    ToolError::new("half_done", message).with_operator_text(failed.join("; "))
}

type Taken<'t> = (Option<Metadata>, Option<Undo<'t>>);

fn take<'t>(step: Step<'t>, facts: &Facts) -> Result<Taken<'t>, ToolError> {
    match step {
        Step::Write(staged) => {
            let Done { metadata, undo } = staged.commit(Afterwards::Keep)?;
            Ok((Some(metadata), undo))
        }
        Step::Remove(target) => remove(target, facts),
        Step::Move { from, to, is_fresh } => move_to(from, to, is_fresh, facts),
    }
}

fn remove<'t>(target: &'t Target, facts: &Facts) -> Result<Taken<'t>, ToolError> {
    let shown = place::shown(&target.path, facts);
    if let Some(before) = &target.before {
        target.still(before, &shown)?;
    }
    let kept = Temporary::free_name(&target.path);
    put_new(&target.path, &kept)
        .map_err(|error| failure::io(&error, "delete", &shown, &target.path))?;
    let path = target.path.clone();
    Ok((None, Some(Undo::Restore { path, kept })))
}

fn move_to<'t>(
    from: &'t Target,
    to: &Path,
    is_fresh: bool,
    facts: &Facts,
) -> Result<Taken<'t>, ToolError> {
    let shown = place::shown(&from.path, facts);
    if let (Some(before), true) = (&from.before, is_fresh) {
        from.still(before, &shown)?;
    }
    let fail = |error: &io::Error| failure::io(error, "move", &shown, &from.path);
    let folders = NewFolders::above(to).map_err(|error| fail(&error))?;
    put_new(&from.path, to).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => exists(&place::shown(to, facts)),
        _ => fail(&error),
    })?;
    let undo = Undo::MoveBack {
        from: from.path.clone(),
        to: PathBuf::from(to),
        folders,
    };
    Ok((fs::metadata(to).ok(), Some(undo)))
}

/// The error for a name that is taken.
pub(crate) fn exists(shown: &str) -> ToolError {
    let message =
        format!("`{shown}` exists already, and nothing is written over; choose another name");
    ToolError::new("exists", message)
}
