//! Simple commands: assignments, words, redirections.

use super::cursor::{Parser, is_meta, is_name};
use super::{Assign, AssignValue, Body, RawWord, Refusal, Stage};

impl Parser<'_> {
    /// A simple command, or the definition of a function.
    pub(super) fn simple(&mut self) -> Result<Stage, Refusal> {
        let mut assigns = Vec::new();
        let mut words: Vec<RawWord> = Vec::new();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            if words.is_empty()
                && let Some(assign) = self.assignment()?
            {
                assigns.push(assign);
                continue;
            }
            let Some(word) = self.word()? else {
                break;
            };
            self.skip_blanks();
            if self.peek() == Some('(') {
                if words.is_empty() && assigns.is_empty() && redirects.is_empty() {
                    return self.definition(word);
                }
                return Err(Refusal::new("a parenthesis after a word"));
            }
            words.push(word);
        }
        if assigns.is_empty() && words.is_empty() && redirects.is_empty() {
            return self.unexpected();
        }
        Ok(Stage {
            body: Body::Simple { assigns, words },
            redirects,
        })
    }

    fn definition(&mut self, name: RawWord) -> Result<Stage, Refusal> {
        self.eat("(");
        self.skip_blanks();
        if !self.eat(")") {
            return self.unexpected();
        }
        Ok(Stage {
            body: self.function_body(name.raw)?,
            redirects: Vec::new(),
        })
    }

    /// `name=…` where a command may begin.
    fn assignment(&mut self) -> Result<Option<Assign>, Refusal> {
        self.peek();
        let start = self.pos;
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if !(c.is_ascii_alphanumeric() || c == '_') {
                break;
            }
            self.pos += 1;
            name.push(c);
        }
        let mut has_index = false;
        if is_name(&name) && self.peek() == Some('[') {
            has_index = self.skip_index(start)?;
        }
        let is_append = self.eat("+=");
        if !is_name(&name) || !(is_append || self.eat("=")) {
            self.pos = start;
            return Ok(None);
        }
        let value = if self.peek() == Some('(') {
            AssignValue::Array(self.nested(Self::array)?)
        } else {
            AssignValue::Word(self.word_until(is_meta)?.unwrap_or(RawWord {
                raw: String::new(),
                parts: Vec::new(),
            }))
        };
        Ok(Some(Assign {
            name,
            raw: self.slice(start, self.pos).to_owned(),
            is_append,
            has_index,
            value,
        }))
    }

    /// Steps over `[…]` if an assignment follows: then the index is evaluated.
    fn skip_index(&mut self, start: usize) -> Result<bool, Refusal> {
        let rest = self.rest();
        let Some(end) = rest.find(']') else {
            return Ok(false);
        };
        let index = rest.get(1..end).unwrap_or("");
        let after = rest.get(end + 1..).unwrap_or("");
        if index.chars().all(|c| c.is_ascii_digit()) && !index.is_empty() {
            self.pos += end + 1;
            return Ok(true);
        }
        if after.starts_with('=') || after.starts_with("+=") || index.contains(['$', '`', '[']) {
            self.pos = start;
            return Err(Refusal::new("an array index that is evaluated"));
        }
        Ok(false)
    }

    /// `( word … )` of an array, whose parenthesis is next.
    fn array(&mut self) -> Result<Vec<RawWord>, Refusal> {
        self.eat("(");
        let mut words = Vec::new();
        loop {
            self.skip_lines()?;
            if self.eat(")") {
                return Ok(words);
            }
            let Some(word) = self.word()? else {
                return self.unexpected();
            };
            if word.raw.starts_with('[') {
                return Err(Refusal::new("an array index that is evaluated"));
            }
            words.push(word);
        }
    }
}
