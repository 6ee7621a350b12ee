//! `Read`: shows a page of a text file, a picture, pages of a PDF file or cells of a notebook.
//!
//! *Text.* A page is 2,000 lines, 2,000 characters a line and 256 KiB; where anything was cut, the
//! text says so and names the offset of the next page. Memory is bounded by the page and not by
//! the file, and nothing after the page is read. UTF-8, UTF-16 and UTF-32 with a byte order mark
//! and older encodings are read as text, and so is SVG; what is no text is an error that says what
//! it is. Pipes and devices are never opened.
//!
//! *Pictures.* PNG, JPEG, GIF, WebP and BMP, told by their content and not by their name. Each is
//! decoded whole before it is shown, so a damaged one is an error (`bad_image`). One of more than
//! 2,000 pixels an edge or 3.75 MiB is scaled down, and the text says so. Of an animation the first
//! picture counts.
//!
//! *PDF.* The text of up to 20 pages, chosen by `pages`, such as `3` or `5-9`. A file that opens only
//! with a password is an error (`password_required`), and so is one that cannot be read
//! (`bad_pdf`). Pages that are only pictures have no text, and are said to have none.
//!
//! *Notebooks* (`.ipynb`). The cells with their ids, kinds, sources and outputs; `offset` and
//! `limit` count cells. Of one output 10 KiB are shown, pictures as pictures. A file that is no
//! notebook after all is shown as text.
//!
//! What was read is remembered, so that Write and Edit can tell whether the file is still the same.

#[cfg(feature = "media")]
mod image;
pub(crate) mod notebook;
pub(crate) mod page;
#[cfg(feature = "media")]
pub(crate) mod pdf;
mod text;

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{
    Content, Context, Effects, Facts, Footprint, Needs, Scope, Subject, Tool, ToolError, ToolLimits,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::file_state::{FileState, Part};
use crate::text::{Binary, Look};
use crate::work::{Stop, blocking};
use crate::{failure, open, place};
use page::Page;
use text::{Begun, PAGE_BYTES};

/// The tool `Read`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Read;

/// The input of [`Read`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReadInput {
    /// The file to read. A relative path is taken from the root.
    pub file_path: PathBuf,
    /// The first line to show, counted from 1; the first of the file when left out. In a notebook
    /// cells are counted.
    #[schemars(range(min = 1))]
    pub offset: Option<u64>,
    /// How many lines to show; 2,000 when left out. In a notebook cells are counted.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// The pages of a PDF to show, such as `3` or `1-5`, up to 20. For PDF files only.
    pub pages: Option<String>,
}

/// What a file was shown as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Lines of text.
    Text,
    /// A picture.
    Image,
    /// The text of some pages.
    Pdf,
    /// Cells.
    Notebook,
}

/// What [`Read`] found, besides the content itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadOutput {
    /// The file, relative to the root where it is inside.
    pub file_path: String,
    /// What it was shown as.
    pub kind: Kind,
    /// The number of the first line shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_line: Option<u64>,
    /// How many lines are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<u64>,
    /// How many lines the file has, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// The offset to go on with, where there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// How many of the lines shown are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut_lines: Option<u64>,
    /// The file's encoding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// The picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image: Option<ImageShown>,
    /// The pages of a PDF file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<Shown>,
    /// The cells of a notebook.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<Shown>,
    /// The file's size in bytes, as the system tells it.
    pub size: u64,
    #[serde(skip)]
    #[schemars(skip)]
    content: Vec<Content>,
}

/// A picture as it is and as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImageShown {
    /// The media type that it is shown in.
    pub mime_type: String,
    /// Pixels across, as shown.
    pub width: u32,
    /// Pixels down, as shown.
    pub height: u32,
    /// Pixels across, in the file.
    pub file_width: u32,
    /// Pixels down, in the file.
    pub file_height: u32,
}

/// Which of some things are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Shown {
    /// The first, counted from 1.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// How many there are.
    pub total: u64,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;

    fn name(&self) -> &str {
        "Read"
    }

    fn description(&self) -> &str {
        "Read a file. Text: up to 2,000 lines, each as its number, a tab and its text; go on with \
         `offset`. Also shows pictures, PDF files (`pages`) and notebooks."
    }

    fn describe(&self, input: &ReadInput) -> String {
        format!("Read {}", input.file_path.display())
    }

    fn search_hint(&self) -> Option<&str> {
        Some("show a file, view, open, cat, picture, image, PDF, notebook")
    }

    fn effects(&self, _input: &ReadInput) -> Effects {
        Effects::READ_ONLY
    }

    fn footprint(&self, input: &ReadInput, facts: &Facts) -> Footprint {
        let path = place::existing(&input.file_path, facts);
        let footprint = Footprint::nothing().reading(Scope::file(&facts.resolve(&path)));
        place::with_neighbours(footprint, &path, facts)
    }

    fn subjects(&self, input: &ReadInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::reads(place::existing(&input.file_path, facts))]
    }

    /// A page has its own bound, and says how to go on; a spill would only add a step.
    fn limits(&self) -> ToolLimits {
        ToolLimits {
            result_chars: Some(PAGE_BYTES + 4_096),
            ..ToolLimits::default()
        }
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<FileState>()
    }

    fn render(&self, output: &ReadOutput) -> Option<Vec<Content>> {
        Some(output.content.clone())
    }

    async fn call(&self, input: ReadInput, cx: &Context) -> Result<ReadOutput, ToolError> {
        let state = cx
            .state::<FileState>()
            .ok_or_else(|| failure::no_state("record of files"))?;
        let (state, facts) = (state.clone(), cx.facts().clone());
        let path = facts.resolve(&place::existing(&input.file_path, &facts));
        blocking(cx, move |stop| read(&input, &path, &state, &facts, stop)).await
    }
}

