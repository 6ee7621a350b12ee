//! `ApplyPatch`: changes several files by one patch, all of it or nothing.
//!
//! ```text
//! *** Begin Patch
//! *** Update File: src/a.rs
//! @@ fn main() {
//!      let x = 1;
//! -    old();
//! +    new();
//! *** Add File: notes.txt
//! +A new file.
//! *** Delete File: old.txt
//! *** Update File: b.rs
//! *** Move to: src/b.rs
//! *** End Patch
//! ```
//!
//! A hunk lists lines: those that stay begin with a space, those that go with `-`, new ones with
//! `+`. The lines that stay and go must be in the file exactly, at one place, after the hunk
//! before it. `@@` with a line of the file says that the place is below that line; several such
//! lines narrow it down. Line numbers after `@@` do not count. `*** End of File` says that the hunk
//! ends where the file ends. A hunk that only adds goes below its `@@` line, or at the end of the
//! file with `*** End of File`; without either it is an error.
//!
//! `Add File` never writes over a file, and neither does `Move to`; missing folders are made.
//! `Delete File` and `Move to` do not work on links. A file may be named once in a patch.
//!
//! Line ends, encoding, byte order mark and mode stay; a new line has the end of the line that it
//! replaces or of its neighbours, and a file without a line end at its end stays one.
//!
//! A file that is changed, moved or deleted must have been read in this session, as for `Edit`, and
//! must not have changed since. Everything is checked and laid ready before the first file is
//! changed, and what was done is taken back when a later step fails. A text that is no patch
//! touches nothing, and the error names its line.

pub(crate) mod fit;
mod lines;
pub(crate) mod parse;
mod plan;
#[cfg(test)]
mod tests;
mod wording;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Needs, Subject, Tool, ToolError};

use crate::file_state::FileState;
use crate::work::blocking;
use crate::{change, failure, near, place};
use parse::{Action, Section, parse};
use plan::Plan;

/// The tool `ApplyPatch`.
#[derive(Debug, Clone, Copy, Default)]
pub struct ApplyPatch;

/// The input of [`ApplyPatch`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ApplyPatchInput {
    /// The patch, from `*** Begin Patch` to `*** End Patch`. Between them, for each file,
    /// `*** Update File: PATH` (then perhaps `*** Move to: PATH`) with hunks, `*** Add File: PATH`
    /// with lines that begin with `+`, or `*** Delete File: PATH`. A hunk begins with `@@`, and each
    /// of its lines with a space, `-` or `+`. Relative paths are taken from the root.
    pub patch: String,
}

/// What [`ApplyPatch`] did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ApplyPatchOutput {
    /// Each file of the patch, in its order.
    pub files: Vec<PatchedFile>,
}

/// What became of one file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PatchedFile {
    /// The file, relative to the root where it is inside.
    pub file_path: String,
    /// What became of it.
    pub result: Patched,
    /// Where it is now, when it was moved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moved_to: Option<String>,
    /// The change as a unified diff; long ones are cut.
    pub diff: String,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Patched {
    /// It was made.
    Added,
    /// It was changed.
    Edited,
    /// It has another name, and was perhaps changed as well.
    Moved,
    /// It was removed.
    Deleted,
}

impl Tool for ApplyPatch {
    type Input = ApplyPatchInput;
    type Output = ApplyPatchOutput;

    fn name(&self) -> &str {
        "ApplyPatch"
    }

    fn description(&self) -> &str {
        "Change several files by one patch (`*** Begin Patch` … `*** End Patch`), all of it or \
         nothing. Read the files first. The lines that stay and go must be in the file exactly."
    }

    fn describe(&self, input: &ApplyPatchInput) -> String {
        let sections = parse(&input.patch).unwrap_or_default();
        let names: Vec<String> = sections
            .iter()
            .map(|section| section.path.display().to_string())
            .collect();
        match names.as_slice() {
            [] => "Apply what is no patch".to_owned(),
            [first, second, third, _, ..] => {
                let more = names.len() - 3;
                format!("Patch {first}, {second}, {third} and {more} more")
            }
            few => format!("Patch {}", few.join(", ")),
        }
    }

