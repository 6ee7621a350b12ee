//! Scripts, lists and pipelines.

use super::cursor::Parser;
use super::{Item, Join, Pipeline, Refusal, Script, Stage};

/// Words that end a script inside a compound command.
const CLOSERS: [&str; 9] = [
    "then", "elif", "else", "fi", "do", "done", "esac", "}", "in",
];

impl Parser<'_> {
    /// One line at the top: bash runs it before it reads the next.
    pub(super) fn top_level_line(&mut self, script: &mut Script) -> Result<bool, Refusal> {
        self.skip_lines()?;
        if self.peek().is_none() {
            return if self.pending.is_empty() {
                Ok(false)
            } else {
                Err(Refusal::new("a heredoc without its lines"))
            };
        }
        let mut line = Vec::new();
        loop {
            line.push(self.item()?);
            self.skip_blanks();
            if matches!(self.peek(), None | Some('\n')) {
                break;
            }
        }
        // The heredocs of the line belong to it: without them it is not whole.
        self.newline()?;
        if !self.pending.is_empty() {
            return Err(Refusal::new("a heredoc without its lines"));
        }
        script.items.append(&mut line);
        Ok(true)
    }

    /// Items up to something that closes the script; that is not stepped over.
    pub(super) fn script(&mut self) -> Result<Script, Refusal> {
        let mut script = Script::default();
        loop {
            self.skip_lines()?;
            if self.at_closer() {
                return Ok(script);
            }
            script.items.push(self.item()?);
        }
    }

    fn at_closer(&mut self) -> bool {
        match self.peek() {
            None | Some(')' | ';') => true,
            _ => CLOSERS.iter().any(|closer| self.at_reserved(closer)),
        }
    }

    /// Whether this reserved word is next, whole and unquoted.
    pub(super) fn at_reserved(&mut self, word: &str) -> bool {
        let start = self.pos;
        let found = self.eat(word) && self.peek().is_none_or(super::cursor::is_meta);
        self.pos = start;
        found
    }

    /// Steps over this reserved word or fails.
    pub(super) fn reserved(&mut self, word: &str) -> Result<(), Refusal> {
        if !self.at_reserved(word) {
            return self.unexpected();
        }
        self.eat(word);
        Ok(())
    }

    fn item(&mut self) -> Result<Item, Refusal> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        let in_background = loop {
            self.skip_blanks();
            let join = if self.eat("&&") {
                Join::And
            } else if self.eat("||") {
                Join::Or
            } else if self.looking_at(";;") || self.looking_at(";&") {
                break false;
            } else if self.eat(";") {
                break false;
            } else if self.looking_at("&>") {
                return self.unexpected();
            } else if self.eat("&") {
                break true;
            } else if matches!(self.peek(), None | Some('\n' | ')')) {
                break false;
            } else {
                return self.unexpected();
            };
            self.skip_lines()?;
            rest.push((join, self.pipeline()?));
        };
        Ok(Item {
            first,
            rest,
            in_background,
        })
    }

    fn pipeline(&mut self) -> Result<Pipeline, Refusal> {
        let mut negated = false;
        self.skip_blanks();
        loop {
            if self.at_reserved("!") {
                self.reserved("!")?;
                negated = !negated;
            } else if self.at_reserved("time") {
                self.reserved("time")?;
                self.skip_blanks();
                if self.at_reserved("-p") {
                    self.reserved("-p")?;
                    self.skip_blanks();
                }
                if self.at_reserved("--") {
                    return Err(Refusal::new("`time --` is not known"));
                }
            } else {
                break;
            }
            self.skip_blanks();
        }
        let mut stages = vec![self.stage()?];
        loop {
            self.skip_blanks();
            if self.looking_at("||") || !(self.eat("|&") || self.eat("|")) {
                break;
            }
            self.skip_lines()?;
            stages.push(self.stage()?);
        }
        Ok(Pipeline { negated, stages })
    }

    /// One command with its redirections.
    pub(super) fn stage(&mut self) -> Result<Stage, Refusal> {
        self.skip_blanks();
        match self.compound()? {
            Some(body) => {
                let mut redirects = Vec::new();
                loop {
                    self.skip_blanks();
                    match self.redirect()? {
                        Some(redirect) => redirects.push(redirect),
                        None => break,
                    }
                }
                Ok(Stage { body, redirects })
            }
            None => self.simple(),
        }
    }
}
