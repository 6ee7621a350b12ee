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
#[cfg(test)]
mod tests;

use std::fs::Metadata;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Needs, Subject, Tool, ToolError};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

pub(crate) use engine::whole;
use engine::{Replacement, pieces, splices};
use fault::Fault;

use crate::change;
use crate::file_state::{Change, FileState, Part, Seen, Stamp};
use crate::save::{Before, Target};
use crate::text::{Coding, Look};
use crate::work::{Stop, blocking};
use crate::{failure, place};

/// From this size on, a second thread is worth its start.
const LARGE: usize = 4 << 20;

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
    let nothing = Vec::new();
    let (bytes, coding) = match &target.before {
        None if input.old_string.is_empty() => (&nothing, Coding::UTF8),
        None => return Err(place::not_found(&target.path, facts)),
        Some(before) => (&before.bytes, coding_of(before, &shown)?),
    };
    if let Some(before) = &target.before {
        change::check(state, &target.path, before, Change::Splice, &shown)?;
    }
    stop.check()?;
    let replacement = Replacement {
        old: &input.old_string,
        new: &input.new_string,
        all: input.replace_all,
    };
    let is_filling = input.old_string.is_empty() && bytes.len() == coding.mark_len();
    let splices = if is_filling && input.new_string.is_empty() {
        Err(Fault::SameText)
    } else if is_filling {
        let eol = change::eol_of(target.before.as_ref(), coding);
        whole(&input.new_string, coding, eol).map(|with| {
            vec![engine::Splice {
                range: 0..bytes.len(),
                with,
            }]
        })
    } else {
        splices(bytes, coding, replacement)
    };
    let splices =
        splices.map_err(|fault| fault.into_error(&shown, bytes, coding, &input.old_string))?;
    let pieces = pieces(bytes, &splices);
    let (metadata, hash) = save_and_hash(target, &pieces, facts, stop)?;
    remember(state, target, &metadata, Seen::Whole(hash), splices.first());
    Ok(EditOutput {
        file_path: shown,
        replacements: splices.len() as u64,
        created: target.before.is_none(),
        diff: diff::unified(bytes, coding, &splices),
    })
}

/// Saves the pieces and hashes them; of a large file both at the same time.
fn save_and_hash(
    target: &Target,
    pieces: &[&[u8]],
    facts: &Facts,
    stop: &Stop,
) -> Result<(Metadata, u64), ToolError> {
    let hash = || {
        let mut hash = Xxh3::new();
        pieces.iter().for_each(|piece| hash.update(piece));
        hash.digest()
    };
    let is_large = pieces.iter().map(|piece| piece.len()).sum::<usize>() > LARGE;
    std::thread::scope(|scope| {
        let hashing = is_large.then(|| scope.spawn(hash));
        let metadata = target.save(pieces, facts, stop)?;
        let hash = hashing
            .and_then(|hashing| hashing.join().ok())
            .unwrap_or_else(hash);
        Ok((metadata, hash))
    })
}

fn remember(
    state: &FileState,
    target: &Target,
    now: &Metadata,
    whole: Seen,
    splice: Option<&engine::Splice>,
) {
    let (Some(before), Some(splice)) = (&target.before, splice) else {
        state.put(&target.path, Stamp::of(now), whole);
        return;
    };
    let start = splice.range.start as u64;
    let end = start + splice.with.len() as u64;
    let place = Part {
        start,
        end,
        hash: xxh3_64(&splice.with),
    };
    state.edited(&target.path, &before.metadata, whole, now, place);
}

/// How the file's text is written; an error when it is no text.
fn coding_of(before: &Before, shown: &str) -> Result<Coding, ToolError> {
    match change::look(&before.bytes) {
        Look::Text(coding) => Ok(coding),
        Look::Binary(what) => {
            let message = format!("`{shown}` is {what}, not text; use a command to change it");
            Err(ToolError::new("binary", message))
        }
    }
}
