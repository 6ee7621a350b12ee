//! Replacing text in the bytes of a file, with everything else kept as it is.
//!
//! The text is looked for as a model sees it (LF for every line end), and the replacement is
//! spliced into the raw bytes. So nothing has to be kept by care: marks, mixed line endings and
//! bytes that are no text are simply not touched. Edits are checked in memory one after the
//! other, each against the result of those before it, and written once at the end.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::fault::Fault;
use crate::draft::Splice;
use crate::text::{Coding, Encoding, Eol, LfView, with_lf};

/// One replacement to make.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Replacement<'a> {
    pub(crate) old: &'a str,
    pub(crate) new: &'a str,
    pub(crate) all: bool,
}

/// The splices that make a replacement, in rising order and apart. `bytes` is the whole file.
pub(super) fn splices(
    bytes: &[u8],
    coding: Coding,
    wanted: Replacement<'_>,
) -> Result<Vec<Splice>, Fault> {
    let (old, new) = (with_lf(wanted.old), with_lf(wanted.new));
    let (old, new) = match old.strip_prefix('\u{feff}') {
        Some(rest) if coding.has_mark && !rest.is_empty() => (
            rest.into(),
            new.strip_prefix('\u{feff}').map_or(new.clone(), Into::into),
        ),
        _ => (old, new),
    };
    if old.is_empty() {
        return Err(Fault::EmptyOld);
    }
    if old == new {
        return Err(Fault::SameText);
    }
    let mark = coding.mark_len();
    let raw = bytes.get(mark..).unwrap_or_default();
    let view = if old.contains('\n') || new.contains('\n') {
        LfView::new(raw, coding.encoding)
    } else {
        LfView::of_one_line(raw, coding.encoding)
    };
    let Found {
        encoding,
        needle,
        places,
    } = find(&view, coding.encoding, &old)?;
    match places.len() {
        0 => return Err(Fault::NoMatch),
        1 => {}
        count if !wanted.all => {
            let lines = places
                .iter()
                .take(5)
                .map(|at| 1 + view.breaks(0, *at).count())
                .collect();
            return Err(Fault::NotUnique { count, lines });
        }
        _ => {}
    }
    let kept = Kept::of(&old, &new);
    let middle = new
        .get(kept.start..new.len() - kept.end)
        .unwrap_or_default();
    let from = encoded(encoding, old.get(..kept.start).unwrap_or_default())?.len();
    let to = needle.len()
        - encoded(
            encoding,
            old.get(old.len() - kept.end..).unwrap_or_default(),
        )?
        .len();
    let splice = |at: &usize| {
        let (start, end) = (at + from, at + to);
        let with = with_endings(middle, &view, start..end, *at..at + needle.len());
        let with = encoded(encoding, &with)?.into_owned();
        Ok(Splice {
            range: mark + view.raw(start)..mark + view.raw(end),
            with,
        })
    };
    places.iter().map(splice).collect()
}

/// Where a text is in a file.
struct Found<'t> {
    encoding: Encoding,
    /// The text in that encoding.
    needle: Cow<'t, [u8]>,
    places: Vec<usize>,
}

/// Looks for the text. A file that was guessed to be of an older encoding
/// may still have it in UTF-8.
fn find<'t>(view: &LfView<'_>, encoding: Encoding, text: &'t str) -> Result<Found<'t>, Fault> {
    let needle = encoding.encode(text);
    if let Ok(needle) = &needle {
        let places = places(view, encoding, needle);
        if !places.is_empty() {
            return Ok(Found {
                encoding,
                needle: needle.to_vec().into(),
                places,
            });
        }
    }
    if let Encoding::Older(_) = encoding {
        let places = places(view, Encoding::Utf8, text.as_bytes());
        return Ok(Found {
            encoding: Encoding::Utf8,
            needle: text.as_bytes().into(),
            places,
        });
    }
    let needle = needle
        .map_err(|c| Fault::Unwritable { c, encoding })?
        .into_owned()
        .into();
    Ok(Found {
        encoding,
        needle,
        places: Vec::new(),
    })
}

