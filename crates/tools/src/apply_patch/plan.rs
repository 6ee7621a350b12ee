//! A patch looked up on the disk and checked, and then carried out.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use toolpost_core::{Facts, ToolError};

use super::fit::fit;
use super::parse::{Action, Hunk, Section};
use super::{ApplyPatchOutput, Patched, PatchedFile, wording};
use crate::draft::{Splice, pieces, remember};
use crate::edit::{unified, whole};
use crate::file_state::{Change, FileState};
use crate::save::{Piece, Step, Steps, Target, exists, hash};
use crate::text::Coding;
use crate::work::Stop;
use crate::{change, place};

/// What is to be done, file by file.
pub(super) struct Plan(Vec<FilePlan>);

struct FilePlan {
    target: Target,
    coding: Coding,
    /// Changes of its bytes.
    splices: Vec<Splice>,
    result: Patched,
    /// Where it goes.
    to: Option<PathBuf>,
}

impl Plan {
    /// Checks everything, and says all that is wrong.
    pub(super) fn of(
        sections: &[Section],
        state: &FileState,
        facts: &Facts,
        stop: &Stop,
    ) -> Result<Self, ToolError> {
        let mut names = Names::default();
        let (mut files, mut errors) = (Vec::new(), Vec::new());
        for section in sections {
            stop.check()?;
            let planned = names
                .take(section, facts)
                .and_then(|()| plan(section, state, facts, stop))
                .and_then(|file| {
                    names
                        .take_file(&file.target, section.line, facts)
                        .map(|()| file)
                });
            match planned {
                Ok(file) => files.push(file),
                Err(error) if error.code() == "cancelled" => return Err(error),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(Self(files))
        } else {
            Err(wording::nothing_done(&errors))
        }
    }

    /// Does it, all or nothing.
    pub(super) fn carry_out(
        self,
        state: &FileState,
        facts: &Facts,
        stop: &Stop,
    ) -> Result<ApplyPatchOutput, ToolError> {
        let undone = |error: ToolError| match error.code() {
            "cancelled" | "half_done" => error,
            _ => wording::nothing_done(&[error]),
        };
        let pieces: Vec<Vec<Piece<'_>>> = self.0.iter().map(FilePlan::pieces).collect();
        let mut steps = Steps::default();
        for (file, pieces) in self.0.iter().zip(&pieces) {
            let is_written = !file.splices.is_empty() || file.result == Patched::Added;
            if is_written {
                let staged = file.target.stage(pieces, facts, stop).map_err(undone)?;
                steps.push(Step::Write(staged));
            }
            if file.result == Patched::Deleted {
                steps.push(Step::Remove(&file.target));
            }
            if let Some(to) = &file.to {
                steps.push(Step::Move {
                    from: &file.target,
                    to,
                    is_fresh: !is_written,
                });
            }
        }
        let mut now = steps.commit(facts, stop).map_err(undone)?.into_iter();
        for (file, pieces) in self.0.iter().zip(&pieces) {
            let path = &file.target.path;
            if !file.splices.is_empty() || file.result == Patched::Added {
                let hash = hash(pieces, file.bytes());
                if let Some(Some(now)) = now.next() {
                    remember(state, &file.target, &now, Some(hash), &file.splices);
                }
            }
            if file.result == Patched::Deleted {
                now.next();
                state.forget(path);
            }
            if let (Some(to), Some(before)) = (&file.to, &file.target.before)
                && let Some(Some(now)) = now.next()
            {
                state.moved(path, to, &before.metadata, &now);
            }
        }
        let files = self.0.iter().map(|file| file.report(facts)).collect();
        Ok(ApplyPatchOutput { files })
    }
}

impl FilePlan {
    fn bytes(&self) -> &[u8] {
        match &self.target.before {
            Some(before) => &before.bytes,
            None => &[],
        }
    }

    fn pieces(&self) -> Vec<Piece<'_>> {
        pieces(self.bytes().len(), &self.splices)
    }

    fn report(&self, facts: &Facts) -> PatchedFile {
        PatchedFile {
            file_path: place::shown(&self.target.path, facts),
            result: self.result,
            moved_to: self.to.as_ref().map(|to| place::shown(to, facts)),
            diff: if self.splices.is_empty() {
                String::new()
            } else {
                unified(self.bytes(), self.coding, &self.splices)
            },
        }
    }
}

