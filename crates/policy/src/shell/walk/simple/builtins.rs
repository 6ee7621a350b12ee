//! Builtins that change what is known of the shell itself.

use super::super::{Place, Walker};
use crate::shell::analysis::{Value, Word};
use crate::shell::check::Finding;
use crate::shell::state::{Folders, State, unknown};
use crate::shell::variables;

/// `command -v` looks up and runs nothing.
pub(super) fn refine(program: &str, argv: &[Word], finding: &mut Finding) {
    let asks =
        argv.iter().skip(1).map_while(Word::literal).any(|text| {
            text.starts_with('-') && !text.starts_with("--") && text.contains(['v', 'V'])
        });
    let first_is_option = argv
        .get(1)
        .and_then(Word::literal)
        .is_some_and(|text| matches!(text, "-v" | "-V" | "-pv" | "-pV"));
    if program == "command" && asks && first_is_option {
        finding.nested.clear();
        finding.is_wrapper = false;
    }
}

impl Walker<'_> {
    pub(super) fn builtin(
        &mut self,
        program: &str,
        argv: &[Word],
        index: usize,
        state: &mut State,
        place: &Place,
    ) {
        let words = argv.get(1..).unwrap_or_default();
        match program {
            "eval" => {
                let words = match words.split_first() {
                    Some((first, rest)) if first.literal() == Some("--") => rest,
                    _ => words,
                };
                let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
                let text = Word {
                    raw: String::new(),
                    value: match texts {
                        Some(texts) => Value::Literal(texts.join(" ")),
                        None => unknown("a script"),
                    },
                };
                let flow = self.script_text(&text, index, state, &place.below(index, "eval"));
                state.folders = flow.either();
            }
            "source" | "." => {
                state.folders = Folders::Unknown;
                state.variables.clear();
                self.note_folder_change(state);
            }
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declaration(program, words, index, state);
            }
            "unset" | "read" | "mapfile" | "readarray" | "getopts" | "printf" => {
                for word in words {
                    match word.literal() {
                        Some(text) if text.contains('[') && program != "printf" => {
                            self.undecidable("the index of an array that is evaluated");
                            self.not_read_only(index, "it evaluates an index");
                        }
                        Some(text) => {
                            if program == "unset" {
                                state.functions.remove(text);
                            }
                            if state.variables.contains_key(text) {
                                state.forget(text);
                            }
                        }
                        None if program != "printf" => {
                            self.undecidable(format!("`{program}` of a name only known later"));
                            state.variables.clear();
                        }
                        None => {}
                    }
                }
                state.variables.remove("REPLY");
            }
            "set" => self.set(words, index, state),
            "let" => self.undecidable("arithmetic over something that is not a number"),
            "shopt" | "alias" | "enable" | "hash" | "complete" | "bind"
                if !words.is_empty()
                    && !words
                        .iter()
                        .all(|w| matches!(w.literal(), Some("-p" | "-q" | "-l" | "-t"))) =>
            {
                if matches!(program, "shopt" | "alias") {
                    self.undecidable(format!("`{program}` changes how the rest is read"));
                }
                self.not_read_only(index, format!("`{program}` changes the shell"));
            }
            "trap" => {
                if let Some(text) = words.iter().find(|word| word.literal() != Some("--"))
                    && text.literal().is_none_or(|text| !text.starts_with('-'))
                {
                    let text = text.clone();
                    let mut later = state.subshell();
                    later.folders = Folders::Unknown;
                    later.variables.clear();
                    self.script_text(&text, index, &mut later, &place.below(index, "trap"));
                }
            }
            "shift" => state.positional = None,
            _ => {}
        }
    }

    fn set(&mut self, words: &[Word], index: usize, state: &mut State) {
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let text = word.literal().unwrap_or("");
            let letters = text.strip_prefix(['-', '+']).unwrap_or("");
            let is_plain = !letters.is_empty() && letters.chars().all(|c| "euxvo".contains(c));
            if !is_plain {
                state.positional = None;
                self.not_read_only(index, "`set` changes the shell");
                if letters.contains(['f', 'k', 'P', 'a', 'B', 'H']) || word.literal().is_none() {
                    self.undecidable("`set` changes how the rest is read");
                }
            }
            if letters.contains('o') {
                let name = words.next().and_then(Word::literal).unwrap_or("");
                if !matches!(
                    name,
                    "pipefail" | "errexit" | "nounset" | "xtrace" | "verbose"
                ) {
                    self.undecidable("`set -o` changes how the rest is read");
                }
            }
        }
    }

    /// `export NAME=value` and its like.
    fn declaration(&mut self, program: &str, words: &[Word], index: usize, state: &mut State) {
        let prints = words.first().and_then(Word::literal) == Some("-p");
        for word in words {
            if prints && word.literal().is_some_and(crate::shell::syntax::is_name) {
                continue;
            }
            let Some(text) = word.literal() else {
                let is_name_sure = match &word.value {
                    Value::Unknown(unknown) => unknown.prefix.contains('=') && !unknown.may_split,
                    Value::Literal(_) => true,
                };
                if !is_name_sure {
                    self.undecidable(format!("`{program}` of a name only known later"));
                }
                if let Value::Unknown(unknown) = &word.value
                    && let Some((name, _)) = unknown.prefix.split_once('=')
                {
                    let name = name.to_owned();
                    state.forget(&name);
                    self.declared(program, &name, None, index);
                } else {
                    self.not_read_only(index, "it may declare any variable");
                    state.variables.clear();
                }
                continue;
            };
            if let Some(letters) = text.strip_prefix(['-', '+']) {
                if letters.contains(['i', 'n', 'c', 'l', 'u']) {
                    self.undecidable(format!("`{program} {text}` changes what a value means"));
                }
                if !letters.chars().all(|c| "pxgfF".contains(c)) {
                    self.not_read_only(index, format!("`{program} {text}` changes the shell"));
                }
                continue;
            }
            match text.split_once('=') {
                Some((name, value)) => {
                    let is_plain = crate::shell::syntax::is_name(name);
                    if !is_plain {
                        self.undecidable("the index of an array that is evaluated");
                        state.variables.clear();
                    }
                    state.set(name, Value::Literal(value.to_owned()));
                    if program == "local" {
                        // Outside of a function it fails, and the old value stays.
                        state.forget(name);
                    }
                    self.declared(program, name, Some(value), index);
                }
                None => {
                    if text.contains('[') {
                        self.undecidable("the index of an array that is evaluated");
                    }
                    self.declared(program, text, None, index);
                }
            }
        }
    }

    fn declared(&mut self, program: &str, name: &str, value: Option<&str>, index: usize) {
        let is_kept_here = matches!(program, "local" | "declare" | "typeset");
        let is_harmless =
            variables::is_inert(name, value) || (is_kept_here && variables::is_free(name));
        if !is_harmless {
            self.not_read_only(index, format!("`{name}` may mean something to a program"));
        }
    }
}
