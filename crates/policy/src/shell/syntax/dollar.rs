//! What a dollar sign begins.

use super::cursor::Parser;
use super::word::Parts;
use super::{Parameter, Part, PartKind, Refusal};

impl Parser<'_> {
    /// Everything that begins with `$`, which is next.
    pub(super) fn dollar(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Refusal> {
        self.pos += 1;
        match self.peek() {
            Some('(') if self.looking_at("((") => self.arithmetic_substitution(parts, quoted),
            Some('(') => {
                let script = self.parenthesised()?;
                parts.push(PartKind::Substitution(script), quoted);
                Ok(())
            }
            Some('{') => {
                self.pos += 1;
                self.nested(|parser| parser.braced(parts, quoted))
            }
            Some('[') => {
                self.note("the old arithmetic `$[ ]` may run text as code");
                self.pos += 1;
                let rest = self.rest();
                let Some(end) = closing_bracket(rest) else {
                    return Err(Refusal::new("`$[` is never closed"));
                };
                let text = rest.get(..end).unwrap_or("");
                let inner = self.nested(|parser| parser.expanding_text(text))?;
                self.pos += end + 1;
                parts.push(PartKind::Arithmetic(inner), quoted);
                Ok(())
            }
            Some('\'') if !quoted => {
                self.pos += 1;
                self.ansi_quotes(parts)
            }
            Some('"') if !quoted => {
                self.note("`$\"…\"` depends on a translation");
                self.pos += 1;
                self.double_quotes(parts)
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.peek() {
                    if !(c.is_ascii_alphanumeric() || c == '_') {
                        break;
                    }
                    self.pos += 1;
                    name.push(c);
                }
                parts.push(plain(name), quoted);
                Ok(())
            }
            Some(c) if is_special(c) => {
                self.pos += 1;
                parts.push(plain(c.to_string()), quoted);
                Ok(())
            }
            _ => {
                parts.text("$", quoted);
                Ok(())
            }
        }
    }

    fn arithmetic_substitution(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Refusal> {
        let start = self.pos;
        if let Some(text) = self.arithmetic_text() {
            let inner = self.nested(|parser| parser.arithmetic(&text))?;
            parts.push(PartKind::Arithmetic(inner), quoted);
            return Ok(());
        }
        self.note("`$((` that is not arithmetic");
        self.pos = start;
        let script = self.parenthesised()?;
        parts.push(PartKind::Substitution(script), quoted);
        Ok(())
    }

    /// The text between `((` and `))`, which are stepped over, or nothing where they do not match.
    pub(super) fn arithmetic_text(&mut self) -> Option<String> {
        let mut depth = 0_usize;
        if !self.eat("((") {
            return None;
        }
        let mut text = String::new();
        loop {
            let c = self.bump()?;
            match c {
                '(' => depth += 1,
                ')' if depth == 0 => return self.eat(")").then_some(text),
                ')' => depth -= 1,
                _ => {}
            }
            text.push(c);
        }
    }

    /// The parts of an arithmetic text, which is undecidable unless it is made of numbers only.
    pub(super) fn arithmetic(&mut self, text: &str) -> Result<Vec<Part>, Refusal> {
        if !is_literal_arithmetic(text) {
            self.note("arithmetic over something that is not a number");
        }
        self.expanding_text(text)
    }

    /// `$'…'` after its opening.
    fn ansi_quotes(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let Some(c) = self.bump_verbatim() else {
                return Err(Refusal::new("`$'` is never closed"));
            };
            match c {
                '\'' => break,
                '\\' => self.ansi_escape(&mut bytes)?,
                c => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => parts.text(&text, true),
            Err(_) => return Err(Refusal::new("`$'…'` is not UTF-8")),
        }
        Ok(())
    }

    fn ansi_escape(&mut self, bytes: &mut Vec<u8>) -> Result<(), Refusal> {
        let Some(c) = self.bump_verbatim() else {
            return Err(Refusal::new("`$'` is never closed"));
        };
        let byte = match c {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            'v' => 11,
            '\\' => b'\\',
            '\'' => b'\'',
            '"' => b'"',
            '?' => b'?',
            'x' => return self.ansi_number(bytes, 16, 2, false),
            'u' => return self.ansi_number(bytes, 16, 4, true),
            'U' => return self.ansi_number(bytes, 16, 8, true),
            '0'..='7' => {
                self.pos -= 1;
                return self.ansi_number(bytes, 8, 3, false);
            }
            _ => return Err(Refusal::new("an escape in `$'…'` that is not known")),
        };
        bytes.push(byte);
        Ok(())
    }

    fn ansi_number(
        &mut self,
        bytes: &mut Vec<u8>,
        radix: u32,
        digits: usize,
        is_char: bool,
    ) -> Result<(), Refusal> {
        let mut value = None;
        for _ in 0..digits {
            let Some(digit) = self.peek_verbatim().and_then(|c| c.to_digit(radix)) else {
                break;
            };
            self.pos += 1;
            value = Some(value.unwrap_or(0_u32).wrapping_mul(radix) + digit);
        }
        let refusal = || Refusal::new("an escape in `$'…'` that is not a character");
        let value = value.ok_or_else(refusal)?;
        if value == 0 {
            // bash ends the text here: what follows would be lost.
            return Err(refusal());
        }
        if is_char {
            let c = char::from_u32(value).ok_or_else(refusal)?;
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        } else {
            bytes.push(u8::try_from(value).map_err(|_| refusal())?);
        }
        Ok(())
    }
}

/// Where the `]` stands that closes a text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn plain(name: String) -> PartKind {
    PartKind::Parameter(Parameter {
        name,
        has_index: false,
        operator: String::new(),
        operand: Vec::new(),
    })
}

pub(super) fn is_special(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '@' | '*' | '#' | '?' | '-' | '$' | '!')
}

/// Whether a text is arithmetic over plain numbers, which cannot run anything.
pub(super) fn is_literal_arithmetic(text: &str) -> bool {
    let mut previous = ' ';
    text.chars().all(|c| {
        let fits = match c {
            '0'..='9' => true,
            'a'..='z' | 'A'..='Z' => {
                // `0x1f`, but no name: a letter only inside a number.
                previous.is_ascii_alphanumeric()
            }
            ' ' | '\t' | '\n' | '+' | '-' | '*' | '/' | '%' | '(' | ')' | '<' | '>' | '=' | '!'
            | '&' | '|' | '^' | '~' | '?' | ':' | ',' => true,
            _ => false,
        };
        previous = c;
        fits
    })
}
