//! `Read`: shows a page of a text file, each line with its number.
//!
//! A page is 2,000 lines, 2,000 characters a line and 256 KiB; where anything was cut, the text
//! says so and names the offset of the next page. Memory is bounded by the page and not by the
//! file, and nothing after the page is read. UTF-8, UTF-16 and UTF-32 with a byte order mark and
//! older encodings are read as text; what is no text is an error that says what it is. Pipes and
//! devices are never opened.
//!
//! What was read is remembered, so that Write and Edit can tell whether the file is still the same.

mod page;

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{
    Content, Context, Effects, Facts, Footprint, Needs, Scope, Subject, Tool, ToolError, ToolLimits,
};
use xxhash_rust::xxh3::xxh3_64;

use crate::file_state::{FileState, Part};
use crate::text::{Coding, HEAD, Look, look_at};
use crate::work::{Stop, blocking};
use crate::{failure, open, place};
use page::{Bounds, Page};

const LINES: u64 = 2_000;
const LINE_CHARS: usize = 2_000;
const PAGE_BYTES: usize = 256 * 1024;
/// Files up to this size are read to their end in any case: it costs next to nothing, and the
/// number of lines and the hash of the whole file are known.
const SMALL: u64 = 1 << 20;

/// The tool `Read`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Read;

/// The input of [`Read`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct ReadInput {
    /// The file to read. A relative path is taken from the root.
    pub file_path: PathBuf,
    /// The first line to show, counted from 1; the first of the file when left out.
    #[schemars(range(min = 1))]
    pub offset: Option<u64>,
    /// How many lines to show; 2,000 when left out.
    #[schemars(range(min = 1))]
    pub limit: Option<u64>,
    /// The pages of a PDF to show, such as `1-5`. For PDF files only.
    pub pages: Option<String>,
}

/// What [`Read`] found, besides the text itself.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct ReadOutput {
    /// The file, relative to the root where it is inside.
    pub file_path: String,
    /// The number of the first line shown.
    pub first_line: u64,
    /// How many lines are shown.
    pub lines: u64,
    /// How many lines the file has, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_lines: Option<u64>,
    /// The offset to go on with, where there is more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// How many of the lines shown are cut.
    pub cut_lines: u64,
    /// The file's encoding.
    pub encoding: String,
    /// The file's size in bytes, as the system tells it.
    pub size: u64,
    #[serde(skip)]
    #[schemars(skip)]
    text: String,
}

impl Tool for Read {
    type Input = ReadInput;
    type Output = ReadOutput;

    fn name(&self) -> &str {
        "Read"
    }

    fn description(&self) -> &str {
        "Read a text file. Shows up to 2,000 lines, each as its number, a tab and its text. For a \
         long file, go on with `offset`."
    }

    fn describe(&self, input: &ReadInput) -> String {
        format!("Read {}", input.file_path.display())
    }

