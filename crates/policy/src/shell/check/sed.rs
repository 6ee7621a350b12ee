//! Scripts of `sed`: a script is read-only when every command in it is one that is known to be.

use super::{Context, Finding};
use crate::shell::analysis::{Risk, Word};

/// Checks a script that stands at `at`.
pub(super) fn check(word: &Word, at: usize, context: &Context<'_>, finding: &mut Finding) {
    let Some(text) = word.literal() else {
        finding.problem("a sed script that is only known later");
        return;
    };
    let mut script = Script {
        rest: text.chars().peekable(),
    };
    // The next script would go on where a backslash ends this one.
    let result = if text.ends_with('\\') {
        Err("a sed script that ends in a backslash".to_owned())
    } else {
        script.commands()
    };
    match result {
        Ok(reads) => {
            for path in reads {
                let found = context.state.literal_paths(&word.raw, &path, false);
                finding.reads.extend(found);
            }
        }
        Err(why) => {
            finding.problem(why.clone());
            finding.risks.push(Risk {
                option: word.raw.clone(),
                at,
                why: why.into(),
            });
        }
    }
}

struct Script<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
}

impl Script<'_> {
    /// Reads all commands; answers the files that they read.
    fn commands(&mut self) -> Result<Vec<String>, String> {
        let mut reads = Vec::new();
        loop {
            while self
                .rest
                .next_if(|c| c.is_ascii_whitespace() || matches!(c, ';' | '}'))
                .is_some()
            {}
            if self.rest.peek().is_none() {
                return Ok(reads);
            }
            self.address()?;
            self.blanks();
            let Some(command) = self.rest.next() else {
                return Err("a sed address without a command".to_owned());
            };
            match command {
                '{' => continue,
                '#' => self.line(),
                '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {}
                'l' | 'L' | 'q' | 'Q' => self.number(),
                'a' | 'i' | 'c' => {
                    self.text();
                    continue;
                }
                ':' | 'b' | 't' | 'T' => self.label(),
                'r' | 'R' => {
                    let path = self.rest_of_line();
                    if path.contains('}') || path.is_empty() {
                        return Err("a sed command that reads a file of unclear name".to_owned());
                    }
                    reads.push(path);
                }
                's' => self.substitute()?,
                'y' => {
                    let end = self.rest.next().ok_or("a sed `y` without its text")?;
                    self.delimited(end, false)?;
                    self.delimited(end, false)?;
                }
                'w' | 'W' => return Err("a sed command that writes a file".to_owned()),
                'e' => return Err("a sed command that runs a program".to_owned()),
                other => return Err(format!("the sed command `{other}` is not known")),
            }
            self.end()?;
        }
    }

    fn blanks(&mut self) {
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    }

    fn number(&mut self) {
        self.blanks();
        while self.rest.next_if(char::is_ascii_digit).is_some() {}
    }

    fn line(&mut self) {
        while self.rest.next_if(|c| *c != '\n').is_some() {}
    }

    fn rest_of_line(&mut self) -> String {
        self.blanks();
        let mut text = String::new();
        while let Some(c) = self.rest.next_if(|c| *c != '\n') {
            text.push(c);
        }
        text
    }

    /// After a command: blanks, then an end, or the next command's beginning.
    fn end(&mut self) -> Result<(), String> {
        self.blanks();
        match self.rest.peek() {
            None | Some(';' | '\n' | '}' | '#') => Ok(()),
            Some(other) => Err(format!("`{other}` after a sed command")),
        }
    }

    fn label(&mut self) {
        self.blanks();
        while self
            .rest
            .next_if(|c| c.is_ascii_alphanumeric() || *c == '_')
            .is_some()
        {}
    }

    /// The text of `a`, `i` and `c`: to the end of a line that no backslash continues.
    fn text(&mut self) {
        let mut escaped = false;
        for c in self.rest.by_ref() {
            match c {
                '\\' => escaped = !escaped,
                '\n' if !escaped => return,
                _ => escaped = false,
            }
        }
    }

    /// Numbers, `$`, expressions, `,`, `~`, `+`, and `!`.
    fn address(&mut self) -> Result<(), String> {
        loop {
            self.blanks();
            match self.rest.peek() {
                Some('0'..='9' | '$' | ',' | '~' | '+' | '!') => {
                    self.rest.next();
                }
                Some('/') => {
                    self.rest.next();
                    self.delimited('/', true)?;
                    self.address_flags();
                }
                Some('\\') => {
                    self.rest.next();
                    let end = self.rest.next().ok_or("a sed address that is not whole")?;
                    self.delimited(end, true)?;
                    self.address_flags();
                }
                _ => return Ok(()),
            }
        }
    }

    fn address_flags(&mut self) {
        while self.rest.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
    }

    /// Up to and over `end`.
    fn delimited(&mut self, end: char, is_expression: bool) -> Result<(), String> {
        if end == '\\' || end == '\n' {
            return Err("a sed delimiter that is not known".to_owned());
        }
        loop {
            match self.rest.next() {
                None => return Err("a sed text that is never closed".to_owned()),
                Some(c) if c == end => return Ok(()),
                Some('\\') => {
                    self.rest.next();
                }
                // Whether the end may stand inside brackets depends on the version: where one
                // does, the script could be cut in two ways.
                Some('[') if is_expression => self.bracket(end)?,
                Some(_) => {}
            }
        }
    }

    fn bracket(&mut self, end: char) -> Result<(), String> {
        let mut ahead = self.rest.clone();
        ahead.next_if_eq(&'^');
        ahead.next_if_eq(&']');
        for c in ahead {
            if c == ']' {
                return Ok(());
            }
            if c == end || c == '\\' || c == '[' {
                break;
            }
        }
        // `[[:alpha:]]`, `[\/]`, `[^/]`: fine as long as reading on meets the same end.
        let mut inside = String::new();
        for c in self.rest.clone() {
            inside.push(c);
            if c == ']' && inside.len() > 1 && !inside.ends_with(":]") {
                break;
            }
        }
        if inside.contains(end) {
            return Err("a sed bracket that holds the delimiter".to_owned());
        }
        Ok(())
    }

    fn substitute(&mut self) -> Result<(), String> {
        let end = self.rest.next().ok_or("a sed `s` without its text")?;
        self.delimited(end, true)?;
        self.delimited(end, false)?;
        loop {
            match self.rest.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.rest.next();
                }
                Some('e') => return Err("the sed flag `e` runs what it finds".to_owned()),
                Some('w') => return Err("the sed flag `w` writes a file".to_owned()),
                _ => return Ok(()),
            }
        }
    }
}
