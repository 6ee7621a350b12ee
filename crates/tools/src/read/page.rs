//! One page of a text: some lines from a stream, in memory that the page bounds.
//!
//! Lines before the page are only counted, and a long line is kept only as far as it is shown.
//! Nothing after the page is read.

#[cfg(test)]
mod tests;

use std::io::{self, Read};

use memchr::{memchr, memchr_iter};
use toolpost_core::ToolError;
use xxhash_rust::xxh3::Xxh3;

use crate::text::Encoding;
use crate::work::Stop;

const BUFFER: usize = 256 * 1024;

/// What a page may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) lines: u64,
    pub(crate) line_chars: usize,
    pub(crate) bytes: usize,
}

/// A page of lines.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// The lines with their numbers.
    pub(crate) text: String,
    /// How many lines it has.
    pub(crate) lines: u64,
    /// How many of them are cut.
    pub(crate) cut_lines: u64,
    /// The lines that came before it; fewer than asked for when the text ended there.
    pub(crate) skipped: u64,
    /// Whether the text ends with it.
    pub(crate) is_last: bool,
    /// Its first byte and the byte after its last, counted from where the stream began.
    pub(crate) range: (u64, u64),
    /// The hash of those bytes.
    pub(crate) hash: u64,
}

/// Reads the page that begins after `skip` lines.
pub(crate) fn read(
    stream: impl Read,
    encoding: Encoding,
    skip: u64,
    bounds: Bounds,
    stop: &Stop,
) -> Result<io::Result<Page>, ToolError> {
    let mut source = Source {
        stream,
        buffer: vec![0; BUFFER],
        start: 0,
        end: 0,
        at: 0,
        hash: Xxh3::new(),
    };
    let mut page = Page::default();
    match skip_lines(&mut source, encoding, skip, stop)? {
        Ok(skipped) => page.skipped = skipped,
        Err(error) => return Ok(Err(error)),
    }
    source.hash.reset();
    page.range.0 = source.at;
    loop {
        stop.check()?;
        let (at, hash) = (source.at, source.hash.clone());
        let line = match next_line(&mut source, encoding, bounds.line_chars, stop)? {
            Ok(Some(line)) if page.skipped == skip => line,
            Ok(_) => {
                page.is_last = true;
                break;
            }
            Err(error) => return Ok(Err(error)),
        };
        let number = skip + page.lines + 1;
        let line_text = line.text(encoding, bounds.line_chars);
        let text = format!("{number}\t{line_text}\n");
        if page.lines > 0 && page.text.len() + text.len() > bounds.bytes {
            (source.at, source.hash) = (at, hash);
            break;
        }
        page.text.push_str(&text);
        page.lines += 1;
        page.cut_lines += u64::from(line.is_cut(bounds.line_chars, encoding));
        if page.lines >= bounds.lines {
            match source.fill() {
                Ok(is_more) => page.is_last = !is_more,
                Err(error) => return Ok(Err(error)),
            }
            break;
        }
    }
    page.text.pop();
    page.range.1 = source.at;
    page.hash = source.hash.digest();
    Ok(Ok(page))
}

/// A stream with a buffer that says where it is and hashes what was taken from it.
struct Source<R> {
    stream: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    at: u64,
    hash: Xxh3,
}