/// Where the needle is, from the front and without overlap, at whole characters only.
fn places(view: &LfView<'_>, encoding: Encoding, needle: &[u8]) -> Vec<usize> {
    let bytes = view.bytes();
    let finder = memmem::Finder::new(needle);
    let mut places = Vec::new();
    let mut from = 0;
    while let Some(found) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
        let at = from + found;
        if is_at_character(bytes, at, encoding) {
            places.push(at);
            from = at + needle.len();
        } else {
            from = at + 1;
        }
    }
    places
}

/// Whether a character begins at this place. In UTF-8 a needle always begins with one.
fn is_at_character(bytes: &[u8], at: usize, encoding: Encoding) -> bool {
    match encoding {
        Encoding::Utf8 => true,
        Encoding::Older(older) if older.is_single_byte() => true,
        Encoding::Older(older) => {
            let before = bytes.get(..at).unwrap_or_default();
            let line = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
            let line = before.get(line..).unwrap_or_default();
            older
                .decode_without_bom_handling_and_without_replacement(line)
                .is_some()
        }
        wide => at.is_multiple_of(wide.width()),
    }
}

/// What the two texts have in common at their ends, in bytes; only what is between is replaced.
struct Kept {
    start: usize,
    end: usize,
}

impl Kept {
    fn of(old: &str, new: &str) -> Self {
        let same = |(a, b): &(char, char)| a == b;
        let length = |pairs: &mut dyn Iterator<Item = (char, char)>| {
            pairs
                .take_while(same)
                .map(|(c, _)| c.len_utf8())
                .sum::<usize>()
        };
        let start = length(&mut old.chars().zip(new.chars()));
        let (old, new) = (
            old.get(start..).unwrap_or_default(),
            new.get(start..).unwrap_or_default(),
        );
        let end = length(&mut old.chars().rev().zip(new.chars().rev()));
        Self { start, end }
    }
}

/// The new text with line endings as the touched lines have them: each line break takes the
/// ending of the one that it replaces; those that are added take that of their neighbours.
fn with_endings<'t>(
    text: &'t str,
    view: &LfView<'_>,
    replaced: Range<usize>,
    matched: Range<usize>,
) -> Cow<'t, str> {
    if !text.contains('\n') {
        return text.into();
    }
    let mut own = view
        .breaks(replaced.start, replaced.end)
        .map(|at| view.eol_at(at));
    let near = view
        .breaks(matched.start, matched.end)
        .last()
        .map(|at| view.eol_at(at));
    let near = near.unwrap_or_else(|| view.eol_near(matched.end));
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) => {
                out.push_str(line);
                out.push_str(own.next().unwrap_or(near).text());
            }
            None => out.push_str(line),
        }
    }
    out.into()
}

/// The whole text of a file in its encoding, with its mark and these line endings.
pub(crate) fn whole(text: &str, coding: Coding, eol: Option<Eol>) -> Result<Vec<u8>, Fault> {
    let text: Cow<'_, str> = match eol {
        None => text.into(),
        Some(Eol::Lf) => with_lf(text),
        Some(Eol::CrLf) => with_lf(text).replace('\n', Eol::CrLf.text()).into(),
    };
    let text = if coding.has_mark {
        text.strip_prefix('\u{feff}').unwrap_or(&text)
    } else {
        &text
    };
    let mut bytes = if coding.has_mark {
        coding.encoding.mark().to_vec()
    } else {
        Vec::new()
    };
    bytes.extend_from_slice(&encoded(coding.encoding, text)?);
    Ok(bytes)
}

fn encoded(encoding: Encoding, text: &str) -> Result<Cow<'_, [u8]>, Fault> {
    encoding
        .encode(text)
        .map_err(|c| Fault::Unwritable { c, encoding })
}
