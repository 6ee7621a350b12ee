//! What kind of text a file holds: its encoding, its byte order mark, its line endings.
//!
//! The first part of a file decides, the same for every tool, so that what Read shows and what
//! Edit looks for are one text.

mod lf;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};

pub(crate) use lf::{Eol, LfView, break_positions, with_lf};

/// So much of a file decides about its encoding.
pub(crate) const HEAD: usize = 64 * 1024;
/// So much of a file is looked at for zero bytes.
const ZERO_HEAD: usize = 8 * 1024;

/// How the characters of a text are written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8, or ASCII, perhaps with stray bytes that are neither.
    Utf8,
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
    /// An older one, such as GBK, that was guessed.
    Older(&'static encoding_rs::Encoding),
}

/// An encoding, and whether the file says so with a byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Coding {
    pub(crate) encoding: Encoding,
    pub(crate) has_mark: bool,
}

/// What the first part of a file looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Text(Coding),
    Binary(Binary),
}

/// What a file is that is no text, as far as that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    /// A picture of a form that can be shown.
    Picture(&'static str),
    Pdf,
    Other(&'static str),
}

impl Binary {
    /// With its article.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Picture(name) | Self::Other(name) => name,
            Self::Pdf => "a PDF document",
        }
    }
}

const MARKS: [(&[u8], Encoding); 5] = [
    (b"\xff\xfe\0\0", Encoding::Utf32Le),
    (b"\0\0\xfe\xff", Encoding::Utf32Be),
    (b"\xef\xbb\xbf", Encoding::Utf8),
    (b"\xff\xfe", Encoding::Utf16Le),
    (b"\xfe\xff", Encoding::Utf16Be),
];

const MAGIC: [(&[u8], Binary); 14] = [
    (b"\x89PNG\r\n", Binary::Picture("a PNG image")),
    (b"\xff\xd8\xff", Binary::Picture("a JPEG image")),
    (b"GIF8", Binary::Picture("a GIF image")),
    (b"%PDF-", Binary::Pdf),
    (b"\x7fELF", Binary::Other("a program")),
    (b"PK\x03\x04", Binary::Other("a zip archive")),
    (b"\x1f\x8b", Binary::Other("gzip data")),
    (b"BZh", Binary::Other("bzip2 data")),
    (b"\xfd7zXZ\0", Binary::Other("xz data")),
    (b"\x28\xb5\x2f\xfd", Binary::Other("zstd data")),
    (b"SQLite format 3\0", Binary::Other("an SQLite database")),
    (b"\0asm", Binary::Other("a WebAssembly module")),
    (b"II*\0", Binary::Other("a TIFF image")),
    (b"MM\0*", Binary::Other("a TIFF image")),
];

/// Judges by the first [`HEAD`] bytes of a file, or by all of it when it is shorter.
pub(crate) fn look_at(head: &[u8]) -> Look {
    if let Some((_, encoding)) = MARKS.iter().find(|(mark, _)| head.starts_with(mark)) {
        return Look::Text(Coding {
            encoding: *encoding,
            has_mark: true,
        });
    }
    let has_zero = memchr::memchr(0, head.get(..ZERO_HEAD).unwrap_or(head)).is_some();
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Look::Binary(Binary::Picture("a WebP image"));
    }
    // The two letters alone may begin a text; the size of the header is told after them.
    if has_zero && head.starts_with(b"BM") && head.get(15..18) == Some(b"\0\0\0") {
        return Look::Binary(Binary::Picture("a BMP image"));
    }
    let magic = MAGIC
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, what)| *what);
    let is_sure = |what: Binary| !matches!(what.name(), "bzip2 data" | "a GIF image");
    match magic {
        Some(what) if has_zero || is_sure(what) => Look::Binary(what),
        _ if has_zero => Look::Binary(Binary::Other("binary data")),
        _ => plain(head),
    }
}

/// Text without a mark and without zero bytes.
fn plain(head: &[u8]) -> Look {
    let as_utf8 = Look::Text(Coding {
        encoding: Encoding::Utf8,
        has_mark: false,
    });
    let is_cut = head.len() >= HEAD;
    let (good, bad) = count_utf8(head, is_cut);
    if bad == 0 || good >= bad {
        return as_utf8;
    }
    let controls = head.iter().filter(|byte| is_control(**byte)).count();
    if controls * 20 > head.len() {
        return Look::Binary(Binary::Other("binary data"));
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, !is_cut);
    let guess = detector.guess(None, Utf8Detection::Deny);
    // The end of a cut head may be half a character.
    let whole = if is_cut {
        head.get(..HEAD - 4).unwrap_or(head)
    } else {
        head
    };
    let whole = match memchr::memrchr(b'\n', whole) {
        Some(end) if is_cut => whole.get(..end).unwrap_or(whole),
        _ => whole,
    };
    match guess.decode_without_bom_handling_and_without_replacement(whole) {
        Some(_) => Look::Text(Coding {
            encoding: Encoding::Older(guess),
            has_mark: false,
        }),
        None => as_utf8,
    }
}

