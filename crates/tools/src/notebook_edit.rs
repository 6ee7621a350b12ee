//! `NotebookEdit`: changes, adds or removes one cell of a Jupyter notebook.
//!
//! A cell is named by its id, or by `cell-` and its place counted from 0, as Read shows it.
//! `replace` gives it another source, another `cell_type`, or both; what a run of the code had put
//! out is taken away. `insert` puts a new cell after the named one, or at the end when none is
//! named; without a `cell_type` it is code. `delete` removes it.
//!
//! Everything else in the file stays as it is, byte for byte: metadata, the order of keys, the
//! indentation and the end of the file. A new cell gets an id where the version of the notebook has
//! ids. A file that is no notebook of version 4 is an error (`bad_notebook`), and stays untouched.
//!
//! A notebook that was not read in this session, or that has changed since, is refused.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Needs, Subject, Tool, ToolError};

use crate::draft::{Draft, Splice};
use crate::file_state::{Change, FileState};
use crate::notebook::{Named, NewCell, Notebook};
use crate::save::Target;
use crate::text::{Coding, Encoding};
use crate::work::{Stop, blocking};
use crate::{change, failure, near, place, schema};

/// The tool `NotebookEdit`.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotebookEdit;

/// The input of [`NotebookEdit`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct NotebookEditInput {
    /// The notebook to change. A relative path is taken from the root.
    pub notebook_path: PathBuf,
    /// The cell, by its id, or as `cell-0` for the first. For `insert` the cell after which the new
    /// one goes; at the end when left out.
    pub cell_id: Option<String>,
    /// The new source of the cell. Not needed for `delete`.
    pub new_source: Option<String>,
    /// What the cell is: `code`, `markdown` or `raw`. As it was when left out, and `code` for a new
    /// one.
    pub cell_type: Option<CellType>,
    /// What to do: `replace` (when left out), `insert` or `delete`.
    pub edit_mode: Option<EditMode>,
}

/// What a cell is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = schema::plain_names)]
pub enum CellType {
    /// A program.
    Code,
    /// Text with marks.
    Markdown,
    /// Text that is passed on as it is.
    Raw,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = schema::plain_names)]
pub enum EditMode {
    /// Give the cell another source or kind.
    Replace,
    /// Put a new cell after it.
    Insert,
    /// Remove it.
    Delete,
}

/// What [`NotebookEdit`] did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NotebookEditOutput {
    /// The notebook, relative to the root where it is inside.
    pub notebook_path: String,
    /// What was done.
    pub edit_mode: EditMode,
    /// The cell: its id, or `cell-` and its place.
    pub cell_id: String,
    /// How many cells there are now.
    pub cells: u64,
    /// Whether the file is other than it was.
    pub changed: bool,
    /// The change as a unified diff of the file; long ones are cut.
    pub diff: String,
}

impl CellType {
    const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

impl NotebookEditInput {
    fn mode(&self) -> EditMode {
        self.edit_mode.unwrap_or(EditMode::Replace)
    }
}

impl Tool for NotebookEdit {
    type Input = NotebookEditInput;
    type Output = NotebookEditOutput;

    fn name(&self) -> &str {
        "NotebookEdit"
    }

    fn description(&self) -> &str {
        "Change, add or remove one cell of a Jupyter notebook (.ipynb). Read the notebook first. \
         `insert` puts the new cell after `cell_id`, or at the end."
    }

    fn describe(&self, input: &NotebookEditInput) -> String {
        let path = input.notebook_path.display();
        let cell = input.cell_id.as_deref();
        match (input.mode(), cell) {
            (EditMode::Insert, None) => format!("Add a cell to {path}"),
            (EditMode::Insert, Some(cell)) => format!("Add a cell after {cell} in {path}"),
            (EditMode::Delete, cell) => format!("Remove cell {} of {path}", cell.unwrap_or("?")),
            (EditMode::Replace, cell) => format!("Change cell {} of {path}", cell.unwrap_or("?")),
        }
    }

    fn search_hint(&self) -> Option<&str> {
        Some("change a cell of a Jupyter notebook, ipynb, insert, delete")
    }

    /// What was in the cell is not told in the call, but the notebook must have been read, so what
    /// is replaced is known to the model, as with `Write`. A cell put in twice is there twice.
    fn effects(&self, _input: &NotebookEditInput) -> Effects {
        Effects::WRITES
    }

    fn footprint(&self, input: &NotebookEditInput, facts: &Facts) -> Footprint {
        let path = place::existing(&input.notebook_path, facts);
        place::with_neighbours(change::footprint(&path, facts), &path, facts)
    }

    fn subjects(&self, input: &NotebookEditInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::writes(place::existing(
            &input.notebook_path,
            facts,
        ))]
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<FileState>()
    }

    fn render(&self, output: &NotebookEditOutput) -> Option<Vec<Content>> {
        let NotebookEditOutput {
            notebook_path,
            cell_id,
            cells,
            changed,
            diff,
            edit_mode,
        } = output;
        let done = match (edit_mode, changed) {
            (_, false) => {
                return Some(vec![Content::text(format!(
                    "no change: cell `{cell_id}` of `{notebook_path}` is like this already"
                ))]);
            }
            (EditMode::Replace, true) => "changed",
            (EditMode::Insert, true) => "added",
            (EditMode::Delete, true) => "removed",
        };
        let plural = if *cells == 1 { "" } else { "s" };
        let text = format!(
            "{done} cell `{cell_id}` of `{notebook_path}` ({cells} cell{plural} now)\n{diff}"
        );
        Some(vec![Content::text(text)])
    }

