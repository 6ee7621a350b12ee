//! Reading what anybody may have written.

use super::Input;
#[cfg(feature = "media")]
use crate::picture::{MOST_BYTES, MOST_EDGE, Picture};
use crate::read::page::{self, Bounds};
use crate::text::{Look, look_at};
use crate::work::Stop;

fn stop() -> Stop {
    Stop::new(toolpost_core::CancellationToken::new())
}

/// A reader that gives its bytes in pieces.
struct Pieces<'a>(&'a [u8], usize);

impl std::io::Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.1.min(buffer.len()).min(self.0.len());
        let (now, rest) = self.0.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.0 = rest;
        Ok(count)
    }
}

/// Texts: pages of any size, read in pieces of any size, are together what one large page is.
pub fn texts(data: &[u8]) {
    let mut input = Input(data);
    let (lines, chars, piece) = (1 + input.below(5), input.below(9), 1 + input.below(9));
    let bytes = input.0;
    let Look::Text(coding) = look_at(bytes) else {
        return;
    };
    let text = bytes.get(coding.mark_len()..).unwrap_or_default();
    let bounds = |lines| Bounds {
        lines,
        line_chars: chars,
        bytes: 1 << 20,
    };
    let whole = page::read(text, coding.encoding, 0, bounds(u64::MAX), &stop());
    let whole = whole.unwrap().unwrap();
    assert!(whole.is_last);
    let mut parts = Vec::new();
    let (mut shown, mut end) = (0, 0);
    loop {
        let stream = Pieces(text, piece);
        let page = page::read(
            stream,
            coding.encoding,
            shown,
            bounds(lines as u64),
            &stop(),
        );
        let page = page.unwrap().unwrap();
        if page.lines == 0 {
            break;
        }
        assert_eq!(page.range.0, end, "no byte is left out");
        end = page.range.1;
        shown += page.lines;
        parts.push(page.text);
        if page.is_last {
            break;
        }
    }
    assert_eq!(shown, whole.lines);
    assert_eq!(end, text.len() as u64);
    assert_eq!(parts.join("\n"), whole.text);
    for line in whole.text.lines() {
        let (_, text) = line.split_once('\t').unwrap();
        let text = text.rsplit_once("… [+").map_or(text, |(kept, _)| kept);
        assert!(text.chars().count() <= chars, "{line:?}");
    }
}

/// Pictures: what is shown can be decoded, and is within the bounds.
#[cfg(feature = "media")]
pub fn pictures(data: &[u8]) {
    if let Ok(picture) = Picture::new(data.to_vec(), &stop()) {
        assert!(picture.bytes.len() <= MOST_BYTES);
        assert!(picture.width.max(picture.height) <= MOST_EDGE);
        let again = Picture::new(picture.bytes.clone(), &stop()).expect("it was decoded before");
        assert_eq!(
            (again.width, again.height, again.bytes),
            (picture.width, picture.height, picture.bytes)
        );
    }
}

/// PDF files: whatever they are, an answer comes.
#[cfg(feature = "media")]
pub fn pdfs(data: &[u8]) {
    if let Some(text) = crate::read::pdf::text_of(data.to_vec(), &stop()) {
        assert!(text.len() < 512 * 1024);
    }
}
