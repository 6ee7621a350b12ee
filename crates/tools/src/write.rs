//! `Write`: makes a file, or replaces all of one that was read.
//!
//! Folders that are missing are made. An existing file must have been read in this session and
//! must not have changed since. Its byte order mark, encoding, line endings (the kind that most
//! of its lines have) and mode stay; a link is written through. The file is replaced in one step,
//! so nobody sees half of it. The same content again changes nothing, not even its time.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Needs, Subject, Tool, ToolError};
use xxhash_rust::xxh3::xxh3_64;

use crate::change;
use crate::edit::whole;
use crate::file_state::{Change, FileState};
use crate::save::{Piece, Target};
use crate::text::{Coding, Look};
use crate::work::{Stop, blocking};
use crate::{failure, near, place};

/// The tool `Write`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Write;

/// The input of [`Write`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct WriteInput {
    /// The file to write. A relative path is taken from the root; missing folders are made.
    pub file_path: PathBuf,
    /// The whole new content.
    pub content: String,
}

/// What became of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// It was made.
    Created,
    /// It was replaced.
    Updated,
    /// It had this content already and was not touched.
    Unchanged,
}

/// What [`Write`] did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WriteOutput {
    /// The file, relative to the root where it is inside.
    pub file_path: String,
    /// What became of it.
    pub result: Written,
    /// How many bytes it has now.
    pub bytes: u64,
    /// How many lines it has now.
    pub lines: u64,
}

impl Tool for Write {
    type Input = WriteInput;
    type Output = WriteOutput;

    fn name(&self) -> &str {
        "Write"
    }

    fn description(&self) -> &str {
        "Write a whole file: make a new one, or replace one that was read before. To change a part \
         of a file, use Edit."
    }

    fn describe(&self, input: &WriteInput) -> String {
        format!("Write {}", input.file_path.display())
    }

    fn search_hint(&self) -> Option<&str> {
        Some("create a file, overwrite, save")
    }

    /// Whether a file is there cannot be told from the input, but one that is must have been read,
    /// so what is replaced is known to the model: not destructive. Twice is the same as once.
    fn effects(&self, _input: &WriteInput) -> Effects {
        Effects::WRITES.and_idempotent()
    }

    fn footprint(&self, input: &WriteInput, facts: &Facts) -> Footprint {
        let path = place::target(&input.file_path, facts);
        let footprint = change::footprint(&path, facts);
        if near::has_look_alikes(&path) {
            place::with_neighbours(footprint, &path, facts)
        } else {
            footprint
        }
    }

    fn subjects(&self, input: &WriteInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::writes(place::target(&input.file_path, facts))]
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<FileState>()
    }

    fn render(&self, output: &WriteOutput) -> Option<Vec<Content>> {
        let WriteOutput {
            file_path,
            result,
            bytes,
            lines,
        } = output;
        let plural = |count: u64| if count == 1 { "" } else { "s" };
        let size = format!(
            "{lines} line{}, {bytes} byte{}",
            plural(*lines),
            plural(*bytes)
        );
        Some(vec![Content::text(match result {
            Written::Created => format!("created `{file_path}` ({size})"),
            Written::Updated => format!("updated `{file_path}` ({size})"),
            Written::Unchanged => {
                format!("no change: `{file_path}` has this content already ({size})")
            }
        })])
    }

    async fn call(&self, input: WriteInput, cx: &Context) -> Result<WriteOutput, ToolError> {
        let state = cx
            .state::<FileState>()
            .ok_or_else(|| failure::no_state("record of files"))?;
        let (state, facts) = (state.clone(), cx.facts().clone());
        let path = facts.resolve(&place::target(&input.file_path, &facts));
        let lock = state.lock(&path).await;
        blocking(cx, move |stop| {
            let _lock = lock;
            let target = Target::load(&path, &facts, stop)?;
            write(&input.content, &target, &state, &facts, stop)
        })
        .await
    }
}

fn write(
    content: &str,
    target: &Target,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<WriteOutput, ToolError> {
    let shown = place::shown(&target.path, facts);
    let before = target.before.as_ref();
    let coding = match before.map(|before| change::look(&before.bytes)) {
        Some(Look::Text(coding)) => coding,
        None => Coding::UTF8,
        // It cannot be read as text first, so nobody would know what is lost.
        Some(Look::Binary(what)) => {
            let message = format!(
                "`{shown}` is {}; remove it first to put a text in its place",
                what.name()
            );
            return Err(ToolError::new("binary", message));
        }
    };
    let bytes = whole(content, coding, change::eol_of(before, coding))
        .map_err(|fault| fault.into_error(&shown, &[], coding, ""))?;
    let output = |result| WriteOutput {
        file_path: shown.clone(),
        result,
        bytes: bytes.len() as u64,
        lines: content.lines().count() as u64,
    };
    if let Some(before) = before {
        if before.bytes == bytes {
            state.saw_whole(&target.path, &before.metadata, xxh3_64(&bytes));
            return Ok(output(Written::Unchanged));
        }
        change::check(state, &target.path, before, Change::Replace, &shown)?;
    }
    let metadata = target.save(&[Piece::New(&bytes)], facts, stop)?;
    state.saw_whole(&target.path, &metadata, xxh3_64(&bytes));
    Ok(output(if before.is_some() {
        Written::Updated
    } else {
        Written::Created
    }))
}