    fn search_hint(&self) -> Option<&str> {
        Some("apply a diff, change several files at once, add, move, delete files")
    }

    /// What it deletes is not told in the call. A text that is no patch changes nothing.
    fn effects(&self, input: &ApplyPatchInput) -> Effects {
        match parse(&input.patch) {
            Err(_) => Effects::READ_ONLY,
            Ok(sections) if sections.iter().any(|one| one.action == Action::Delete) => {
                Effects::WRITES.and_destroys()
            }
            Ok(_) => Effects::WRITES,
        }
    }

    fn footprint(&self, input: &ApplyPatchInput, facts: &Facts) -> Footprint {
        let mut claims = Footprint::nothing();
        for section in parse(&input.patch).unwrap_or_default() {
            let file = section.file(facts);
            claims = change::claim(claims, &file, facts);
            // What is to be there is looked for among the names beside it, too.
            let may_be_new = matches!(section.action, Action::Add(_));
            if !may_be_new || near::has_look_alikes(&file) {
                claims = place::with_neighbours(claims, &file, facts);
            }
            if let Some(to) = section.destination(facts) {
                claims = change::claim(claims, &to, facts);
            }
        }
        claims
    }

    fn subjects(&self, input: &ApplyPatchInput, facts: &Facts) -> Vec<Subject> {
        paths(&parse(&input.patch).unwrap_or_default(), facts)
            .into_iter()
            .map(Subject::writes)
            .collect()
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<FileState>()
    }

    fn render(&self, output: &ApplyPatchOutput) -> Option<Vec<Content>> {
        let texts: Vec<String> = output.files.iter().map(PatchedFile::text).collect();
        Some(vec![Content::text(texts.join("\n"))])
    }

    async fn call(
        &self,
        input: ApplyPatchInput,
        cx: &Context,
    ) -> Result<ApplyPatchOutput, ToolError> {
        let state = cx
            .state::<FileState>()
            .ok_or_else(|| failure::no_state("record of files"))?;
        let (state, facts) = (state.clone(), cx.facts().clone());
        let sections = parse(&input.patch).map_err(|fault| wording::no_patch(&fault))?;
        let mut locked: Vec<PathBuf> = paths(&sections, &facts)
            .iter()
            .map(|path| facts.resolve(path))
            .collect();
        // Always in the same order, so that two patches cannot wait for each other.
        locked.sort();
        locked.dedup();
        let mut locks = Vec::with_capacity(locked.len());
        for path in &locked {
            locks.push(state.lock(path).await);
        }
        blocking(cx, move |stop| {
            let _locks = locks;
            let plan = Plan::of(&sections, &state, &facts, stop)?;
            plan.carry_out(&state, &facts, stop)
        })
        .await
    }
}

/// Every path that the patch touches, as policies are told of it.
fn paths(sections: &[Section], facts: &Facts) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for section in sections {
        paths.push(section.file(facts));
        paths.extend(section.destination(facts));
    }
    paths
}

impl Section {
    /// The file that it names.
    fn file(&self, facts: &Facts) -> PathBuf {
        match self.action {
            Action::Add(_) => place::target(&self.path, facts),
            Action::Delete | Action::Update { .. } => place::existing(&self.path, facts),
        }
    }

    /// Where the file is moved.
    fn destination(&self, facts: &Facts) -> Option<PathBuf> {
        match &self.action {
            Action::Update {
                move_to: Some(to), ..
            } => Some(place::spelled(to, facts)),
            _ => None,
        }
    }
}

impl PatchedFile {
    fn text(&self) -> String {
        let Self {
            file_path,
            result,
            moved_to,
            diff,
        } = self;
        let done = match (result, moved_to) {
            (Patched::Added, _) => format!("added `{file_path}`"),
            (Patched::Deleted, _) => format!("deleted `{file_path}`"),
            (_, Some(to)) => format!("moved `{file_path}` to `{to}`"),
            (_, None) => format!("edited `{file_path}`"),
        };
        if diff.is_empty() {
            done
        } else {
            format!("{done}\n{diff}")
        }
    }
}