    async fn call(
        &self,
        input: NotebookEditInput,
        cx: &Context,
    ) -> Result<NotebookEditOutput, ToolError> {
        let state = cx
            .state::<FileState>()
            .ok_or_else(|| failure::no_state("record of files"))?;
        let (state, facts) = (state.clone(), cx.facts().clone());
        let path = facts.resolve(&place::existing(&input.notebook_path, &facts));
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
    input: &NotebookEditInput,
    target: &Target,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<NotebookEditOutput, ToolError> {
    let shown = place::shown(&target.path, facts);
    let Some(before) = &target.before else {
        return Err(place::not_found(&target.path, facts));
    };
    let (text, coding) = text_of(&before.bytes, &shown)?;
    let notebook = Notebook::parse(text).map_err(|why| bad_notebook(&shown, &why))?;
    change::check(state, &target.path, before, Change::Splice, &shown)?;
    let Planned {
        mut splices,
        cell_id,
        cells,
    } = plan(input, &notebook, &shown)?;
    let mark = coding.mark_len();
    for splice in &mut splices {
        splice.range = splice.range.start + mark..splice.range.end + mark;
    }
    let mut draft = Draft::new(&before.bytes);
    draft.change(splices);
    let changed = draft.is_changed();
    // What is written is read once more: a notebook of an odd shape is left alone.
    let (new, _) = text_of(draft.bytes(), &shown)?;
    Notebook::parse(new).map_err(|why| bad_notebook(&shown, &why))?;
    let diff = if changed {
        draft.save(target, state, facts, stop)?;
        draft.diff(coding)
    } else {
        String::new()
    };
    Ok(NotebookEditOutput {
        notebook_path: shown,
        edit_mode: input.mode(),
        cell_id,
        cells: cells as u64,
        changed,
        diff,
    })
}

/// The text after the mark. JSON is UTF-8.
fn text_of<'b>(bytes: &'b [u8], shown: &str) -> Result<(&'b str, Coding), ToolError> {
    let coding = change::coding(bytes, shown)?;
    let text = bytes.get(coding.mark_len()..).unwrap_or_default();
    match (coding.encoding, std::str::from_utf8(text)) {
        (Encoding::Utf8, Ok(text)) => Ok((text, coding)),
        _ => Err(bad_notebook(shown, "it is not written in UTF-8")),
    }
}

fn bad_notebook(shown: &str, why: &str) -> ToolError {
    let message = format!("`{shown}` is no notebook that can be changed here: {why}");
    ToolError::new("bad_notebook", message)
}

struct Planned {
    splices: Vec<Splice>,
    cell_id: String,
    /// How many there are then.
    cells: usize,
}

fn plan(
    input: &NotebookEditInput,
    notebook: &Notebook<'_>,
    shown: &str,
) -> Result<Planned, ToolError> {
    let cells = notebook.cells.len();
    let named = input
        .cell_id
        .as_deref()
        .map(|name| find(notebook, name, shown))
        .transpose()?;
    let kind = input.cell_type.map(CellType::name);
    match (input.mode(), named) {
        (EditMode::Insert, named) => {
            let source = input.new_source.as_deref().ok_or_else(no_source)?;
            let at = named.map_or(cells, |index| index + 1);
            let kind = kind.unwrap_or("code");
            let (splices, id) = notebook.insert(at, NewCell { kind, source });
            Ok(Planned {
                splices,
                cell_id: id.unwrap_or_else(|| format!("cell-{at}")),
                cells: cells + 1,
            })
        }
        (_, None) => Err(ToolError::new(
            "no_cell",
            format!("`cell_id` is missing; name the cell of `{shown}`, as Read shows it"),
        )),
        (EditMode::Delete, Some(index)) => Ok(Planned {
            splices: notebook.delete(index),
            cell_id: notebook.name(index),
            cells: cells - 1,
        }),
        (EditMode::Replace, Some(index)) => {
            if input.new_source.is_none() && kind.is_none() {
                return Err(no_source());
            }
            Ok(Planned {
                splices: notebook.replace(index, input.new_source.as_deref(), kind),
                cell_id: notebook.name(index),
                cells,
            })
        }
    }
}

fn no_source() -> ToolError {
    ToolError::new(
        "no_source",
        "`new_source` is missing; give the whole new source of the cell",
    )
}

fn find(notebook: &Notebook<'_>, name: &str, shown: &str) -> Result<usize, ToolError> {
    match notebook.find(name) {
        Named::One(index) => Ok(index),
        Named::Several => {
            let message = format!(
                "several cells of `{shown}` have the id `{name}`; name the one by its place, such as \
                 `cell-0` for the first"
            );
            Err(ToolError::new("not_unique", message))
        }
        Named::None => {
            let names = (0..notebook.cells.len()).map(|index| notebook.name(index));
            let near = near::did_you_mean(&near::near_among(name, names));
            let hint = if near.is_empty() {
                format!("; Read it to see its {} cells", notebook.cells.len())
            } else {
                near
            };
            let message = format!("there is no cell `{name}` in `{shown}`{hint}");
            Err(ToolError::new("no_cell", message))
        }
    }
}