/// How many characters of several bytes there are, and how many bytes that belong to none.
fn count_utf8(head: &[u8], is_cut: bool) -> (usize, usize) {
    let (mut good, mut bad) = (0, 0);
    let mut chunks = head.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        let is_half_character = is_cut && chunks.peek().is_none();
        if !is_half_character {
            bad += chunk.invalid().len();
        }
    }
    (good, bad)
}

const fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=7 | 11 | 14..=26 | 28..=31 | 127)
}

impl Encoding {
    /// How many bytes its smallest unit has.
    pub(crate) const fn width(self) -> usize {
        match self {
            Self::Utf8 | Self::Older(_) => 1,
            Self::Utf16Le | Self::Utf16Be => 2,
            Self::Utf32Le | Self::Utf32Be => 4,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Utf32Le => "UTF-32LE",
            Self::Utf32Be => "UTF-32BE",
            Self::Older(encoding) => encoding.name(),
        }
    }

    /// The byte order mark.
    pub(crate) fn mark(self) -> &'static [u8] {
        MARKS
            .iter()
            .find(|(_, encoding)| *encoding == self)
            .map_or(b"", |(mark, _)| mark)
    }

    /// The bytes of one ASCII character.
    pub(crate) fn unit(self, ascii: u8) -> ([u8; 4], usize) {
        match self {
            Self::Utf8 | Self::Older(_) => ([ascii, 0, 0, 0], 1),
            Self::Utf16Le => ([ascii, 0, 0, 0], 2),
            Self::Utf16Be => ([0, ascii, 0, 0], 2),
            Self::Utf32Le => ([ascii, 0, 0, 0], 4),
            Self::Utf32Be => ([0, 0, 0, ascii], 4),
        }
    }

    /// The text of some bytes; what is no character becomes U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        let units = |from: fn([u8; 2]) -> u16| {
            bytes.chunks(2).map(move |pair| match pair {
                [a, b] => from([*a, *b]),
                _ => 0xd800,
            })
        };
        let scalars = |from: fn([u8; 4]) -> u32| {
            let of = move |four: &[u8]| {
                let number = four.try_into().ok().map(from);
                number
                    .and_then(char::from_u32)
                    .unwrap_or(char::REPLACEMENT_CHARACTER)
            };
            bytes.chunks(4).map(of).collect::<String>()
        };
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes),
            Self::Utf16Le => from_utf16(units(u16::from_le_bytes)).into(),
            Self::Utf16Be => from_utf16(units(u16::from_be_bytes)).into(),
            Self::Utf32Le => scalars(u32::from_le_bytes).into(),
            Self::Utf32Be => scalars(u32::from_be_bytes).into(),
            Self::Older(encoding) => encoding.decode_without_bom_handling(bytes).0,
        }
    }

    /// The bytes of some text, or the first character that the encoding does not have.
    pub(crate) fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, char> {
        Ok(match self {
            Self::Utf8 => text.as_bytes().into(),
            Self::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            Self::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            Self::Utf32Le => text
                .chars()
                .flat_map(|c| u32::from(c).to_le_bytes())
                .collect(),
            Self::Utf32Be => text
                .chars()
                .flat_map(|c| u32::from(c).to_be_bytes())
                .collect(),
            Self::Older(encoding) => {
                let (bytes, _, has_lost) = encoding.encode(text);
                if has_lost {
                    return Err(first_lost(encoding, text));
                }
                bytes
            }
        })
    }
}

fn first_lost(encoding: &'static encoding_rs::Encoding, text: &str) -> char {
    let is_lost = |c: &char| encoding.encode(c.encode_utf8(&mut [0; 4])).2;
    text.chars()
        .find(is_lost)
        .unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn from_utf16(units: impl Iterator<Item = u16>) -> String {
    char::decode_utf16(units)
        .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

impl Coding {
    /// Plain UTF-8, as new files have it.
    pub(crate) const UTF8: Self = Self {
        encoding: Encoding::Utf8,
        has_mark: false,
    };

    /// How many bytes the mark takes.
    pub(crate) fn mark_len(self) -> usize {
        if self.has_mark {
            self.encoding.mark().len()
        } else {
            0
        }
    }
}
