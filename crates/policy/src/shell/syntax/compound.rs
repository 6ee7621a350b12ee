//! Groups, branches, loops and functions.

use super::cursor::{Parser, is_name};
use super::{Body, RawWord, Refusal, Script, Stage};

impl Parser<'_> {
    /// A compound command, or nothing if none begins here.
    pub(super) fn compound(&mut self) -> Result<Option<Body>, Refusal> {
        if self.looking_at("((") {
            return self.nested(Self::double_parenthesis).map(Some);
        }
        if self.peek() == Some('(') {
            let script = self.parenthesised_group()?;
            return Ok(Some(Body::Subshell(script)));
        }
        let openers: [(&str, fn(&mut Self) -> Result<Body, Refusal>); 10] = [
            ("{", Self::group),
            ("if", Self::branch),
            ("for", Self::for_loop),
            ("select", Self::for_loop),
            ("while", Self::while_loop),
            ("until", Self::while_loop),
            ("case", Self::case),
            ("function", Self::function),
            ("[[", Self::condition),
            ("coproc", Self::coprocess),
        ];
        for (word, parse) in openers {
            if self.at_reserved(word) {
                self.reserved(word)?;
                return self.nested(parse).map(Some);
            }
        }
        Ok(None)
    }

    fn parenthesised_group(&mut self) -> Result<Script, Refusal> {
        self.pos += 1;
        self.nested(|parser| {
            let script = parser.script()?;
            if !parser.eat(")") {
                return parser.unexpected();
            }
            Ok(script)
        })
    }

    fn double_parenthesis(&mut self) -> Result<Body, Refusal> {
        let start = self.pos;
        if let Some(text) = self.arithmetic_text() {
            return self.arithmetic(&text).map(Body::Arithmetic);
        }
        self.note("`((` that is not arithmetic");
        self.pos = start;
        self.parenthesised_group().map(Body::Subshell)
    }

    /// A script that must not be empty.
    fn some_script(&mut self) -> Result<Script, Refusal> {
        let script = self.script()?;
        if script.items.is_empty() {
            return self.unexpected();
        }
        Ok(script)
    }

    fn group(&mut self) -> Result<Body, Refusal> {
        let script = self.some_script()?;
        self.reserved("}")?;
        Ok(Body::Group(script))
    }

    fn branch(&mut self) -> Result<Body, Refusal> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let test = self.some_script()?;
            self.reserved("then")?;
            arms.push((test, self.some_script()?));
            if self.at_reserved("elif") {
                self.reserved("elif")?;
                continue;
            }
            if self.at_reserved("else") {
                self.reserved("else")?;
                otherwise = Some(self.some_script()?);
            }
            self.reserved("fi")?;
            return Ok(Body::If { arms, otherwise });
        }
    }

    fn for_loop(&mut self) -> Result<Body, Refusal> {
        self.skip_blanks();
        if self.looking_at("((") {
            let Some(text) = self.arithmetic_text() else {
                return self.unexpected();
            };
            // `;` is no operator of arithmetic over numbers, so this is always noted.
            let head = self.arithmetic(&text)?;
            self.skip_blanks();
            self.eat(";");
            let body = self.loop_body()?;
            return Ok(Body::ArithmeticFor { head, body });
        }
        let name = match self.word()? {
            Some(word) if is_name(&word.raw) => word.raw,
            _ => return self.unexpected(),
        };
        self.skip_lines()?;
        let words = if self.at_reserved("in") {
            self.reserved("in")?;
            let mut words = Vec::new();
            while let Some(word) = self.word()? {
                words.push(word);
            }
            Some(words)
        } else {
            None
        };
        self.skip_blanks();
        self.eat(";");
        let body = self.loop_body()?;
        Ok(Body::For { name, words, body })
    }

    /// `do … done` or `{ … }`.
    fn loop_body(&mut self) -> Result<Script, Refusal> {
        self.skip_lines()?;
        if self.at_reserved("{") {
            return Err(Refusal::new("a loop with braces is not known"));
        }
        self.reserved("do")?;
        let body = self.some_script()?;
        self.reserved("done")?;
        Ok(body)
    }

    fn while_loop(&mut self) -> Result<Body, Refusal> {
        let test = self.some_script()?;
        let body = self.loop_body()?;
        Ok(Body::While { test, body })
    }

    fn case(&mut self) -> Result<Body, Refusal> {
        let Some(subject) = self.word()? else {
            return self.unexpected();
        };
        self.skip_lines()?;
        self.reserved("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_lines()?;
            if self.at_reserved("esac") {
                self.reserved("esac")?;
                return Ok(Body::Case { subject, arms });
            }
            let patterns = self.patterns()?;
            let script = self.script()?;
            arms.push((patterns, script));
            self.skip_lines()?;
            if !(self.eat(";;&") || self.eat(";;") || self.eat(";&")) && !self.at_reserved("esac") {
                return self.unexpected();
            }
        }
    }

    fn patterns(&mut self) -> Result<Vec<RawWord>, Refusal> {
        self.eat("(");
        let mut patterns = Vec::new();
        loop {
            match self.word()? {
                Some(word) => patterns.push(word),
                None => return self.unexpected(),
            }
            self.skip_blanks();
            if self.eat(")") {
                return Ok(patterns);
            }
            if !self.eat("|") {
                return self.unexpected();
            }
        }
    }

    /// After the word `function`.
    fn function(&mut self) -> Result<Body, Refusal> {
        let Some(word) = self.word()? else {
            return self.unexpected();
        };
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            if !self.eat(")") {
                return self.unexpected();
            }
        }
        self.function_body(word.raw)
    }

    /// After the name and the parentheses of a function.
    pub(super) fn function_body(&mut self, name: String) -> Result<Body, Refusal> {
        self.skip_lines()?;
        let stage = self.nested(Self::stage)?;
        if matches!(stage.body, Body::Simple { .. } | Body::Coprocess(_)) {
            return Err(Refusal::new("a function without a body"));
        }
        Ok(Body::Function {
            name,
            body: Box::new(stage),
        })
    }

    fn coprocess(&mut self) -> Result<Body, Refusal> {
        let start = self.pos;
        self.word()?;
        self.skip_blanks();
        let named = ["{", "if", "for", "while", "until", "case", "[[", "select"]
            .iter()
            .any(|opener| self.at_reserved(opener))
            || self.peek() == Some('(');
        if !named {
            self.pos = start;
        }
        let stage: Stage = self.stage()?;
        Ok(Body::Coprocess(Box::new(stage)))
    }
}
