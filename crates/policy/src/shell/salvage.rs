//! Words of a text that could not be parsed, so that a deny rule still sees them.
//!
//! The text is cut at everything that could separate commands, quoted or not, and quotes and
//! backslashes are dropped. That finds more commands than there are. It only ever adds a reason
//! to ask or deny.

use super::analysis::{Kind, Value, Word};
use super::state::State;
use super::walk::{Place, Walker};

/// How many arguments are kept of a program that may be one.
const MAX_ARGUMENTS: usize = 8;
/// How many commands are salvaged.
const MAX_SALVAGED: usize = 20_000;

impl Walker<'_> {
    /// Notes the words of a text as commands of the kind [`Kind::Salvaged`].
    pub(super) fn salvage(&mut self, text: &str, place: &Place, state: &State) {
        let pieces = text.split([
            '\n', ';', '&', '|', '(', ')', '{', '}', '`', '<', '>', '\'', '"', ',',
        ]);
        for piece in pieces.take(MAX_SALVAGED) {
            let words: Vec<Word> = piece
                .split_whitespace()
                .map(|raw| Word {
                    raw: raw.to_owned(),
                    value: Value::Literal(raw.replace('\\', "")),
                })
                .collect();
            let mut words = words.as_slice();
            // Every reserved word or assignment could stand before the program.
            while let Some((first, rest)) = words.split_first()
                && let Some(text) = first.literal()
                && (is_prefix(text) || text.contains('='))
            {
                words = rest;
            }
            self.salvaged(words, place, state);
        }
    }

    /// Notes that any of these words may be a program with those after it as arguments.
    pub(super) fn salvage_words(&mut self, words: &[Word], place: &Place, state: &State) {
        for at in 0..words.len().min(MAX_SALVAGED) {
            let end = words.len().min(at + MAX_ARGUMENTS);
            self.salvaged(words.get(at..end).unwrap_or_default(), place, state);
        }
    }

    fn salvaged(&mut self, words: &[Word], place: &Place, state: &State) {
        let Some(name) = words.first().and_then(Word::literal) else {
            return;
        };
        let program = name.rsplit('/').next().unwrap_or(name).to_owned();
        let index = self.push(Kind::Salvaged, place, state);
        self.not_read_only(index, "it stands in text that is not understood");
        if let Some(command) = self.command(index) {
            command.raw = words.iter().map(|word| word.raw.clone()).collect();
            command.argv = words.to_vec();
            command.program = Some(program);
            command.is_known = false;
            command.is_path_qualified = name.contains('/');
        }
    }
}

fn is_prefix(word: &str) -> bool {
    matches!(
        word,
        "!" | "if" | "then" | "elif" | "else" | "while" | "until" | "do" | "time" | "coproc" | "in"
            | "[[" | "]]" | "$"
    )
}
