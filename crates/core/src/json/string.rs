//! Strings of JSON: eight bytes at a time up to the quote, escapes resolved in one pass.

use super::{
    SyntaxFault,
    lexer::{Fail, Lexer},
};

/// A string as it stands in the text.
pub(super) enum Scanned<'a> {
    /// Without escapes: a slice of the text.
    Plain(&'a str),
    /// With escapes; the string begins at this byte and the cursor is on its first backslash.
    Escaped(usize),
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;
const QUOTES: u64 = ONES * b'"' as u64;
const BACKSLASHES: u64 = ONES * b'\\' as u64;
const SPACES: u64 = ONES * b' ' as u64;

/// Of eight bytes, the high bit of each that ends a run of plain characters: a quote, a
/// backslash, a control character. Bits above the lowest set one mean nothing (a borrow of the
/// subtraction may have reached them).
#[inline]
const fn stops(word: u64) -> u64 {
    let quotes = word ^ QUOTES;
    let backslashes = word ^ BACKSLASHES;
    ((word.wrapping_sub(SPACES) & !word)
        | (quotes.wrapping_sub(ONES) & !quotes)
        | (backslashes.wrapping_sub(ONES) & !backslashes))
        & HIGHS
}

impl<'a> Lexer<'a> {
    /// Scans a string; the cursor is on its opening quote.
    #[inline]
    pub(super) fn string(&mut self) -> Result<Scanned<'a>, Fail> {
        self.at += 1;
        let start = self.at;
        match self.run()? {
            b'"' => {
                let plain = self.text.get(start..self.at).unwrap_or("");
                self.at += 1;
                Ok(Scanned::Plain(plain))
            }
            b'\\' => Ok(Scanned::Escaped(start)),
            _ => Err(self.raw_control()),
        }
    }

    /// Moves over plain characters to the byte that ends the run, and gives that byte.
    #[inline]
    fn run(&mut self) -> Result<u8, Fail> {
        let mut at = self.at;
        while let Some(chunk) = self
            .bytes
            .get(at..)
            .and_then(|rest| rest.first_chunk::<8>())
        {
            let found = stops(u64::from_le_bytes(*chunk));
            if found != 0 {
                // At most seven bytes on: the lowest high bit is that of the first stop.
                at += (found.trailing_zeros() / 8) as usize;
                break;
            }
            at += 8;
        }
        while let Some(&byte) = self.bytes.get(at) {
            if matches!(byte, b'"' | b'\\' | 0..=0x1f) {
                self.at = at;
                return Ok(byte);
            }
            at += 1;
        }
        Err(self.fail(SyntaxFault::Truncated("a string"), self.bytes.len()))
    }

    /// Appends a string with escapes to `out`, up to and with its closing quote; the cursor is on
    /// its first backslash and its plain start is from `start`.
    pub(super) fn unescape(&mut self, start: usize, out: &mut String) -> Result<(), Fail> {
        let mut start = start;
        loop {
            let stop = self.run()?;
            out.push_str(self.text.get(start..self.at).unwrap_or(""));
            match stop {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => out.push(self.escape()?),
                _ => return Err(self.raw_control()),
            }
            start = self.at;
        }
    }

    /// One escape; the cursor is on its backslash.
    fn escape(&mut self) -> Result<char, Fail> {
        let Some(&byte) = self.bytes.get(self.at + 1) else {
            return Err(self.fail(SyntaxFault::Truncated("a string"), self.bytes.len()));
        };
        let character = match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at += 1;
                let wanted = "one of `\"`, `\\`, `/`, `b`, `f`, `n`, `r`, `t`, `u` behind a backslash; \
                              write a backslash itself as `\\\\`";
                return Err(self.unexpected("a string", wanted));
            }
        };
        self.at += 2;
        Ok(character)
    }

    #[cold]
    fn unicode(&mut self) -> Result<char, Fail> {
        let escape = self.at;
        let first = self.hex(escape + 2)?;
        self.at = escape + 6;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first)
                .ok_or_else(|| self.fail(SyntaxFault::LoneSurrogate, escape));
        }
        match self.bytes.get(self.at..self.at + 2) {
            Some(b"\\u") => {}
            _ if self.at >= self.bytes.len() => {
                return Err(self.fail(SyntaxFault::Truncated("a string"), self.bytes.len()));
            }
            _ => return Err(self.fail(SyntaxFault::LoneSurrogate, escape)),
        }
        let second = self.hex(self.at + 2)?;
        if !(0xDC00..0xE000).contains(&second) {
            return Err(self.fail(SyntaxFault::LoneSurrogate, escape));
        }
        self.at += 6;
        let joined = 0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        char::from_u32(joined).ok_or_else(|| self.fail(SyntaxFault::LoneSurrogate, escape))
    }

    fn hex(&mut self, start: usize) -> Result<u32, Fail> {
        let mut value = 0;
        for at in start..start + 4 {
            let digit = self
                .bytes
                .get(at)
                .and_then(|byte| char::from(*byte).to_digit(16));
            let Some(digit) = digit else {
                self.at = at.min(self.bytes.len());
                return Err(self.unexpected("a string", "four hexadecimal digits behind `\\u`"));
            };
            value = value * 16 + digit;
        }
        Ok(value)
    }

    #[cold]
    fn raw_control(&mut self) -> Fail {
        let wanted = "an escape: inside a string write a line break as `\\n` and a tab as `\\t`";
        let found = match self.bytes.get(self.at) {
            Some(b'\n' | b'\r') => "a raw line break in a string".to_owned(),
            Some(b'\t') => "a raw tab in a string".to_owned(),
            other => format!(
                "the control character U+{:04X} in a string",
                other.copied().unwrap_or(0)
            ),
        };
        self.fail(SyntaxFault::Unexpected { found, wanted }, self.at)
    }
}
