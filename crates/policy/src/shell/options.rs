//! Splits an argument list into options and operands, by the table of a program.

use super::analysis::{Risk, Value, Word};
use super::tables::Entry;

/// An option with the value it was given.
#[derive(Debug)]
pub(super) struct Given {
    /// Without dashes.
    pub(super) name: String,
    pub(super) value: Option<Word>,
}

/// What an argument list is made of.
#[derive(Debug, Default)]
pub(super) struct Split {
    pub(super) options: Vec<Given>,
    /// The operands, each with its place in the list.
    pub(super) operands: Vec<(usize, Word)>,
    /// Values of options that the table does not know.
    pub(super) values: Vec<Word>,
    pub(super) risks: Vec<Risk>,
    /// Why it is not read-only, if an option says so.
    pub(super) problem: Option<String>,
    /// The word that may be an option with which it reads what no argument names.
    pub(super) elsewhere: Option<String>,
    /// An option that makes the program print something and end came first.
    pub(super) ended: bool,
}

struct Splitter<'e> {
    entry: &'e Entry,
    out: Split,
}

/// Splits the arguments, of which the first is the program or subcommand at place `base`.
pub(super) fn split(entry: &Entry, argv: &[Word], base: usize) -> Split {
    let mut splitter = Splitter {
        entry,
        out: Split::default(),
    };
    let mut only_operands = false;
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        let place = base + at;
        let (next, after) = (argv.get(at + 1), argv.get(at + 2));
        at += 1;
        match &word.value {
            _ if only_operands => splitter.out.operands.push((place, word.clone())),
            Value::Literal(text) if text == "--" => only_operands = true,
            Value::Literal(text) if text.len() > 1 && text.starts_with('-') => {
                at += splitter.option(text, place, word, (next, after));
            }
            Value::Literal(_) => {
                only_operands = entry.options_first;
                splitter.out.operands.push((place, word.clone()));
            }
            Value::Unknown(unknown) => {
                // A pattern's matches all begin as it does.
                let is_several = unknown.may_split && unknown.glob.is_none();
                let is_option = unknown.prefix.is_empty() || unknown.prefix.starts_with('-');
                if is_option || is_several {
                    splitter.unknown_word(place, word);
                }
                only_operands = entry.options_first;
                splitter.out.operands.push((place, word.clone()));
            }
        }
    }
    splitter.out
}

