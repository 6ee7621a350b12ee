//! `${…}`: a name, perhaps an operator, and what the operator works on.

use super::cursor::Parser;
use super::dollar::{is_literal_arithmetic, is_special};
use super::word::Parts;
use super::{Parameter, Part, PartKind, Refusal};

const OPERATORS: [&str; 19] = [
    ":-", ":=", ":?", ":+", "##", "%%", "//", "/#", "/%", "^^", ",,", "-", "=", "?", "+", "#",
    "%", "/", "^",
];

impl Parser<'_> {
    /// After `${`, up to and over the `}`.
    pub(super) fn braced(&mut self, parts: &mut Parts, quoted: bool) -> Result<(), Refusal> {
        if matches!(self.peek(), Some(' ' | '\t' | '\n' | '|')) {
            return Err(Refusal::new("`${ …; }` runs commands in newer shells"));
        }
        if self.peek() == Some('!') && !self.looking_at("!}") {
            self.note("`${!…}` names its variable indirectly");
            self.pos += 1;
        }
        let is_length = self.peek() == Some('#') && !self.looking_at("#}");
        if is_length {
            self.pos += 1;
        }
        let name = self.parameter_name()?;
        let has_index = self.index()?;
        let (operator, operand) = if self.eat("}") {
            (if is_length { "#length" } else { "" }.to_owned(), Vec::new())
        } else if is_length {
            return self.unexpected();
        } else {
            self.operation(quoted)?
        };
        let parameter = Parameter {
            name,
            has_index,
            operator,
            operand,
        };
        parts.push(PartKind::Parameter(parameter), quoted);
        Ok(())
    }

    fn parameter_name(&mut self) -> Result<String, Refusal> {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if !(c.is_ascii_alphanumeric() || c == '_') {
                break;
            }
            self.pos += 1;
            name.push(c);
        }
        if name.is_empty() {
            match self.peek() {
                Some(c) if is_special(c) => {
                    self.pos += 1;
                    name.push(c);
                }
                _ => return self.unexpected(),
            }
        }
        Ok(name)
    }

    /// `[index]` after a name: a number, `@` or `*`; anything else is evaluated.
    fn index(&mut self) -> Result<bool, Refusal> {
        if !self.eat("[") {
            return Ok(false);
        }
        let rest = self.rest();
        let Some(end) = rest.find(']') else {
            return self.unexpected();
        };
        let index = rest.get(..end).unwrap_or("");
        if index.is_empty() || !index.chars().all(|c| matches!(c, '0'..='9' | '@' | '*')) {
            return Err(Refusal::new("an array index that is evaluated"));
        }
        self.pos += end + 1;
        Ok(true)
    }

    fn operation(&mut self, quoted: bool) -> Result<(String, Vec<Part>), Refusal> {
        if self.eat("@") {
            return match self.bump() {
                Some(c @ ('Q' | 'U' | 'u' | 'L')) if self.eat("}") => {
                    Ok((format!("@{c}"), Vec::new()))
                }
                Some('P') => Err(Refusal::new("`@P` runs the value as a prompt")),
                _ => Err(Refusal::new("a transformation that is not known")),
            };
        }
        let known = OPERATORS.iter().find(|operator| self.looking_at(operator));
        let operator = match known {
            Some(operator) => (*operator).to_owned(),
            None if self.looking_at(":") => ":".to_owned(),
            None if self.looking_at(",") => ",".to_owned(),
            None => return self.unexpected(),
        };
        self.eat(&operator);
        let start = self.pos;
        let operand = self.operand(quoted)?;
        if operator == ":" {
            let text = self.slice(start, self.pos.saturating_sub(1));
            if !is_literal_arithmetic(text) {
                self.note("arithmetic over something that is not a number");
            }
        }
        Ok((operator, operand))
    }

    /// What follows an operator, up to and over the `}`.
    fn operand(&mut self, quoted: bool) -> Result<Vec<Part>, Refusal> {
        let mut parts = Parts::default();
        loop {
            match self.peek() {
                None => return Err(Refusal::new("`${` is never closed")),
                Some('}') => {
                    self.pos += 1;
                    return Ok(parts.0);
                }
                Some('\'' | '"' | '\\') if quoted => {
                    return Err(Refusal::new("quotes inside a quoted `${…}`"));
                }
                Some('$') if quoted => self.dollar(&mut parts, true)?,
                Some('`') if quoted => self.backticks(&mut parts, true)?,
                Some('<' | '>') if self.looking_at("<(") || self.looking_at(">(") => {
                    return Err(Refusal::new("a process substitution inside `${…}`"));
                }
                Some(c) if quoted => {
                    self.pos += c.len_utf8();
                    parts.char(c, true);
                }
                Some(_) => self.word_part(&mut parts)?,
            }
        }
    }
}
