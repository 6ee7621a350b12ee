//! `[[ … ]]`.

use super::cursor::{Parser, is_meta};
use super::word::Parts;
use super::{Body, CondToken, RawWord, Refusal};

const OPERATORS: [&str; 6] = ["&&", "||", "(", ")", "<", ">"];

impl Parser<'_> {
    /// After `[[`, up to and over `]]`.
    pub(super) fn condition(&mut self) -> Result<Body, Refusal> {
        let mut tokens = Vec::new();
        loop {
            self.skip_lines()?;
            if self.at_reserved("]]") {
                self.reserved("]]")?;
                return Ok(Body::Condition(tokens));
            }
            if self.at_reserved("!") {
                self.reserved("!")?;
                tokens.push(CondToken::Operator("!"));
                continue;
            }
            let is_substitution = self.looking_at("<(") || self.looking_at(">(");
            let operator = OPERATORS.iter().find(|op| self.looking_at(op));
            if let Some(operator) = operator
                && !is_substitution
            {
                self.eat(operator);
                tokens.push(CondToken::Operator(operator));
                continue;
            }
            let Some(word) = self.word()? else {
                return self.unexpected();
            };
            if self.peek() == Some('(') {
                return Err(Refusal::new("an extended pattern is not known"));
            }
            let is_match = word.raw == "=~";
            tokens.push(CondToken::Word(word));
            if is_match {
                self.skip_blanks();
                tokens.push(CondToken::Word(self.regular_expression()?));
            }
        }
    }

    /// The right side of `=~`, in which parentheses and bars are plain characters.
    fn regular_expression(&mut self) -> Result<RawWord, Refusal> {
        let start = self.pos;
        let mut parts = Parts::default();
        let mut depth = 0_usize;
        while let Some(c) = self.peek() {
            match c {
                '(' => depth += 1,
                ')' if depth == 0 => break,
                ')' => depth -= 1,
                '|' => {}
                c if is_meta(c) && depth > 0 => {
                    return Err(Refusal::new("a blank inside a group of `=~`"));
                }
                c if is_meta(c) => break,
                _ => {
                    self.word_part(&mut parts)?;
                    continue;
                }
            }
            self.pos += 1;
            parts.char(c, false);
        }
        if parts.0.is_empty() {
            return self.unexpected();
        }
        Ok(RawWord {
            raw: self.slice(start, self.pos).to_owned(),
            parts: parts.0,
        })
    }
}
