//! What the bytes of a piece of text mean in its font, and how wide they are.

use std::collections::{BTreeMap, HashMap};

use lopdf::{Dictionary, Document, Encoding, Object};

use super::MOST_UNPACKED;

/// In thousandths of the height of the letters.
const USUAL_WIDTH: f32 = 500.0;
/// More widths than a font has characters would only be a burden.
const MOST_WIDTHS: usize = 70_000;

/// A font, as far as text is concerned.
pub(super) struct Font<'f> {
    /// Nothing where it could not be read.
    encoding: Option<Encoding<'f>>,
    widths: HashMap<u32, f32>,
    usual_width: f32,
    /// How many bytes a character has.
    bytes: usize,
}

/// The fonts of a page by their names there.
pub(super) type Fonts<'f> = BTreeMap<Vec<u8>, Font<'f>>;

/// The dictionaries of some fonts. Where one says which characters its bytes mean, that counts and
/// not the names of its glyphs, which may be anything.
pub(super) fn dictionaries(fonts: BTreeMap<Vec<u8>, &Dictionary>) -> BTreeMap<Vec<u8>, Dictionary> {
    let own = |font: &Dictionary| {
        let mut font = font.clone();
        if font.has(b"ToUnicode") {
            font.remove(b"Encoding");
        }
        font
    };
    fonts
        .into_iter()
        .map(|(name, font)| (name, own(font)))
        .collect()
}

/// Reads the fonts.
pub(super) fn read<'f>(
    dictionaries: &'f BTreeMap<Vec<u8>, Dictionary>,
    document: &'f Document,
) -> Fonts<'f> {
    dictionaries
        .iter()
        .map(|(name, font)| (name.clone(), Font::new(font, document)))
        .collect()
}

impl<'f> Font<'f> {
    fn new(font: &'f Dictionary, document: &'f Document) -> Self {
        let encoding = font
            .get_font_encoding_with_limit(document, MOST_UNPACKED)
            .ok();
        let below = font
            .get_deref(b"DescendantFonts", document)
            .and_then(Object::as_array)
            .ok()
            .and_then(|fonts| document.dereference(fonts.first()?).ok()?.1.as_dict().ok());
        let mut new = Self {
            encoding,
            widths: HashMap::new(),
            usual_width: USUAL_WIDTH,
            bytes: 1,
        };
        match below {
            Some(below) => new.take_wide(below, document),
            None => new.take_simple(font, document),
        }
        new
    }

    /// The widths of a font with one byte a character.
    fn take_simple(&mut self, font: &Dictionary, document: &Document) {
        let first = font
            .get_deref(b"FirstChar", document)
            .and_then(Object::as_i64);
        let first = first.ok().and_then(|first| u32::try_from(first).ok());
        let widths = font
            .get_deref(b"Widths", document)
            .and_then(Object::as_array);
        let (Some(first), Ok(widths)) = (first, widths) else {
            return;
        };
        for (code, width) in (first..).zip(widths.iter().take(256)) {
            self.take(code, number(width, document));
        }
    }

    /// The widths of a font with two bytes a character: lists of them, or one for a range.
    fn take_wide(&mut self, font: &Dictionary, document: &Document) {
        self.bytes = 2;
        self.usual_width = font
            .get_deref(b"DW", document)
            .ok()
            .and_then(|width| number(width, document))
            .unwrap_or(1_000.0);
        let Ok(parts) = font.get_deref(b"W", document).and_then(Object::as_array) else {
            return;
        };
        let mut parts = parts.iter();
        while let (Some(first), Some(second)) = (parts.next(), parts.next()) {
            let Some(first) = code(first, document) else {
                return;
            };
            match document.dereference(second).map(|(_, second)| second) {
                Ok(Object::Array(widths)) => {
                    for (code, width) in (first..).zip(widths) {
                        self.take(code, number(width, document));
                    }
                }
                _ => {
                    let last = code(second, document).unwrap_or(first).min(0xffff);
                    let width = parts.next().and_then(|width| number(width, document));
                    (first..=last).for_each(|code| self.take(code, width));
                }
            }
        }
    }

    fn take(&mut self, code: u32, width: Option<f32>) {
        if let (Some(width), true) = (width, self.widths.len() < MOST_WIDTHS) {
            self.widths.insert(code, width);
        }
    }

    /// The text of some bytes, and its width in heights of its letters.
    pub(super) fn read(&self, bytes: &[u8]) -> (String, f32) {
        let text = self
            .encoding
            .as_ref()
            .and_then(|encoding| encoding.bytes_to_string(bytes).ok());
        let width: f32 = bytes
            .chunks(self.bytes)
            .map(|code| {
                code.iter()
                    .fold(0, |code, byte| code << 8 | u32::from(*byte))
            })
            .map(|code| self.widths.get(&code).unwrap_or(&self.usual_width))
            .sum();
        (text.unwrap_or_default(), width / 1_000.0)
    }
}

fn number(object: &Object, document: &Document) -> Option<f32> {
    document.dereference(object).ok()?.1.as_float().ok()
}

fn code(object: &Object, document: &Document) -> Option<u32> {
    let code = document.dereference(object).ok()?.1.as_i64().ok()?;
    u32::try_from(code).ok()
}