impl Splitter<'_> {
    fn problem(&mut self, reason: String) {
        self.out.problem.get_or_insert(reason);
    }

    fn unknown_word(&mut self, at: usize, word: &Word) {
        let is_pattern = matches!(&word.value, Value::Unknown(unknown) if unknown.glob.is_some());
        if !self.entry.elsewhere.is_empty() && !is_pattern {
            self.out.elsewhere = Some(word.raw.clone());
        }
        if self.entry.any_options {
            return;
        }
        self.problem(format!("`{}` may become an option", word.raw));
        if !self.entry.risks.is_empty() {
            self.out.risks.push(Risk {
                option: word.raw.clone(),
                at,
                why: "it may become an option that runs a program or writes a file".into(),
            });
        }
    }

    fn risk(&mut self, name: &str, at: usize, why: &str) {
        let dashes = if name.chars().count() == 1 || self.entry.single_dash {
            "-"
        } else {
            "--"
        };
        self.problem(format!("`{dashes}{name}` {why}"));
        self.out.risks.push(Risk {
            option: format!("{dashes}{name}"),
            at,
            why: why.to_owned().into(),
        });
    }

    /// Reads the option that begins with this word; answers how many further words it takes.
    fn option(
        &mut self,
        text: &str,
        at: usize,
        word: &Word,
        (next, after): (Option<&Word>, Option<&Word>),
    ) -> usize {
        if let Some(long) = text.strip_prefix("--") {
            return self.long(long, at, word, (next, after));
        }
        let short = text.trim_start_matches('-');
        if self.entry.single_dash {
            return self.long(short, at, word, (next, after));
        }
        if self.entry.numeric && short.chars().all(|c| c.is_ascii_digit()) {
            return 0;
        }
        let mut letters = short.chars();
        while let Some(letter) = letters.next() {
            let name = letter.to_string();
            let rest = letters.as_str();
            if let Some(why) = self.entry.risks.get(&name) {
                let why = why.clone();
                self.risk(&name, at, &why);
            }
            if self.entry.ends.contains(&name) {
                self.out.ended = true;
            }
            if self.entry.values.contains(letter) {
                return self.valued(name, rest, word, next);
            }
            if self.entry.optional.contains(letter) {
                let value = (!rest.is_empty()).then(|| literal(word, rest));
                self.out.options.push(Given { name, value });
                return 0;
            }
            if !self.entry.flags.contains(letter)
                && !self.entry.any_options
                && !self.entry.ends.contains(&name)
            {
                self.problem(format!("option `-{letter}` is not known to be harmless"));
            }
            self.out.options.push(Given { name, value: None });
        }
        0
    }

    fn valued(&mut self, name: String, rest: &str, word: &Word, next: Option<&Word>) -> usize {
        if self.entry.detached && !rest.is_empty() {
            self.problem(format!("`-{name}{rest}` may mean several options"));
        }
        let (value, taken) = if rest.is_empty() {
            (next.cloned(), 1)
        } else {
            (Some(literal(word, rest)), 0)
        };
        match &value {
            None => self.problem(format!("option `{name}` lacks its value")),
            Some(value) => self.check_value(value),
        }
        self.out.options.push(Given { name, value });
        taken
    }

    /// A value that may become several words makes the rest of them anything.
    fn check_value(&mut self, value: &Word) {
        if let Value::Unknown(unknown) = &value.value
            && unknown.may_split
            && !self.entry.any_options
        {
            self.problem(format!("`{}` may become several words", value.raw));
        }
    }

    fn long(
        &mut self,
        text: &str,
        at: usize,
        word: &Word,
        (next, after): (Option<&Word>, Option<&Word>),
    ) -> usize {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let is = |list: &[String]| list.iter().any(|known| known == name);
        let known_risk = self.entry.risks.get_key_value(name).or_else(|| {
            // What a program takes as an abbreviation counts as the option.
            self.entry
                .risks
                .iter()
                .find(|(risk, _)| risk.len() > 1 && !name.is_empty() && risk.starts_with(name))
                .filter(|_| !is(&self.entry.long) && !is(&self.entry.long_values))
        });
        if let Some((risk, why)) = known_risk {
            let (risk, why) = (risk.clone(), why.clone());
            self.risk(&risk, at, &why);
        }
        if is(&self.entry.ends) {
            self.out.ended = true;
            return 0;
        }
        if value.is_none() && is(&self.entry.long_pairs) {
            // The first is a name; a value that may be several words shifts the rest.
            if let Some(value) = next {
                self.check_value(value);
            }
            if let Some(value) = after {
                self.check_value(value);
            }
            self.out.options.push(Given {
                name: name.to_owned(),
                value: after.cloned(),
            });
            return 2;
        }
        if is(&self.entry.long_values) {
            return match value {
                Some(value) => {
                    let value = literal(word, value);
                    self.out.options.push(Given {
                        name: name.to_owned(),
                        value: Some(value),
                    });
                    0
                }
                None => self.valued(name.to_owned(), "", word, next),
            };
        }
        if is(&self.entry.long_optional) || (value.is_none() && is(&self.entry.long)) {
            self.out.options.push(Given {
                name: name.to_owned(),
                value: value.map(|value| literal(word, value)),
            });
            return 0;
        }
        if !self.entry.any_options {
            self.problem(format!("option `--{name}` is not known to be harmless"));
        }
        if let Some(value) = value {
            // It may be a file.
            self.out.values.push(literal(word, value));
        }
        self.out.options.push(Given {
            name: name.to_owned(),
            value: value.map(|value| literal(word, value)),
        });
        0
    }
}

/// Part of a word as a word.
fn literal(word: &Word, text: &str) -> Word {
    Word {
        raw: word.raw.clone(),
        value: Value::Literal(text.to_owned()),
    }
}