impl<R: Read> Source<R> {
    /// Makes sure that something is in the buffer; false at the end of the stream.
    fn fill(&mut self) -> io::Result<bool> {
        while self.start == self.end {
            (self.start, self.end) = (0, 0);
            match self.stream.read(&mut self.buffer) {
                Ok(0) => return Ok(false),
                Ok(count) => self.end = count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // A file of the system that has nothing to say now.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn buffered(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    /// Takes some bytes off the buffer.
    fn take(&mut self, count: usize) -> &[u8] {
        let from = self.start;
        self.start += count;
        self.at += count as u64;
        let taken = self.buffer.get(from..self.start).unwrap_or_default();
        self.hash.update(taken);
        taken
    }

    /// Takes some bytes off the buffer that need no hash.
    fn pass(&mut self, count: usize) {
        self.start += count;
        self.at += count as u64;
    }
}

fn skip_lines<R: Read>(
    source: &mut Source<R>,
    encoding: Encoding,
    skip: u64,
    stop: &Stop,
) -> Result<io::Result<u64>, ToolError> {
    let mut skipped = 0;
    if encoding.width() > 1 {
        while skipped < skip {
            match next_line(source, encoding, 0, stop)? {
                Ok(Some(_)) => skipped += 1,
                Ok(None) => break,
                Err(error) => return Ok(Err(error)),
            }
        }
        return Ok(Ok(skipped));
    }
    let mut is_in_line = false;
    while skipped < skip {
        stop.check()?;
        match source.fill() {
            Ok(true) => {}
            // A last line without an end is a line.
            Ok(false) => return Ok(Ok(skipped + u64::from(is_in_line))),
            Err(error) => return Ok(Err(error)),
        }
        let buffered = source.buffered();
        let breaks = memchr_iter(b'\n', buffered).count() as u64;
        let wanted = skip - skipped;
        if breaks < wanted {
            skipped += breaks;
            is_in_line = buffered.last() != Some(&b'\n');
            source.pass(buffered.len());
            continue;
        }
        let nth = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
        let end = memchr_iter(b'\n', buffered)
            .nth(nth)
            .map_or(buffered.len(), |at| at + 1);
        source.pass(end);
        return Ok(Ok(skip));
    }
    Ok(Ok(skipped))
}

/// The kept beginning of a line, and how much more there was.
#[derive(Debug, Default)]
struct Line {
    kept: Vec<u8>,
    /// Characters beyond those kept, as far as units tell.
    more: usize,
    /// Whether the last of them is a CR, which belongs to the line's end.
    ends_with_cr: bool,
}

impl Line {
    fn text(&self, encoding: Encoding, most: usize) -> String {
        let text = encoding.decode(&self.kept);
        let text = text.strip_suffix('\r').unwrap_or(&text);
        match text.char_indices().nth(most) {
            None if self.more() == 0 => text.to_owned(),
            cut => {
                let end = cut.map_or(text.len(), |(at, _)| at);
                let (kept, rest) = text.split_at_checked(end).unwrap_or((text, ""));
                let rest = rest.chars().count() + self.more();
                format!("{kept}… [+{rest} chars]")
            }
        }
    }

    fn is_cut(&self, most: usize, encoding: Encoding) -> bool {
        // A character has at least one byte.
        self.more() > 0
            || self.kept.len() > most
                && encoding
                    .decode(&self.kept)
                    .trim_end_matches('\r')
                    .chars()
                    .count()
                    > most
    }
}

/// The next line without its end; nothing when the stream has ended.
fn next_line<R: Read>(
    source: &mut Source<R>,
    encoding: Encoding,
    most_chars: usize,
    stop: &Stop,
) -> Result<io::Result<Option<Line>>, ToolError> {
    let width = encoding.width();
    // Enough for the characters that are shown and one more, in any encoding.
    let most = most_chars.saturating_add(2).saturating_mul(4);
    let mut line = Line::default();
    let mut is_begun = false;
    let mut unit: Vec<u8> = Vec::new();
    loop {
        stop.check()?;
        match source.fill() {
            Ok(true) => is_begun = true,
            Ok(false) => {
                line.keep(&unit, most, encoding);
                return Ok(Ok(is_begun.then_some(line)));
            }
            Err(error) => return Ok(Err(error)),
        }
        if width == 1 {
            let buffered = source.buffered();
            let end = memchr(b'\n', buffered);
            let taken = source.take(end.map_or(buffered.len(), |end| end + 1));
            line.keep(
                taken.get(..end.unwrap_or(taken.len())).unwrap_or_default(),
                most,
                encoding,
            );
            if end.is_some() {
                return Ok(Ok(Some(line)));
            }
            continue;
        }
        let (lf, _) = encoding.unit(b'\n');
        while source.start < source.end {
            unit.extend_from_slice(source.take(1));
            if unit.len() < width {
                continue;
            }
            if lf.get(..width) == Some(&unit) {
                return Ok(Ok(Some(line)));
            }
            line.keep(&unit, most, encoding);
            unit.clear();
        }
    }
}

impl Line {
    /// Keeps bytes as long as there is room, and counts the characters of the rest.
    fn keep(&mut self, bytes: &[u8], most: usize, encoding: Encoding) {
        let width = encoding.width();
        let mut room = most.saturating_sub(self.kept.len()).min(bytes.len());
        // A character is not cut in two.
        while self.more == 0
            && self.kept.len() + room < most + 4
            && bytes
                .get(room..room + width)
                .is_some_and(|unit| goes_on(unit, encoding))
        {
            room += width;
        }
        let (kept, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.kept.extend_from_slice(kept);
        self.more += match encoding {
            // Lines of any length are counted, so this is kept plain and fast.
            Encoding::Utf8 => rest.iter().filter(|byte| (**byte & 0xc0) != 0x80).count(),
            _ => rest
                .chunks(width)
                .filter(|unit| !goes_on(unit, encoding))
                .count(),
        };
        if !rest.is_empty() {
            let (cr, _) = encoding.unit(b'\r');
            self.ends_with_cr = cr.get(..width).is_some_and(|cr| rest.ends_with(cr));
        }
    }

    /// Characters of the text beyond those kept.
    const fn more(&self) -> usize {
        if self.ends_with_cr {
            self.more.saturating_sub(1)
        } else {
            self.more
        }
    }
}

/// Whether a unit goes on with a character that an earlier one began.
fn goes_on(unit: &[u8], encoding: Encoding) -> bool {
    match (encoding, unit) {
        (Encoding::Utf8, [byte]) => byte & 0xc0 == 0x80,
        (Encoding::Utf16Le, [_, high]) | (Encoding::Utf16Be, [high, _]) => high & 0xfc == 0xdc,
        _ => false,
    }
}