fn plan(
    section: &Section,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<FilePlan, ToolError> {
    let spelled = section.file(facts);
    let target = Target::load(&facts.resolve(&spelled), facts, stop)?;
    let shown = place::shown(&target.path, facts);
    if let Action::Add(text) = &section.action {
        if target.before.is_some() {
            return Err(exists(&shown));
        }
        return Ok(FilePlan {
            target,
            coding: Coding::UTF8,
            splices: added(text, &shown)?,
            result: Patched::Added,
            to: None,
        });
    }
    let Some(before) = &target.before else {
        return Err(place::not_found(&target.path, facts));
    };
    let destination = section.destination(facts).map(|to| facts.resolve(&to));
    // A file that is moved to where it is stays there.
    let to = destination.filter(|to| *to != target.path);
    let goes = section.action == Action::Delete || to.is_some();
    if goes && facts.absolute(&spelled).is_symlink() {
        return Err(wording::is_link(&place::shown(
            &facts.absolute(&spelled),
            facts,
        )));
    }
    let change = match section.action {
        Action::Delete => Change::Replace,
        _ => Change::Splice,
    };
    change::check(state, &target.path, before, change, &shown)?;
    let hunks: &[Hunk] = match &section.action {
        Action::Update { hunks, .. } => hunks,
        _ => &[],
    };
    let (coding, splices) = match hunks {
        [] => (Coding::UTF8, Vec::new()),
        hunks => fitted(&before.bytes, hunks, &shown)?,
    };
    let result = match (&section.action, &to) {
        (Action::Delete, _) => Patched::Deleted,
        (_, Some(to)) if to.symlink_metadata().is_ok() => {
            return Err(exists(&place::shown(to, facts)));
        }
        (_, Some(_)) => Patched::Moved,
        (_, None) if splices.is_empty() => return Err(wording::nothing_changes(&shown)),
        (_, None) => Patched::Edited,
    };
    Ok(FilePlan {
        target,
        coding,
        splices,
        result,
        to,
    })
}

/// The one splice of a new file.
fn added(text: &str, shown: &str) -> Result<Vec<Splice>, ToolError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let with = whole(text, Coding::UTF8, None)
        .map_err(|fault| fault.into_error(shown, &[], Coding::UTF8, ""))?;
    Ok(vec![Splice { range: 0..0, with }])
}

/// The splices of the hunks, without those that change nothing.
fn fitted(bytes: &[u8], hunks: &[Hunk], shown: &str) -> Result<(Coding, Vec<Splice>), ToolError> {
    let coding = change::coding(bytes, shown)?;
    let mut splices = fit(bytes, coding, hunks)
        .map_err(|(hunk, misfit)| wording::misfit(hunk, misfit, shown, bytes, coding))?;
    splices.retain(|splice| bytes.get(splice.range.clone()) != Some(&splice.with));
    Ok((coding, splices))
}

/// The files that the patch has named so far.
#[derive(Default)]
struct Names {
    paths: HashMap<PathBuf, usize>,
    /// The same by what the system knows them by: a file may have two names.
    files: HashMap<(u64, u64), usize>,
}

impl Names {
    fn take(&mut self, section: &Section, facts: &Facts) -> Result<(), ToolError> {
        let file = facts.resolve(&section.file(facts));
        let to = section.destination(facts).map(|to| facts.resolve(&to));
        let is_elsewhere = |to: &PathBuf| *to != file;
        let to = to.filter(is_elsewhere);
        for path in std::iter::once(file).chain(to) {
            if let Some(first) = self.paths.insert(path.clone(), section.line) {
                return Err(twice(&path, first, section.line, facts));
            }
        }
        Ok(())
    }

    fn take_file(&mut self, target: &Target, line: usize, facts: &Facts) -> Result<(), ToolError> {
        let Some(before) = &target.before else {
            return Ok(());
        };
        let key = (before.metadata.dev(), before.metadata.ino());
        match self.files.insert(key, line) {
            Some(first) => Err(twice(&target.path, first, line, facts)),
            None => Ok(()),
        }
    }
}

fn twice(path: &Path, first: usize, second: usize, facts: &Facts) -> ToolError {
    wording::twice(&place::shown(path, facts), first, second)
}