fn read(
    input: &ReadInput,
    path: &Path,
    state: &FileState,
    facts: &Facts,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    let (file, metadata) = open::for_reading(path, facts)?;
    let source = Source {
        path,
        shown: place::shown(path, facts),
        file: &file,
        metadata,
        state,
    };
    let begun = Begun::new(&file, &source.metadata).map_err(|error| source.fail(&error))?;
    match begun.look() {
        Look::Text(_) if has_ending(path, "ipynb") && input.pages.is_none() => {
            notebook::read(&source, begun, input, stop)
        }
        // Some files have a few bytes before the PDF begins.
        Look::Text(_) | Look::Binary(Binary::Other(_))
            if has_ending(path, "pdf") && has_late_pdf(begun.first()) =>
        {
            pdf(&source, begun, input, stop)
        }
        Look::Text(coding) => text::read(&source, &begun, coding, input, stop),
        Look::Binary(Binary::Pdf) => pdf(&source, begun, input, stop),
        Look::Binary(what @ Binary::Picture(_)) => image(&source, begun, what, stop),
        Look::Binary(what @ Binary::Other(_)) => Err(text::binary(&source, what)),
    }
}

#[cfg(feature = "media")]
use self::{image::read as image, pdf::read as pdf};

#[cfg(not(feature = "media"))]
fn image(source: &Source<'_>, _: Begun, what: Binary, _: &Stop) -> Result<ReadOutput, ToolError> {
    Err(text::binary(source, what))
}

#[cfg(not(feature = "media"))]
fn pdf(source: &Source<'_>, _: Begun, _: &ReadInput, _: &Stop) -> Result<ReadOutput, ToolError> {
    Err(text::binary(source, Binary::Pdf))
}

fn has_ending(path: &Path, ending: &str) -> bool {
    path.extension()
        .is_some_and(|found| found.eq_ignore_ascii_case(ending))
}

fn has_late_pdf(first: &[u8]) -> bool {
    let start = first.get(..1024).unwrap_or(first);
    memchr::memmem::find(start, b"%PDF-").is_some()
}

/// The file that is read, and where it is remembered.
struct Source<'a> {
    path: &'a Path,
    shown: String,
    file: &'a File,
    metadata: Metadata,
    state: &'a FileState,
}

impl Source<'_> {
    fn fail(&self, error: &io::Error) -> ToolError {
        failure::io(error, "read", &self.shown, self.path)
    }

    fn saw_whole(&self, bytes: &[u8]) {
        self.state
            .saw_whole(self.path, &self.metadata, xxh3_64(bytes));
    }

    fn saw_page(&self, page: &Page, mark: u64) {
        let part = Part {
            start: page.range.0 + mark,
            end: page.range.1 + mark,
            hash: page.hash,
        };
        self.state.saw_part(self.path, &self.metadata, part);
    }

    /// All bytes of the file, with an error when it is larger than `most`.
    fn all(&self, begun: Begun, most: u64) -> Result<Vec<u8>, ToolError> {
        let too_large = || {
            let message = format!(
                "`{}` has {} bytes, more than the {most} that are read of such a file; use a command \
                 for it",
                self.shown,
                self.metadata.len()
            );
            ToolError::new("too_large", message)
        };
        if self.metadata.len() > most {
            return Err(too_large());
        }
        begun
            .all(self.file, most)
            .map_err(|error| self.fail(&error))?
            .ok_or_else(too_large)
    }

    /// An output with nothing in it but what the file is.
    fn output(&self, kind: Kind) -> ReadOutput {
        ReadOutput {
            file_path: self.shown.clone(),
            kind,
            first_line: None,
            lines: None,
            total_lines: None,
            next_offset: None,
            cut_lines: None,
            encoding: None,
            image: None,
            pages: None,
            cells: None,
            size: self.metadata.len(),
            content: Vec::new(),
        }
    }
}
