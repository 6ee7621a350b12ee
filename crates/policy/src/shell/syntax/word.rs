//! Words: quotes, escapes and what stands between them.

use std::rc::Rc;

use super::cursor::{Parser, is_meta};
use super::{Part, PartKind, RawWord, Refusal, Script};

/// Collects the parts of a word, joining neighbouring text of one kind.
#[derive(Default)]
pub(super) struct Parts(pub(super) Vec<Part>);

impl Parts {
    pub(super) fn text(&mut self, text: &str, quoted: bool) {
        if let Some(Part {
            quoted: last,
            kind: PartKind::Text(so_far),
        }) = self.0.last_mut()
            && *last == quoted
        {
            so_far.push_str(text);
            return;
        }
        self.push(PartKind::Text(text.to_owned()), quoted);
    }

    pub(super) fn char(&mut self, c: char, quoted: bool) {
        self.text(c.encode_utf8(&mut [0; 4]), quoted);
    }

    pub(super) fn push(&mut self, kind: PartKind, quoted: bool) {
        self.0.push(Part { quoted, kind });
    }
}

impl Parser<'_> {
    /// The next word, or nothing if none begins here.
    pub(super) fn word(&mut self) -> Result<Option<RawWord>, Refusal> {
        self.skip_blanks();
        self.word_until(is_meta)
    }

    /// A word up to an unquoted character that ends it.
    pub(super) fn word_until(
        &mut self,
        ends: impl Fn(char) -> bool,
    ) -> Result<Option<RawWord>, Refusal> {
        self.peek();
        let start = self.pos;
        let mut parts = Parts::default();
        while let Some(c) = self.peek() {
            if matches!(c, '<' | '>') && (self.looking_at("<(") || self.looking_at(">(")) {
                self.pos += 1;
                let script = self.parenthesised()?;
                parts.push(PartKind::Process { script }, true);
            } else if ends(c) {
                break;
            } else {
                self.word_part(&mut parts)?;
            }
        }
        Ok((self.pos > start).then(|| RawWord {
            // A line that goes on behind the word is no part of it.
            raw: self
                .slice(start, self.pos)
                .trim_end_matches("\\\n")
                .to_owned(),
            parts: parts.0,
        }))
    }

    /// One piece of a word outside double quotes.
    pub(super) fn word_part(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        match self.peek() {
            Some('\\') => {
                self.pos += 1;
                match self.bump_verbatim() {
                    Some(c) => parts.char(c, true),
                    None => parts.char('\\', true),
                }
            }
            Some('\'') => {
                self.pos += 1;
                let rest = self.rest();
                let Some(end) = rest.find('\'') else {
                    return Err(Refusal::new("a single quote is never closed"));
                };
                parts.text(rest.get(..end).unwrap_or(""), true);
                self.pos += end + 1;
            }
            Some('"') => {
                self.pos += 1;
                self.double_quotes(parts)?;
            }
            Some('$') => self.dollar(parts, false)?,
            Some('`') => self.backticks(parts, false)?,
            Some(c) => {
                self.pos += c.len_utf8();
                parts.char(c, false);
            }
            None => {}
        }
        Ok(())
    }

    /// After the opening `"`, up to and over the closing one.
    pub(super) fn double_quotes(&mut self, parts: &mut Parts) -> Result<(), Refusal> {
        parts.text("", true);
        let mut inner = Vec::new();
        self.quoted_parts(&mut inner, Some('"'))?;
        for part in inner {
            match part.kind {
                PartKind::Text(text) => parts.text(&text, true),
                kind => parts.push(kind, true),
            }
        }
        Ok(())
    }

    /// Text in which only `$`, backticks and backslashes count, up to and over `end`, or to the
    /// end of the text.
    pub(super) fn quoted_parts(
        &mut self,
        out: &mut Vec<Part>,
        end: Option<char>,
    ) -> Result<(), Refusal> {
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None if end.is_none() => break,
                None => return Err(Refusal::new("a double quote is never closed")),
                c if end.is_some() && c == end => {
                    self.pos += 1;
                    break;
                }
                Some('\\') => {
                    self.pos += 1;
                    match self.peek_verbatim() {
                        Some(c) if matches!(c, '$' | '`' | '\\') || Some(c) == end => {
                            self.pos += c.len_utf8();
                            parts.char(c, true);
                        }
                        _ => parts.char('\\', true),
                    }
                }
                Some('$') => self.dollar(&mut parts, true)?,
                Some('`') => self.backticks(&mut parts, true)?,
                Some(c) => {
                    self.pos += c.len_utf8();
                    parts.char(c, true);
                }
            }
        }
        out.append(&mut parts.0);
        Ok(())
    }

    /// `( script )` of a substitution; the parenthesis is next.
    pub(super) fn parenthesised(&mut self) -> Result<Rc<Script>, Refusal> {
        let waiting = std::mem::take(&mut self.pending);
        let start = self.pos;
        self.pos += 1;
        let script = self.nested(|parser| {
            let script = parser.script()?;
            parser.skip_lines()?;
            if !parser.eat(")") {
                return parser.unexpected();
            }
            Ok(script)
        })?;
        if !self.pending.is_empty() {
            return Err(Refusal::new("a heredoc without its lines"));
        }
        if !waiting.is_empty() && self.slice(start, self.pos).contains('\n') {
            return Err(Refusal::new("a heredoc across a substitution"));
        }
        self.pending = waiting;
        Ok(Rc::new(script))
    }

    /// `` `script` ``; the backtick is next.
    pub(super) fn backticks(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Refusal> {
        self.pos += 1;
        let mut inner = String::new();
        loop {
            match self.bump_verbatim() {
                None => return Err(Refusal::new("a backtick is never closed")),
                Some('`') => break,
                Some('\\') => match self.peek_verbatim() {
                    Some(c @ ('`' | '\\' | '$')) => {
                        self.pos += 1;
                        inner.push(c);
                    }
                    Some('"') if quoted => {
                        return Err(Refusal::new("an escaped quote inside quoted backticks"));
                    }
                    _ => inner.push('\\'),
                },
                Some(c) => inner.push(c),
            }
        }
        let script = self.nested(|parser| {
            let parsed = super::parse(&inner, parser.depth);
            for note in parsed.notes {
                parser.note(note);
            }
            match parsed.refused {
                Some((_, refusal)) => Err(refusal),
                None => Ok(parsed.script),
            }
        })?;
        parts.push(PartKind::Substitution(Rc::new(script)), quoted);
        Ok(())
    }
}
