//! `[[ … ]]`: what it tests, and whether testing it could run something.

use super::{Place, Walker};
use crate::shell::analysis::{Kind, Word};
use crate::shell::expand::Expansion;
use crate::shell::state::{Flow, State};
use crate::shell::syntax::CondToken;

/// Tests of a file by its name.
const FILE_TESTS: &str = "abcdefghkprsuwxGLNOS";
const ARITHMETIC: [&str; 6] = ["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
const BINARY: [&str; 7] = ["=", "==", "!=", "=~", "-nt", "-ot", "-ef"];

enum Token {
    Word(Word),
    Operator(&'static str),
}

impl Walker<'_> {
    pub(super) fn condition(
        &mut self,
        tokens: &[CondToken],
        state: &mut State,
        place: &Place,
    ) -> Flow {
        let index = self.push(Kind::Condition, place, state);
        let mut expansion = Expansion::new(state);
        let tokens: Vec<Token> = tokens
            .iter()
            .map(|token| match token {
                CondToken::Operator(operator) => Token::Operator(operator),
                CondToken::Word(word) => Token::Word(expansion.single(&word.raw, &word.parts)),
            })
            .collect();
        let Expansion {
            scripts, assigned, ..
        } = expansion;
        self.scripts(scripts, &assigned, index, state, place);
        if let Some(command) = self.command(index) {
            "a condition over words".clone_into(&mut command.reason);
        }
        let mut rest = tokens.as_slice();
        while !rest.is_empty() {
            rest = self.term(rest, index, state);
        }
        Flow::same(&state.folders)
    }

    /// Checks the first test of a condition and returns what follows it.
    fn term<'t>(&mut self, tokens: &'t [Token], index: usize, state: &State) -> &'t [Token] {
        match tokens {
            [Token::Operator("&&" | "||" | "!" | "(" | ")"), rest @ ..] => rest,
            [
                Token::Word(_),
                Token::Operator("<" | ">"),
                Token::Word(_),
                rest @ ..,
            ] => rest,
            [
                Token::Word(left),
                Token::Word(operator),
                Token::Word(right),
                rest @ ..,
            ] if BINARY.contains(&operator.raw.as_str()) => {
                if matches!(operator.raw.as_str(), "-nt" | "-ot" | "-ef") {
                    self.file_test(left, index, state);
                    self.file_test(right, index, state);
                }
                rest
            }
            [
                Token::Word(left),
                Token::Word(operator),
                Token::Word(right),
                rest @ ..,
            ] if ARITHMETIC.contains(&operator.raw.as_str()) => {
                if !is_number(left) || !is_number(right) {
                    self.undecidable("a comparison of numbers over something that is no number");
                }
                rest
            }
            [Token::Word(operator), Token::Word(operand), rest @ ..]
                if operator.raw.len() == 2 && operator.raw.starts_with('-') =>
            {
                let letter = operator.raw.trim_start_matches('-');
                match letter {
                    "z" | "n" | "o" => {}
                    "t" if is_number(operand) => {}
                    _ if !letter.is_empty() && FILE_TESTS.contains(letter) => {
                        self.file_test(operand, index, state);
                    }
                    _ => self.undecidable(format!(
                        "`[[ {} … ]]` may evaluate what it tests",
                        operator.raw
                    )),
                }
                rest
            }
            [Token::Word(_), rest @ ..]
                if matches!(rest.first(), None | Some(Token::Operator(_))) =>
            {
                rest
            }
            _ => {
                self.undecidable("a condition that is not understood");
                &[]
            }
        }
    }

    fn file_test(&mut self, word: &Word, index: usize, state: &State) {
        let paths = state.paths(word, false, self.facts);
        if let Some(command) = self.command(index) {
            command.reads.extend(paths);
        }
    }
}

fn is_number(word: &Word) -> bool {
    word.literal().is_some_and(|text| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    })
}
