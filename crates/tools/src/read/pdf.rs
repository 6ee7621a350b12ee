//! Pages of a PDF file, as text.

mod font;
mod layer;

use std::ops::RangeInclusive;
use std::time::Duration;

use lopdf::{Document, Error as PdfError, LoadOptions};
use toolpost_core::{Content, ToolError};
use xxhash_rust::xxh3::xxh3_64;

use super::text::{Begun, PAGE_BYTES};
use super::{Kind, ReadInput, ReadOutput, Shown, Source};
use crate::failure;
use crate::work::{Broken, Stop, guarded};

/// Larger files are not looked at: they are held in memory.
const MOST_FILE_BYTES: u64 = 64 << 20;
/// What one stream may unpack to.
const MOST_UNPACKED: usize = 16 << 20;
const MOST_PAGES: u64 = 20;
const TIME: Duration = Duration::from_secs(20);

/// The text of some pages.
#[derive(Debug, PartialEq, Eq)]
struct Pages {
    first: u64,
    texts: Vec<Result<String, String>>,
    total: u64,
}

/// Why there is none.
#[derive(Debug, PartialEq, Eq)]
enum Fault {
    Locked,
    Damaged(String),
    NoPage(u64),
}

/// The text that is shown of a whole file's first pages.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn text_of(bytes: Vec<u8>, stop: &Stop) -> Option<String> {
    let pages = guarded(TIME, stop, move || pages(&bytes, 1..=MOST_PAGES)).ok()?;
    pages.ok().map(|pages| rendered(&pages).0)
}

/// Shows the text of some pages.
pub(super) fn read(
    source: &Source<'_>,
    begun: Begun,
    input: &ReadInput,
    stop: &Stop,
) -> Result<ReadOutput, ToolError> {
    let shown = &source.shown;
    let wanted = wanted(input.pages.as_deref())?;
    if input.offset.is_some() || input.limit.is_some() {
        let message = format!(
            "`{shown}` is a PDF document, which has no lines to count; give `pages`, such as `1-5`"
        );
        return Err(ToolError::new("no_lines", message));
    }
    let bytes = source.all(begun, MOST_FILE_BYTES)?;
    let hash = xxh3_64(&bytes);
    let pages = guarded(TIME, stop, move || pages(&bytes, wanted));
    let pages = pages.map_err(|broken| match broken {
        Broken::Stopped => failure::cancelled(),
        Broken::Panicked => refused(&Fault::Damaged("its reader gave up".to_owned()), shown),
        Broken::TimedOut => refused(&Fault::Damaged("it takes too long".to_owned()), shown),
    })?;
    let pages = pages.map_err(|fault| refused(&fault, shown))?;
    source.state.saw_whole(source.path, &source.metadata, hash);
    let (text, count) = rendered(&pages);
    Ok(ReadOutput {
        content: vec![Content::text(text)],
        pages: Some(Shown {
            first: pages.first,
            count,
            total: pages.total,
        }),
        ..source.output(Kind::Pdf)
    })
}

/// The first and the last page asked for; the last is open where it is left out.
fn wanted(pages: Option<&str>) -> Result<RangeInclusive<u64>, ToolError> {
    let Some(pages) = pages else {
        return Ok(1..=MOST_PAGES);
    };
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|number| *number > 0);
    let range = match pages.split_once('-') {
        None => number(pages).map(|only| only..=only),
        Some((first, "")) => number(first).map(|first| first..=u64::MAX),
        Some((first, last)) => number(first)
            .zip(number(last))
            .map(|(first, last)| first..=last),
    };
    match range {
        Some(range) if range.start() <= range.end() => {
            let last = range.start().saturating_add(MOST_PAGES - 1);
            Ok(*range.start()..=last.min(*range.end()))
        }
        _ => {
            let message = format!(
                "`{pages}` names no pages; give one, such as `3`, or a range, such as `5-9`"
            );
            Err(ToolError::new("bad_pages", message))
        }
    }
}

