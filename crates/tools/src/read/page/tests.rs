//! Pages against a slow model that has all lines in memory.

use std::io::{self, Read};

use proptest::prelude::*;
use toolpost_core::CancellationToken;
use xxhash_rust::xxh3::xxh3_64;

use super::{Bounds, Page, read};
use crate::text::Encoding;
use crate::work::Stop;

/// Gives a few bytes at a time, so that everything meets the end of a buffer.
struct Drip<'a>(&'a [u8], usize);

impl Read for Drip<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.1.min(self.0.len()).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn page(bytes: &[u8], encoding: Encoding, drip: usize, skip: u64, bounds: Bounds) -> Page {
    let stop = Stop::new(CancellationToken::new());
    read(Drip(bytes, drip), encoding, skip, bounds, &stop)
        .unwrap()
        .unwrap()
}

fn model(text: &str, skip: usize, bounds: Bounds) -> (Vec<String>, bool) {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let shown: Vec<String> = lines
        .iter()
        .zip(1..)
        .skip(skip)
        .take(bounds.lines as usize)
        .map(|(line, number)| {
            let line = line.strip_suffix('\r').unwrap_or(line);
            let (count, most) = (line.chars().count(), bounds.line_chars);
            let kept: String = line.chars().take(most).collect();
            let more = if count > most {
                format!("… [+{} chars]", count - most)
            } else {
                String::new()
            };
            format!("{number}\t{kept}{more}")
        })
        .collect();
    let is_last = skip + shown.len() >= lines.len();
    (shown, is_last)
}

proptest! {
    #[test]
    fn a_page_is_what_the_model_says(
        text in "([a😀é]{0,4}(\r?\n)?){0,12}", drip in 1_usize..9, skip in 0_u64..10, limit in 1_u64..6,
        chars in 1_usize..5,
    ) {
        let bounds = Bounds { lines: limit, line_chars: chars, bytes: 1 << 20 };
        let (lines, is_last) = model(&text, skip as usize, bounds);
        for encoding in [Encoding::Utf8, Encoding::Utf16Le, Encoding::Utf32Be] {
            let bytes = encoding.encode(&text).unwrap();
            let page = page(&bytes, encoding, drip, skip, bounds);
            prop_assert_eq!(&page.text, &lines.join("\n"));
            prop_assert_eq!(page.lines, lines.len() as u64);
            prop_assert!(page.is_last == is_last);
            let range = page.range.0 as usize..page.range.1 as usize;
            prop_assert_eq!(page.hash, xxh3_64(&bytes[range]));
        }
    }

    #[test]
    fn pages_by_size_follow_each_other(text in "([ab]{0,9}\n){1,30}", bytes in 1_usize..60, drip in 1_usize..9) {
        let bounds = Bounds { lines: 100, line_chars: 100, bytes };
        let mut all = Vec::new();
        let mut skip = 0;
        loop {
            let page = page(text.as_bytes(), Encoding::Utf8, drip, skip, bounds);
            prop_assert!(page.lines > 0);
            prop_assert!(page.lines == 1 || page.text.len() < bytes);
            all.push(page.text);
            skip += page.lines;
            if page.is_last {
                break;
            }
        }
        let (lines, _) = model(&text, 0, Bounds { lines: 100, ..bounds });
        prop_assert_eq!(all.join("\n"), lines.join("\n"));
    }
}
