//! The place in the text, and the way in.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{MAX_DEPTH, Part, Refusal, Script};

/// What came out of a text.
#[derive(Debug, Default)]
pub(in crate::shell) struct Parsed {
    /// What was read before anything went wrong: bash runs that much.
    pub(in crate::shell) script: Script,
    /// What in it no parser can decide.
    pub(in crate::shell) notes: Vec<String>,
    /// Where the text could not be read on, and why.
    pub(in crate::shell) refused: Option<(usize, Refusal)>,
}

/// Reads a text that stands `depth` levels deep in others.
pub(in crate::shell) fn parse(source: &str, depth: usize) -> Parsed {
    let mut parser = Parser::new(source, depth);
    let mut script = Script::default();
    let refused = loop {
        let start = parser.pos;
        match parser.top_level_line(&mut script) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(refusal) => break Some((start, refusal)),
        }
    };
    Parsed {
        script,
        notes: parser.notes,
        refused,
    }
}

/// A heredoc whose lines have not come yet.
#[derive(Debug)]
pub(super) struct PendingDocument {
    pub(super) delimiter: String,
    pub(super) expands: bool,
    pub(super) strips_tabs: bool,
    pub(super) body: Rc<OnceCell<Vec<Part>>>,
}

pub(super) struct Parser<'a> {
    pub(super) source: &'a str,
    pub(super) pos: usize,
    pub(super) depth: usize,
    pub(super) notes: Vec<String>,
    pub(super) pending: Vec<PendingDocument>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(source: &'a str, depth: usize) -> Self {
        Self {
            source,
            pos: 0,
            depth,
            notes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// One level deeper, as long as that is allowed.
    pub(super) fn nested<T>(
        &mut self,
        inner: impl FnOnce(&mut Self) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        if self.depth >= MAX_DEPTH {
            return Err(Refusal::new(format!(
                "it nests deeper than {MAX_DEPTH} levels"
            )));
        }
        self.depth += 1;
        let result = inner(self);
        self.depth -= 1;
        result
    }

    /// Remembers something undecidable.
    pub(super) fn note(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.notes.contains(&reason) {
            self.notes.push(reason);
        }
    }

    /// The text from here on, as it stands.
    pub(super) fn rest(&self) -> &'a str {
        self.source.get(self.pos..).unwrap_or("")
    }

    /// The text between two places.
    pub(super) fn slice(&self, from: usize, to: usize) -> &'a str {
        self.source.get(from..to).unwrap_or("")
    }

    /// The next character as it stands: inside single quotes and heredocs.
    pub(super) fn peek_verbatim(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The next character, with a backslash and newline removed as bash removes them.
    pub(super) fn peek(&mut self) -> Option<char> {
        while self.rest().starts_with("\\\n") {
            self.pos += 2;
        }
        self.peek_verbatim()
    }

    /// Whether the text goes on with this, continuation lines apart.
    pub(super) fn looking_at(&mut self, text: &str) -> bool {
        let start = self.pos;
        let found = text.chars().all(|wanted| self.eat_char(wanted));
        self.pos = start;
        found
    }

    /// Steps over this text if it is next.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let start = self.pos;
        let found = text.chars().all(|wanted| self.eat_char(wanted));
        if !found {
            self.pos = start;
        }
        found
    }

    fn eat_char(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.pos += wanted.len_utf8();
        }
        found
    }

    /// Steps over the next character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.pos += next.len_utf8();
        Some(next)
    }

    /// Steps over the next character as it stands.
    pub(super) fn bump_verbatim(&mut self) -> Option<char> {
        let next = self.peek_verbatim()?;
        self.pos += next.len_utf8();
        Some(next)
    }

    /// Steps over blanks and a comment, not over newlines.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.pos += 1;
        }
        if self.peek() == Some('#') {
            let line = self.rest().find('\n').unwrap_or(self.rest().len());
            self.pos += line;
        }
    }

    /// Steps over blanks, comments and newlines, reading the heredocs that wait for them.
    pub(super) fn skip_lines(&mut self) -> Result<(), Refusal> {
        loop {
            self.skip_blanks();
            if !self.newline()? {
                return Ok(());
            }
        }
    }

    /// Steps over a newline and the heredocs after it.
    pub(super) fn newline(&mut self) -> Result<bool, Refusal> {
        if self.peek() != Some('\n') {
            return Ok(false);
        }
        self.pos += 1;
        self.read_documents()?;
        Ok(true)
    }

    pub(super) fn unexpected<T>(&mut self) -> Result<T, Refusal> {
        Err(match self.peek() {
            Some(found) => Refusal::new(format!("syntax error near `{}`", found.escape_debug())),
            None => Refusal::new("syntax error: the text ends too early"),
        })
    }
}

/// Whether a character ends an unquoted word.
pub(super) fn is_meta(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' | '<' | '>'
    )
}

/// Whether this is the name of a variable.
pub(in crate::shell) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}