    fn search_hint(&self) -> Option<&str> {
        Some("show a file, view, open, cat")
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
        let note = output.note();
        let text = match (output.text.is_empty(), note.is_empty()) {
            (true, _) => note,
            (false, true) => output.text.clone(),
            (false, false) => format!("{}\n\n{note}", output.text),
        };
        Some(vec![Content::text(text)])
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
    let shown = place::shown(path, facts);
    let fail = |error: &io::Error| failure::io(error, "read", &shown, path);
    let (mut file, metadata) = open::for_reading(path, facts)?;
    let small = small(&mut file, &metadata).map_err(|error| fail(&error))?;
    let coding = coding(&file, small.as_ref(), input, &shown).map_err(|error| fail(&error))??;
    let bounds = Bounds {
        lines: input.limit.unwrap_or(LINES).max(1),
        line_chars: LINE_CHARS,
        bytes: PAGE_BYTES,
    };
    let skip = input.offset.unwrap_or(1).saturating_sub(1);
    let mark = coding.mark_len();
    let page = match &small {
        Some(Small {
            bytes,
            is_whole: true,
        }) => page::read(
            bytes.get(mark..).unwrap_or_default(),
            coding.encoding,
            skip,
            bounds,
            stop,
        )?,
        Some(Small {
            bytes,
            is_whole: false,
        }) => {
            let stream = bytes.get(mark..).unwrap_or_default().chain(&file);
            page::read(stream, coding.encoding, skip, bounds, stop)?
        }
        None => {
            // The mark was looked at without moving the file's own position.
            let mut stream = &file;
            io::copy(&mut (&mut stream).take(mark as u64), &mut io::sink())
                .map_err(|error| fail(&error))?;
            page::read(stream, coding.encoding, skip, bounds, stop)?
        }
    };
    let page = page.map_err(|error| fail(&error))?;
    if page.lines == 0 && page.skipped > 0 {
        let lines = page.skipped;
        let message = format!(
            "`{shown}` has {lines} {}, so there is no line {}; give an `offset` of at most {lines}",
            if lines == 1 { "line" } else { "lines" },
            skip + 1
        );
        return Err(ToolError::new("past_end", message));
    }
    let whole = small
        .filter(|small| small.is_whole)
        .map(|small| small.bytes);
    remember(state, path, &metadata, &page, mark as u64, whole.as_deref());
    Ok(output(
        shown,
        &metadata,
        coding,
        skip,
        page,
        whole.as_deref(),
    ))
}

/// A small file's bytes, read at once.
struct Small {
    bytes: Vec<u8>,
    /// Whether this is all of it. Files of the system have a size of 0 and any content.
    is_whole: bool,
}

fn small(file: &mut File, metadata: &Metadata) -> io::Result<Option<Small>> {
    if metadata.len() > SMALL {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
    match file.take(SMALL + 1).read_to_end(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
        other => drop(other?),
    }
    Ok(Some(Small {
        is_whole: bytes.len() as u64 <= SMALL,
        bytes,
    }))
}

/// How the text is written; the inner error is for a file that is no text.
fn coding(
    file: &File,
    small: Option<&Small>,
    input: &ReadInput,
    shown: &str,
) -> io::Result<Result<Coding, ToolError>> {
    let mut head = vec![0; if small.is_none() { HEAD } else { 0 }];
    let head = match small {
        Some(small) => small.bytes.get(..HEAD).unwrap_or(&small.bytes),
        None => {
            let length = file.read_at(&mut head, 0)?;
            head.get(..length).unwrap_or_default()
        }
    };
    Ok(match look_at(head) {
        Look::Text(_) if input.pages.is_some() => Err(ToolError::new(
            "no_pages",
            format!("`{shown}` is text and has no pages; use `offset` and `limit`"),
        )),
        Look::Text(coding) => Ok(coding),
        Look::Binary(what) => Err(ToolError::new(
            "binary",
            format!("`{shown}` is {what}, not text; Read shows text only, so use a command for it"),
        )),
    })
}

fn remember(
    state: &FileState,
    path: &Path,
    metadata: &Metadata,
    page: &Page,
    mark: u64,
    whole: Option<&[u8]>,
) {
    match whole {
        Some(bytes) => state.saw_whole(path, metadata, xxh3_64(bytes)),
        None => {
            let part = Part {
                start: page.range.0 + mark,
                end: page.range.1 + mark,
                hash: page.hash,
            };
            state.saw_part(path, metadata, part);
        }
    }
}

fn output(
    file_path: String,
    metadata: &Metadata,
    coding: Coding,
    skip: u64,
    page: Page,
    whole: Option<&[u8]>,
) -> ReadOutput {
    let end = skip + page.lines;
    let total_lines = match whole {
        _ if page.is_last => Some(end.min(page.skipped + page.lines)),
        Some(bytes) => Some(count_lines(bytes, coding)),
        None => None,
    };
    ReadOutput {
        file_path,
        first_line: skip + 1,
        lines: page.lines,
        total_lines,
        next_offset: (!page.is_last).then_some(end + 1),
        cut_lines: page.cut_lines,
        encoding: coding.encoding.name().to_owned(),
        size: metadata.len(),
        text: page.text,
    }
}

fn count_lines(bytes: &[u8], coding: Coding) -> u64 {
    let text = bytes.get(coding.mark_len()..).unwrap_or_default();
    let breaks = crate::text::break_positions(text, coding.encoding);
    let (mut count, mut end) = (0, 0);
    for at in breaks {
        count += 1;
        end = at + coding.encoding.width();
    }
    count + u64::from(end < text.len())
}

impl ReadOutput {
    /// What was cut and how to go on; empty when all was shown as it is.
    fn note(&self) -> String {
        let mut notes = Vec::new();
        if self.lines == 0 {
            return "[the file is empty]".to_owned();
        }
        let last = self.first_line + self.lines.saturating_sub(1);
        if let Some(next) = self.next_offset {
            let of = self
                .total_lines
                .map_or_else(String::new, |total| format!(" of {total}"));
            notes.push(format!(
                "lines {}-{last}{of} are shown; go on with offset {next}",
                self.first_line
            ));
        } else if self.first_line > 1 {
            notes.push(format!(
                "lines {}-{last} are shown, to the end of the file",
                self.first_line
            ));
        }
        if self.cut_lines > 0 {
            let lines = if self.cut_lines == 1 {
                "line is"
            } else {
                "lines are"
            };
            notes.push(format!(
                "{} long {lines} cut after {LINE_CHARS} characters",
                self.cut_lines
            ));
        }
        if self.encoding != "UTF-8" {
            notes.push(format!("the file is written in {}", self.encoding));
        }
        if notes.is_empty() {
            String::new()
        } else {
            format!("[{}]", notes.join("; "))
        }
    }
}
