//! Redirections.

use std::cell::OnceCell;
use std::rc::Rc;

use super::cursor::{Parser, PendingDocument, is_name};
use super::{PartKind, RawWord, Redirect, RedirectKind, Refusal};

/// Operators, the longer first where one begins with another.
const OPERATORS: [&str; 12] = [
    "&>>", "&>", "<<<", "<<-", "<<", "<>", "<&", ">>", ">|", ">&", "<", ">",
];

impl Parser<'_> {
    /// A redirection, with the descriptor before it, or nothing if none begins here.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>, Refusal> {
        self.peek();
        let start = self.pos;
        let descriptor = self.descriptor();
        let operator = OPERATORS
            .iter()
            .find(|operator| self.looking_at(operator))
            .copied();
        let is_substitution = self.looking_at("<(") || self.looking_at(">(");
        let operator = match operator {
            Some(operator) if !is_substitution || descriptor => operator,
            _ => {
                self.pos = start;
                return Ok(None);
            }
        };
        self.eat(operator);
        let kind = if matches!(operator, "<<" | "<<-") {
            RedirectKind::HereDocument(self.here_document(operator == "<<-")?)
        } else {
            let Some(target) = self.word()? else {
                return self.unexpected();
            };
            kind_of(operator, target)
        };
        Ok(Some(Redirect {
            raw: self.slice(start, self.pos).to_owned(),
            kind,
        }))
    }

    /// `3` or `{name}` directly before an operator.
    fn descriptor(&mut self) -> bool {
        let start = self.pos;
        if self.eat("{") {
            let from = self.pos;
            while self
                .peek()
                .is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
            {
                self.pos += 1;
            }
            let name = self.slice(from, self.pos).replace("\\\n", "");
            if is_name(&name) && self.eat("}") && matches!(self.peek(), Some('<' | '>')) {
                self.note("a descriptor that is kept in a variable");
                return true;
            }
        } else {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.pos += 1;
            }
            if self.pos > start && matches!(self.peek(), Some('<' | '>')) {
                return true;
            }
        }
        self.pos = start;
        false
    }

    fn here_document(
        &mut self,
        strips_tabs: bool,
    ) -> Result<Rc<OnceCell<Vec<super::Part>>>, Refusal> {
        let Some(word) = self.word()? else {
            return self.unexpected();
        };
        let mut delimiter = String::new();
        let mut expands = true;
        for part in &word.parts {
            match &part.kind {
                PartKind::Text(text) => {
                    delimiter.push_str(text);
                    expands &= !part.quoted;
                }
                _ => return Err(Refusal::new("a heredoc whose end is not a plain word")),
            }
        }
        if delimiter.contains('\n') || word.raw.contains('$') {
            return Err(Refusal::new("a heredoc whose end is not a plain word"));
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(PendingDocument {
            delimiter,
            expands,
            strips_tabs,
            body: Rc::clone(&body),
        });
        Ok(body)
    }
}

fn kind_of(operator: &str, target: RawWord) -> RedirectKind {
    match operator {
        "<" => RedirectKind::Read(target),
        "<>" => RedirectKind::ReadWrite(target),
        "<<<" => RedirectKind::HereString(target),
        "<&" | ">&" => {
            let number = target.raw.strip_suffix('-').unwrap_or(&target.raw);
            if number.chars().all(|c| c.is_ascii_digit()) {
                RedirectKind::Copy
            } else if operator == ">&" {
                RedirectKind::Write(target)
            } else {
                RedirectKind::UnknownCopy(target)
            }
        }
        _ => RedirectKind::Write(target),
    }
}
