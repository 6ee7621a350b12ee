//! The tokens of JSON, over bytes.
//!
//! The fast path returns a zero-sized [`Fail`]; what failed waits in the lexer until somebody
//! asks. Strings are in [`super::string`].

use super::{Number, SyntaxFault};

/// Something is wrong; the lexer holds what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fail;

pub(super) struct Lexer<'a> {
    pub(super) text: &'a str,
    pub(super) bytes: &'a [u8],
    pub(super) at: usize,
    failure: Option<(SyntaxFault, usize)>,
}

/// What stands for the end of the text where a byte is asked for; no byte of a JSON token.
pub(super) const END: u8 = 0;

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
            failure: None,
        }
    }

    /// The next byte that is no white space, without taking it.
    #[inline]
    pub(super) fn peek(&mut self) -> u8 {
        match self.bytes.get(self.at) {
            Some(&byte) if byte > b' ' => byte,
            _ => self.skip_space(),
        }
    }

    #[inline(never)]
    fn skip_space(&mut self) -> u8 {
        loop {
            match self.bytes.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(&byte) => return byte,
                None => return END,
            }
        }
    }

    /// Takes `byte`, which must be the next.
    #[inline]
    pub(super) fn take(
        &mut self,
        byte: u8,
        inside: &'static str,
        wanted: &'static str,
    ) -> Result<(), Fail> {
        if self.peek() == byte {
            self.at += 1;
            Ok(())
        } else {
            Err(self.unexpected(inside, wanted))
        }
    }

    /// Takes a word: `true`, `false` or `null`.
    #[inline]
    pub(super) fn word(&mut self, word: &'static str) -> Result<(), Fail> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(());
        }
        if word.as_bytes().starts_with(rest) {
            return Err(self.fail(SyntaxFault::Truncated("a word"), self.bytes.len()));
        }
        Err(self.unexpected(
            "a value",
            "a value: an object, array, string, number, `true`, `false` or `null`",
        ))
    }

    /// Takes a number; the cursor is on its first byte, a digit or `-`.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Number, Fail> {
        let start = self.at;
        let negative = self.bytes.get(start) == Some(&b'-');
        if negative {
            self.at += 1;
        }
        let first_digit = self.at;
        let mut value = 0_u64;
        let mut overflow = false;
        while let Some(digit) = self.digit() {
            // Nineteen digits always fit.
            if self.at - first_digit < 19 {
                value = value * 10 + digit;
            } else {
                match value
                    .checked_mul(10)
                    .and_then(|value| value.checked_add(digit))
                {
                    Some(sum) => value = sum,
                    None => overflow = true,
                }
            }
            self.at += 1;
        }
        let digits = self.at - first_digit;
        if digits == 0 || (digits > 1 && self.bytes.get(first_digit) == Some(&b'0')) {
            return Err(self.bad_number(first_digit, digits));
        }
        let float = matches!(self.bytes.get(self.at), Some(b'.' | b'e' | b'E'));
        if !float && !overflow {
            if let (false, Ok(value)) = (negative, i64::try_from(value)) {
                return Ok(Number::Signed(value));
            }
            if !negative {
                return Ok(Number::Unsigned(value));
            }
            // `-0` keeps its sign, as a float.
            if let (true, Some(value)) = (value != 0, 0_i64.checked_sub_unsigned(value)) {
                return Ok(Number::Signed(value));
            }
        }
        self.float(start, float)
    }

    #[inline]
    fn digit(&self) -> Option<u64> {
        let digit = self.bytes.get(self.at)?.wrapping_sub(b'0');
        (digit <= 9).then_some(u64::from(digit))
    }

    /// The rest of a number that is no 64-bit integer: the cursor is behind its whole part.
    #[cold]
    fn float(&mut self, start: usize, marked: bool) -> Result<Number, Fail> {
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let literal = self.text.get(start..self.at).unwrap_or("");
        match literal.parse::<f64>() {
            // An integer below `i64::MIN` must not round to `i64::MIN` and then count as one.
            Ok(value) if !marked && value == i64::MIN as f64 => {
                Ok(Number::Float(value.next_down()))
            }
            Ok(value) if value.is_finite() => Ok(Number::Float(value)),
            _ => Err(self.fail(SyntaxFault::NumberRange(clip(literal)), start)),
        }
    }

    fn digits(&mut self) -> Result<(), Fail> {
        let start = self.at;
        while self.digit().is_some() {
            self.at += 1;
        }
        if self.at > start {
            Ok(())
        } else {
            Err(self.unexpected("a number", "a digit in a number"))
        }
    }

    #[cold]
    fn bad_number(&mut self, first_digit: usize, digits: usize) -> Fail {
        if digits > 1 {
            let found = "a number that starts with 0".to_owned();
            let wanted =
                "a number without leading zeros; put the digits in quotes if they are text";
            return self.fail(SyntaxFault::Unexpected { found, wanted }, first_digit);
        }
        self.unexpected("a number", "a digit after `-`")
    }

    /// Notes what stands at the cursor as the fault.
    #[cold]
    pub(super) fn unexpected(&mut self, inside: &'static str, wanted: &'static str) -> Fail {
        match self.found() {
            None => self.fail(SyntaxFault::Truncated(inside), self.bytes.len()),
            Some(found) => self.fail(SyntaxFault::Unexpected { found, wanted }, self.at),
        }
    }

    /// Notes what stands behind the end of the value.
    #[cold]
    pub(super) fn trailing(&mut self) -> Fail {
        let found = self.found().unwrap_or_default();
        self.fail(SyntaxFault::Trailing(found), self.at)
    }

    /// What stands at the cursor, worded; nothing at the end of the text.
    fn found(&self) -> Option<String> {
        let rest = self.text.get(self.at..)?;
        let first = rest.chars().next()?;
        let word: String = rest
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .take(20)
            .collect();
        Some(match first {
            '\'' => "a single quote".to_owned(),
            '/' if rest.starts_with("//") || rest.starts_with("/*") => "a comment".to_owned(),
            _ if !word.is_empty() => format!("`{word}`"),
            _ if first.is_control() => format!("the control character U+{:04X}", u32::from(first)),
            _ => format!("`{first}`"),
        })
    }

    #[cold]
    pub(super) fn fail(&mut self, fault: SyntaxFault, at: usize) -> Fail {
        self.failure = Some((fault, at));
        Fail
    }

    pub(super) fn into_failure(self) -> (SyntaxFault, usize) {
        self.failure
            .unwrap_or((SyntaxFault::Truncated("a value"), self.at))
    }
}

fn clip(literal: &str) -> String {
    let mut clipped: String = literal.chars().take(24).collect();
    if clipped.len() < literal.len() {
        clipped.push('…');
    }
    clipped
}
