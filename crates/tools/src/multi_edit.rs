//! `MultiEdit`: makes several replacements in one file, all of them or none.
//!
//! The edits are made in memory in their order, each on the result of those before it, and the
//! file is written once at the end. Each is one as `Edit` makes it: `old_string` must be there
//! exactly once, unless `replace_all` is set; an empty `old_string` in the first edit makes a new
//! file, or fills an empty one. When one of them cannot be made, the error says which, and the
//! file stays as it was.
//!
//! The answer is one small diff of all changes. A file that was not read in this session, or that
//! has changed since, is refused.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Needs, Subject, Tool, ToolError};

use crate::change;
use crate::draft::Draft;
use crate::edit::{Replacement, replace, text_of};
use crate::file_state::{Change, FileState};
use crate::save::Target;
use crate::work::{Stop, blocking};
use crate::{failure, place};

/// The tool `MultiEdit`.
#[derive(Debug, Clone, Copy, Default)]
pub struct MultiEdit;

/// The input of [`MultiEdit`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct MultiEditInput {
    /// The file to change. A relative path is taken from the root.
    pub file_path: PathBuf,
    /// The edits, in the order in which they are made; each sees the result of those before it.
    #[schemars(length(min = 1))]
    pub edits: Vec<OneEdit>,
}

/// One of the edits.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct OneEdit {
    /// The text to replace, exactly as it is in the file then, without line numbers.
    pub old_string: String,
    /// The text to put in its place, literally.
    pub new_string: String,
    /// Replace every place where the text is, not only one.
    #[serde(default)]
    pub replace_all: bool,
}

/// What [`MultiEdit`] did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct MultiEditOutput {
    /// The file, relative to the root where it is inside.
    pub file_path: String,
    /// How many places each of the edits replaced.
    pub replacements: Vec<u64>,
    /// Whether the file was made.
    pub created: bool,
    /// Whether the file is other than it was.
    pub changed: bool,
    /// The change as a unified diff; long ones are cut.
    pub diff: String,
}

impl Tool for MultiEdit {
    type Input = MultiEditInput;
    type Output = MultiEditOutput;

    fn name(&self) -> &str {
        "MultiEdit"
    }

    fn description(&self) -> &str {
        "Make several replacements in one file, in order, all or none. Read the file first. Each \
         `old_string` must be in the file exactly once at that moment, or set `replace_all`."
    }

    fn describe(&self, input: &MultiEditInput) -> String {
        let count = input.edits.len();
        let places = if count == 1 { "edit" } else { "edits" };
        format!("Edit {} ({count} {places})", input.file_path.display())
    }

    fn search_hint(&self) -> Option<&str> {
        Some("replace several texts in a file at once, change code, refactor")
    }

    /// As with `Edit`: what is replaced is told in the call.
    fn effects(&self, _input: &MultiEditInput) -> Effects {
        Effects::WRITES
    }

    fn footprint(&self, input: &MultiEditInput, facts: &Facts) -> Footprint {
        let path = place::existing(&input.file_path, facts);
        place::with_neighbours(change::footprint(&path, facts), &path, facts)
    }

    fn subjects(&self, input: &MultiEditInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::writes(place::existing(&input.file_path, facts))]
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<FileState>()
    }

    fn render(&self, output: &MultiEditOutput) -> Option<Vec<Content>> {
        let MultiEditOutput {
            file_path,
            replacements,
            created,
            changed,
            diff,
        } = output;
        let edits = match replacements.len() {
            1 => "1 edit".to_owned(),
            count => format!("{count} edits"),
        };
        let text = match (created, changed) {
            (true, _) => format!("created `{file_path}` ({edits})\n{diff}"),
            (false, true) => format!("edited `{file_path}` ({edits})\n{diff}"),
            (false, false) => format!("no change: the {edits} leave `{file_path}` as it was"),
        };
        Some(vec![Content::text(text)])
    }

    async fn call(
        &self,
        input: MultiEditInput,
        cx: &Context,
    ) -> Result<MultiEditOutput, ToolError> {
        let state = cx
            .state::<FileState>()
            .ok_or_else(|| failure::no_state("record of files"))?;
        let (state, facts) = (state.clone(), cx.facts().clone());
        let path = facts.resolve(&place::existing(&input.file_path, &facts));
        let lock = state.lock(&path).await;
        blocking(cx, move |stop| {
            let _lock = lock;
            let target = Target::load(&path, &facts, stop)?;
            edit(&input.edits, &target, &state, &facts, stop)
        })
        .await
    }
}

fn edit(
    edits: &[OneEdit],
    target: &Target,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<MultiEditOutput, ToolError> {
    let shown = place::shown(&target.path, facts);
    let makes_it = edits.first().is_some_and(|edit| edit.old_string.is_empty());
    let (bytes, coding) = text_of(target, makes_it, facts)?;
    if let Some(before) = &target.before {
        change::check(state, &target.path, before, Change::Splice, &shown)?;
    }
    let mut draft = Draft::new(bytes);
    let mut replacements = Vec::with_capacity(edits.len());
    for (number, edit) in (1..).zip(edits) {
        stop.check()?;
        let wanted = Replacement {
            old: &edit.old_string,
            new: &edit.new_string,
            all: edit.replace_all,
        };
        let replaced = replace(&mut draft, coding, wanted).map_err(|fault| {
            let error = fault.into_error(&shown, draft.bytes(), coding, &edit.old_string);
            of_edit(&error, number, edits.len())
        })?;
        replacements.push(replaced);
    }
    let created = target.before.is_none();
    let changed = created || draft.is_changed();
    if changed {
        draft.save(target, state, facts, stop)?;
    }
    Ok(MultiEditOutput {
        file_path: shown,
        replacements,
        created,
        changed,
        diff: if changed {
            draft.diff(coding)
        } else {
            String::new()
        },
    })
}

/// Says which edit it was, and what became of the others.
fn of_edit(error: &ToolError, number: usize, of: usize) -> ToolError {
    let after = match number {
        1 => "",
        _ => " (after the edits before it)",
    };
    let message = format!(
        "edit {number} of {of}{after}, so none was made: {}",
        error.message()
    );
    ToolError::new(error.code().to_owned(), message)
}
