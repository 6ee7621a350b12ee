//! `Edit`: replaces a text in a file that was read, and touches nothing else.
//!
//! `old_string` is literal text as Read shows it, without the line numbers. It must be in the file
//! exactly once, unless `replace_all` is set. Line endings, byte order mark, encoding and bytes
//! that are no text stay as they are; a failed edit leaves the file as it was. An empty
//! `old_string` makes a new file, or fills an empty one.
//!
//! The answer is a small diff with the new line numbers. A file that was not read in this session,
//! or that has changed since, is refused.

mod diff;
mod engine;
mod fault;
mod hint;
mod large;
mod stream;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Needs, Subject, Tool, ToolError};

pub(crate) use diff::unified;
use engine::splices;
pub(crate) use engine::{Replacement, whole};
pub(crate) use fault::Fault;
pub(crate) use hint::nearest;

use crate::change;
use crate::draft::{Draft, Splice};
use crate::file_state::{Change, FileState};
use crate::save::Target;
use crate::text::Coding;
use crate::work::{Stop, blocking};
use crate::{failure, place};

/// The tool `Edit`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edit;

/// The input of [`Edit`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct EditInput {
    /// The file to change. A relative path is taken from the root.
    pub file_path: PathBuf,
    /// The text to replace, exactly as it is in the file, without line numbers. With enough lines
    /// around it that it is there only once.
    pub old_string: String,
    /// The text to put in its place, literally.
    pub new_string: String,
    /// Replace every place where the text is, not only one.
    #[serde(default)]
    pub replace_all: bool,
}

/// What [`Edit`] did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct EditOutput {
    /// The file, relative to the root where it is inside.
    pub file_path: String,
    /// How many places were replaced.
    pub replacements: u64,
    /// Whether the file was made.
    pub created: bool,
    /// The change as a unified diff; long ones are cut.
    pub diff: String,
}

impl Tool for Edit {
    type Input = EditInput;
    type Output = EditOutput;

    fn name(&self) -> &str {
        "Edit"
    }

    fn description(&self) -> &str {
        "Replace a text in a file. Read the file first. `old_string` must be in the file exactly \
         once, or set `replace_all`. Line endings and encoding are kept."
    }

    fn describe(&self, input: &EditInput) -> String {
        format!("Edit {}", input.file_path.display())
    }

    fn search_hint(&self) -> Option<&str> {
        Some("replace text in a file, change code, modify")
    }

    /// What it replaces is told in the call itself, so it can be put back: not destructive. Done
    /// twice, the second finds nothing to replace: not idempotent.
    fn effects(&self, _input: &EditInput) -> Effects {
        Effects::WRITES
    }

    fn footprint(&self, input: &EditInput, facts: &Facts) -> Footprint {
        let path = place::existing(&input.file_path, facts);
        place::with_neighbours(change::footprint(&path, facts), &path, facts)
    }

    fn subjects(&self, input: &EditInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::writes(place::existing(&input.file_path, facts))]
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<FileState>()
    }

    fn render(&self, output: &EditOutput) -> Option<Vec<Content>> {
        let done = match (output.created, output.replacements) {
            (true, _) => format!("created `{}`", output.file_path),
            (false, 1) => format!("edited `{}`", output.file_path),
            (false, count) => format!("edited `{}` in {count} places", output.file_path),
        };
        Some(vec![Content::text(format!("{done}\n{}", output.diff))])
    }

    async fn call(&self, input: EditInput, cx: &Context) -> Result<EditOutput, ToolError> {
        let state = cx
            .state::<FileState>()
            .ok_or_else(|| failure::no_state("record of files"))?;
        let (state, facts) = (state.clone(), cx.facts().clone());
        let path = facts.resolve(&place::existing(&input.file_path, &facts));
        let lock = state.lock(&path).await;
        blocking(cx, move |stop| {
            let _lock = lock;
            if let Some(done) = large::edit(&input, &path, &state, &facts, stop)? {
                return Ok(done);
            }
            let target = Target::load(&path, &facts, stop)?;
            edit(&input, &target, &state, &facts, stop)
        })
        .await
    }
}

fn edit(
    input: &EditInput,
    target: &Target,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<EditOutput, ToolError> {
    let shown = place::shown(&target.path, facts);
    let (bytes, coding) = text_of(target, input.old_string.is_empty(), facts)?;
    if let Some(before) = &target.before {
        change::check(state, &target.path, before, Change::Splice, &shown)?;
    }
    stop.check()?;
    let mut draft = Draft::new(bytes);
    let wanted = Replacement {
        old: &input.old_string,
        new: &input.new_string,
        all: input.replace_all,
    };
    let replacements = replace(&mut draft, coding, wanted)
        .map_err(|fault| fault.into_error(&shown, bytes, coding, &input.old_string))?;
    draft.save(target, state, facts, stop)?;
    Ok(EditOutput {
        file_path: shown,
        replacements,
        created: target.before.is_none(),
        diff: draft.diff(coding),
    })
}

/// The bytes of a target and how they are text. One that is not there is an error, unless the
/// change is to make it.
pub(crate) fn text_of<'t>(
    target: &'t Target,
    makes_it: bool,
    facts: &Facts,
) -> Result<(&'t [u8], Coding), ToolError> {
    match &target.before {
        None if makes_it => Ok((&[], Coding::UTF8)),
        None => Err(place::not_found(&target.path, facts)),
        Some(before) => {
            let coding = change::coding(&before.bytes, &place::shown(&target.path, facts))?;
            Ok((&before.bytes, coding))
        }
    }
}

/// Makes a replacement, or fills what is empty. Says at how many places.
pub(crate) fn replace(
    draft: &mut Draft<'_>,
    coding: Coding,
    wanted: Replacement<'_>,
) -> Result<u64, Fault> {
    let bytes = draft.bytes();
    let is_filling = wanted.old.is_empty() && bytes.len() == coding.mark_len();
    let splices = match (is_filling, wanted.new) {
        (true, "") => return Err(Fault::SameText),
        (true, new) => {
            // The mark, where there is one, stays.
            let mark = coding.mark_len();
            let with = whole(new, coding, None)?;
            let with = with.get(mark..).unwrap_or_default().to_vec();
            let range = mark..bytes.len();
            vec![Splice { range, with }]
        }
        (false, _) => splices(bytes, coding, wanted)?,
    };
    let count = splices.len() as u64;
    draft.change(splices);
    Ok(count)
}
