//! A page of a text file.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::fs::FileExt;

use toolpost_core::{Content, ToolError};

use super::page::{self, Bounds, Page};
use super::{Kind, ReadInput, ReadOutput, Source};
use crate::text::{Binary, Coding, HEAD, Look, look_at};
use crate::work::Stop;

const LINES: u64 = 2_000;
const LINE_CHARS: usize = 2_000;
pub(super) const PAGE_BYTES: usize = 256 * 1024;
/// Files up to this size are read to their end in any case: it costs next to nothing, and the
/// number of lines and the hash of the whole file are known.
const SMALL: u64 = 1 << 20;

/// The beginning of a file, and all of it where it is small.
pub(super) struct Begun {
    /// Read from the file already.
    bytes: Vec<u8>,
    /// Whether this is all of it. Files of the system have a size of 0 and any content.
    is_whole: bool,
    /// Where it is not small, only looked at: the position of the file has not moved.
    head: Vec<u8>,
}

impl Begun {
    pub(super) fn new(mut file: &File, metadata: &Metadata) -> io::Result<Self> {
        let mut begun = Self {
            bytes: Vec::new(),
            is_whole: false,
            head: Vec::new(),
        };
        if metadata.len() > SMALL {
            let mut head = vec![0; HEAD];
            let length = file.read_at(&mut head, 0)?;
            head.truncate(length);
            begun.head = head;
            return Ok(begun);
        }
        begun.bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
        match (&mut file).take(SMALL + 1).read_to_end(&mut begun.bytes) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            other => drop(other?),
        }
        begun.is_whole = begun.bytes.len() as u64 <= SMALL;
        Ok(begun)
    }

    /// A file of which all is there.
    pub(super) const fn of(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            is_whole: true,
            head: Vec::new(),
        }
    }

    /// What the first part of the file looks like.
    pub(super) fn look(&self) -> Look {
        look_at(self.first())
    }

    /// The first part of the file.
    pub(super) fn first(&self) -> &[u8] {
        let bytes = if self.head.is_empty() {
            &self.bytes
        } else {
            &self.head
        };
        bytes.get(..HEAD).unwrap_or(bytes)
    }

    /// All bytes of the file, where that is no more than `most`. Nothing when it is more.
    pub(super) fn all(self, mut file: &File, most: u64) -> io::Result<Option<Vec<u8>>> {
        let mut bytes = self.bytes;
        if !self.is_whole {
            let left = most.saturating_sub(bytes.len() as u64).saturating_add(1);
            (&mut file).take(left).read_to_end(&mut bytes)?;
        }
        Ok((bytes.len() as u64 <= most).then_some(bytes))
    }
}

/// Shows a page.
pub(super) fn read(
    source: &Source<'_>,
    begun: &Begun,
    coding: Coding,
    input: &ReadInput,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    if input.pages.is_some() {
        let shown = &source.shown;
        let message = format!("`{shown}` is text and has no pages; use `offset` and `limit`");
        return Err(ToolError::new("no_pages", message));
    }
    let bounds = Bounds {
        lines: input.limit.unwrap_or(LINES).max(1),
        line_chars: LINE_CHARS,
        bytes: PAGE_BYTES,
    };
    let skip = input.offset.unwrap_or(1).saturating_sub(1);
    let mark = coding.mark_len();
    let page = if begun.head.is_empty() {
        let bytes = begun.bytes.get(mark..).unwrap_or_default();
        if begun.is_whole {
            page::read(bytes, coding.encoding, skip, bounds, stop)?
        } else {
            page::read(
                bytes.chain(source.file),
                coding.encoding,
                skip,
                bounds,
                stop,
            )?
        }
    } else {
        let mut stream = source.file;
        let passed = io::copy(&mut (&mut stream).take(mark as u64), &mut io::sink());
        passed.map_err(|error| source.fail(&error))?;
        page::read(stream, coding.encoding, skip, bounds, stop)?
    };
    let page = page.map_err(|error| source.fail(&error))?;
    if page.lines == 0 && page.skipped > 0 {
        let (shown, lines) = (&source.shown, page.skipped);
        let message = format!(
            "`{shown}` has {lines} {}, so there is no line {}; give an `offset` of at most {lines}",
            if lines == 1 { "line" } else { "lines" },
            skip + 1
        );
        return Err(ToolError::new("past_end", message));
    }
    let whole = begun.is_whole.then_some(begun.bytes.as_slice());
    match whole {
        Some(bytes) => source.saw_whole(bytes),
        None => source.saw_page(&page, mark as u64),
    }
    Ok(output(source, coding, skip, page, whole))
}

/// The error for what is neither text nor anything else that is shown.
pub(super) fn binary(source: &Source<'_>, what: Binary) -> ToolError {
    let message = format!(
        "`{}` is {}, not text, and cannot be shown; use a command for it",
        source.shown,
        what.name()
    );
    ToolError::new("binary", message)
}

fn output(
    source: &Source<'_>,
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
    let mut output = ReadOutput {
        first_line: Some(skip + 1),
        lines: Some(page.lines),
        total_lines,
        next_offset: (!page.is_last).then_some(end + 1),
        cut_lines: Some(page.cut_lines),
        encoding: Some(coding.encoding.name().to_owned()),
        ..source.output(Kind::Text)
    };
    let note = note(&output);
    let text = match (page.text.is_empty(), note.is_empty()) {
        (true, _) => note,
        (false, true) => page.text,
        (false, false) => format!("{}\n\n{note}", page.text),
    };
    output.content = vec![Content::text(text)];
    output
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

/// What was cut and how to go on; empty when all was shown as it is.
fn note(output: &ReadOutput) -> String {
    let (first, lines) = (
        output.first_line.unwrap_or(1),
        output.lines.unwrap_or_default(),
    );
    let mut notes = Vec::new();
    if lines == 0 {
        return "[the file is empty]".to_owned();
    }
    let last = first + lines.saturating_sub(1);
    if let Some(next) = output.next_offset {
        let of = output
            .total_lines
            .map_or_else(String::new, |total| format!(" of {total}"));
        notes.push(format!(
            "lines {first}-{last}{of} are shown; go on with offset {next}"
        ));
    } else if first > 1 {
        notes.push(format!(
            "lines {first}-{last} are shown, to the end of the file"
        ));
    }
    match output.cut_lines.unwrap_or_default() {
        0 => {}
        1 => notes.push(format!("1 long line is cut after {LINE_CHARS} characters")),
        many => notes.push(format!(
            "{many} long lines are cut after {LINE_CHARS} characters"
        )),
    }
    if let Some(encoding) = output.encoding.as_ref().filter(|name| *name != "UTF-8") {
        notes.push(format!("the file is written in {encoding}"));
    }
    if notes.is_empty() {
        String::new()
    } else {
        format!("[{}]", notes.join("; "))
    }
}