fn pages(bytes: &[u8], wanted: RangeInclusive<u64>) -> Result<Pages, Fault> {
    // Some files have a few bytes before the PDF begins, from which places are counted.
    let start = memchr::memmem::find(bytes.get(..1024).unwrap_or(bytes), b"%PDF-").unwrap_or(0);
    let bytes = bytes.get(start..).unwrap_or_default();
    let options = LoadOptions {
        max_decompressed_size: Some(MOST_UNPACKED),
        ..LoadOptions::default()
    };
    let document = match Document::load_mem_with_options(bytes, options) {
        Err(PdfError::InvalidPassword) => return Err(Fault::Locked),
        Err(error) if bytes_say_encrypted(bytes) && is_about_locks(&error) => {
            return Err(Fault::Locked);
        }
        other => other.map_err(|error| Fault::Damaged(error.to_string()))?,
    };
    // It opens without a password where only what may be done with it is locked.
    if document.is_encrypted() && document.encryption_state.is_none() {
        return Err(Fault::Locked);
    }
    let ids: Vec<_> = document.page_iter().collect();
    let total = ids.len() as u64;
    if total == 0 {
        return Err(Fault::Damaged("it has no pages".to_owned()));
    }
    let (first, last) = (*wanted.start(), (*wanted.end()).min(total));
    if first > total {
        return Err(Fault::NoPage(total));
    }
    let mut room = PAGE_BYTES;
    let mut texts = Vec::new();
    for number in first..=last {
        let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
        let Some(id) = ids.get(index) else { break };
        let text = layer::text(&document, *id, room).map_err(|error| error.to_string());
        let length = text.as_ref().map_or(0, String::len);
        if length >= room && !texts.is_empty() {
            break;
        }
        room = room.saturating_sub(length);
        texts.push(text);
    }
    Ok(Pages {
        first,
        texts,
        total,
    })
}

fn bytes_say_encrypted(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"/Encrypt").is_some()
}

const fn is_about_locks(error: &PdfError) -> bool {
    matches!(
        error,
        PdfError::Decryption(_)
            | PdfError::Unimplemented(_)
            | PdfError::UnsupportedSecurityHandler(_)
    )
}

fn refused(fault: &Fault, shown: &str) -> ToolError {
    match fault {
        Fault::Locked => ToolError::new(
            "password_required",
            format!("`{shown}` is locked with a password; ask for a copy without one"),
        ),
        Fault::Damaged(why) => ToolError::new(
            "bad_pdf",
            format!("`{shown}` cannot be read as a PDF document: {why}"),
        ),
        Fault::NoPage(total) => {
            let pages = if *total == 1 { "page" } else { "pages" };
            ToolError::new(
                "past_end",
                format!("`{shown}` has {total} {pages}; name pages up to {total}"),
            )
        }
    }
}

/// The pages as one text, and how many of them it has.
fn rendered(pages: &Pages) -> (String, u64) {
    let mut text = String::new();
    let mut is_all_empty = true;
    for (number, page) in (pages.first..).zip(&pages.texts) {
        let page = match page {
            Ok(page) if page.trim().is_empty() => "(no text)",
            Ok(page) => {
                is_all_empty = false;
                page
            }
            Err(why) => {
                text.push_str(&format!("[page {number} cannot be read: {why}]\n\n"));
                continue;
            }
        };
        text.push_str(&format!("[page {number}]\n{page}\n\n"));
    }
    let count = pages.texts.len() as u64;
    let last = pages.first + count.saturating_sub(1);
    let mut notes = vec![match count {
        1 => format!("page {last} of {} is shown", pages.total),
        _ => format!("pages {}-{last} of {} are shown", pages.first, pages.total),
    }];
    if last < pages.total {
        let next = last + 1;
        let end = (last + MOST_PAGES).min(pages.total);
        notes.push(match next == end {
            true => format!("go on with page `{next}`"),
            false => format!("go on with pages `{next}-{end}`"),
        });
    }
    if is_all_empty {
        notes.push("there is no text in them; they may be pictures of pages".to_owned());
    }
    text.push_str(&format!("[{}]", notes.join("; ")));
    (text, count)
}
