//! What must hold whatever the input is: for the fuzz targets, and for a short run of each in the
//! tests.
//!
//! Each function takes bytes, makes of them a file and what is to be done with it, and panics when
//! something is not as it must be.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a finding stops the run"
)]

mod changes;
mod disk;
mod reading;
#[cfg(test)]
mod tests;

pub use changes::{edits, notebooks, patches};
pub use disk::files;
pub use reading::texts;
#[cfg(feature = "media")]
pub use reading::{pdfs, pictures};

use crate::text::{Coding, Encoding};

/// Bytes that are taken off one by one.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn byte(&mut self) -> u8 {
        match self.0.split_first() {
            Some((first, rest)) => {
                self.0 = rest;
                *first
            }
            None => 0,
        }
    }

    fn below(&mut self, most: usize) -> usize {
        let number = usize::from(self.byte()) << 8 | usize::from(self.byte());
        number % most.max(1)
    }

    fn bytes(&mut self, most: usize) -> &'a [u8] {
        let length = self.below(most + 1).min(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn text(&mut self, most: usize) -> String {
        String::from_utf8_lossy(self.bytes(most)).into_owned()
    }

    fn coding(&mut self) -> Coding {
        let encoding = [
            Encoding::Utf8,
            Encoding::Utf16Le,
            Encoding::Utf16Be,
            Encoding::Utf32Le,
            Encoding::Utf32Be,
            Encoding::Older(encoding_rs::GBK),
            Encoding::Older(encoding_rs::WINDOWS_1252),
            Encoding::Older(encoding_rs::SHIFT_JIS),
        ][self.below(8)];
        let is_older = matches!(encoding, Encoding::Older(_));
        let has_mark = !is_older && self.byte().is_multiple_of(2);
        Coding { encoding, has_mark }
    }
}

/// The bytes of a file with this text.
fn file(coding: Coding, text: &str) -> Option<Vec<u8>> {
    let mark = if coding.has_mark {
        coding.encoding.mark()
    } else {
        b""
    };
    Some([mark, &*coding.encoding.encode(text).ok()?].concat())
}

/// The text of a file, where nothing of it is lost.
fn text(coding: Coding, bytes: &[u8]) -> Option<String> {
    let text = coding.encoding.decode(bytes.get(coding.mark_len()..)?);
    let again = file(coding, &text)?;
    (again == bytes).then(|| text.into_owned())
}
