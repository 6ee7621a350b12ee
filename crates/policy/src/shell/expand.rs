//! Words after expansion: what a program will be given, as far as that can be known.

use std::rc::Rc;

use super::analysis::{Unknown, Value, Word};
use super::brace;
use super::state::{Folders, PROCESS, State, unknown};
use super::syntax::{Parameter, Part, PartKind, RawWord, Script};

#[cfg(test)]
mod tests;

/// Expands words and remembers the scripts inside them.
pub(super) struct Expansion<'s> {
    state: &'s State,
    /// Scripts of substitutions, with what they are.
    pub(super) scripts: Vec<(Rc<Script>, &'static str)>,
    /// Variables that `${name:=…}` sets.
    pub(super) assigned: Vec<String>,
}

/// A word that is being put together.
#[derive(Default)]
struct Field {
    text: String,
    pattern: String,
    /// What makes it unknown, and how much of the text came before.
    unknown: Option<&'static str>,
    may_split: bool,
    is_glob: bool,
    /// Whether a pattern stands behind what is unknown.
    is_late_glob: bool,
    /// Whether an unquoted `[` came.
    has_bracket: bool,
    /// The pattern of the unknown value that is all of the word.
    glob: Option<String>,
    /// Whether anything, even an empty quote, is in it.
    is_word: bool,
}

impl Field {
    fn push(&mut self, text: &str, quoted: bool) {
        if self.unknown.is_some() {
            self.glob = None;
            self.is_late_glob |= !quoted && text.contains(['*', '?']);
            return;
        }
        self.text.push_str(text);
        for c in text.chars() {
            // A bracket is one only when it is closed.
            self.is_glob |= c == ']' && self.has_bracket;
            if matches!(c, '*' | '?' | '[') {
                if !quoted {
                    self.has_bracket |= c == '[';
                    self.is_glob |= c != '[';
                    self.pattern.push(c);
                    continue;
                }
                self.pattern.push('\\');
            } else if quoted && matches!(c, ']' | '\\' | '!' | '-' | '^') {
                self.pattern.push('\\');
            }
            self.pattern.push(c);
        }
    }

    fn push_unknown(&mut self, value: &Unknown, why: &'static str, quoted: bool) {
        if self.unknown.is_none() {
            let is_alone = self.text.is_empty() && !self.is_glob;
            self.glob = value.glob.clone().filter(|_| is_alone && quoted);
            if !self.is_glob {
                self.text.push_str(&value.prefix);
            }
            self.unknown = Some(why);
        } else {
            self.glob = None;
        }
        self.may_split |= !quoted;
        self.is_word = true;
    }

    fn finish(self, raw: &str) -> Option<Word> {
        if !self.is_word {
            return None;
        }
        let value = if self.unknown.is_none() && !self.is_glob {
            Value::Literal(self.text)
        } else if let (None, true) = (self.unknown, self.is_glob) {
            Value::Unknown(Unknown {
                why: "a pattern of file names".into(),
                prefix: before_glob(&self.text),
                may_split: true,
                glob: Some(self.pattern),
                is_pattern: true,
            })
        } else {
            Value::Unknown(Unknown {
                why: self.unknown.unwrap_or("it is only known later").into(),
                prefix: if self.is_glob {
                    before_glob(&self.text)
                } else {
                    self.text
                },
                may_split: self.may_split || self.is_glob,
                glob: self.glob,
                is_pattern: self.is_glob || self.is_late_glob,
            })
        };
        Some(Word {
            raw: raw.to_owned(),
            value,
        })
    }
}

/// Whether a `$` that begins nothing stands in one word with an unquoted variable.
fn has_lone_dollar(parts: &[Part]) -> bool {
    let is_dollar = |part: &Part| match &part.kind {
        PartKind::Text(text) => !part.quoted && text.contains('$'),
        _ => false,
    };
    let is_variable = |part: &Part| !part.quoted && matches!(part.kind, PartKind::Parameter(_));
    parts.iter().any(is_dollar) && parts.iter().any(is_variable)
}

/// The text before the first character that a pattern could begin with; quoted ones count too,
/// which only makes the prefix shorter.
fn before_glob(text: &str) -> String {
    text.chars()
        .take_while(|c| !matches!(c, '*' | '?' | '['))
        .collect()
}

impl<'s> Expansion<'s> {
    pub(super) fn new(state: &'s State) -> Self {
        Self {
            state,
            scripts: Vec::new(),
            assigned: Vec::new(),
        }
    }

    /// The words of a command.
    pub(super) fn words(&mut self, words: &[RawWord]) -> Vec<Word> {
        words.iter().flat_map(|word| self.word(word)).collect()
    }

    /// The words that one word becomes.
    pub(super) fn word(&mut self, word: &RawWord) -> Vec<Word> {
        let Some(branches) = brace::expand(&word.parts) else {
            self.collect(&word.parts);
            return vec![Word {
                raw: word.raw.clone(),
                value: unknown("braces that are only expanded later"),
            }];
        };
        if has_lone_dollar(&word.parts) {
            // bash then leaves the values of variables whole, but not always.
            self.collect(&word.parts);
            return vec![Word {
                raw: word.raw.clone(),
                value: unknown("a lone `$` beside a variable"),
            }];
        }
        let mut words = Vec::new();
        for parts in &branches {
            let mut fields = vec![Field::default()];
            self.tilde_and_parts(parts, &mut fields);
            words.extend(fields.into_iter().filter_map(|f| f.finish(&word.raw)));
        }
        if branches.len() > 1 {
            // Each substitution stands in the text once.
            self.scripts.dedup_by(|a, b| Rc::ptr_eq(&a.0, &b.0));
        }
        words
    }

    /// A word that is neither split nor matched against files: the value of an assignment, the
    /// target of a redirection, the subject of `case`.
    pub(super) fn single(&mut self, raw: &str, parts: &[Part]) -> Word {
        let mut fields = vec![Field {
            is_word: true,
            ..Field::default()
        }];
        let quoted: Vec<Part> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| Part {
                // The tilde at the beginning still counts.
                quoted: part.quoted || at > 0 || !matches!(part.kind, PartKind::Text(_)),
                kind: part.kind.clone(),
            })
            .collect();
        self.tilde_and_parts(&quoted, &mut fields);
        let mut field = fields.pop().unwrap_or_default();
        field.is_glob = false;
        field.finish(raw).unwrap_or(Word {
            raw: raw.to_owned(),
            value: Value::Literal(String::new()),
        })
    }

    fn tilde_and_parts(&mut self, parts: &[Part], fields: &mut Vec<Field>) {
        let mut parts = parts;
        if let Some((
            Part {
                quoted: false,
                kind: PartKind::Text(text),
            },
            rest,
        )) = parts.split_first()
            && text.starts_with('~')
        {
            let (user, path) = match text.find('/') {
                Some(slash) => text.split_at(slash),
                None => (text.as_str(), ""),
            };
            let ends_here = !path.is_empty() || rest.is_empty();
            let home = self.state.variables.get("HOME").cloned();
            match (user, home) {
                ("~", Some(Value::Literal(home))) if ends_here => {
                    self.push(fields, &home, true);
                }
                _ if !ends_here => self.push(fields, user, false),
                _ => self.push_unknown(fields, "a folder that `~` names", true),
            }
            self.push(fields, path, false);
            parts = rest;
        }
        for part in parts {
            self.part(part, fields);
        }
    }

    fn push(&self, fields: &mut [Field], text: &str, quoted: bool) {
        if let Some(field) = fields.last_mut() {
            field.is_word |= quoted || !text.is_empty();
            field.push(text, quoted);
        }
    }

    fn push_unknown(&self, fields: &mut [Field], why: &'static str, quoted: bool) {
        let nothing = Unknown {
            why: why.into(),
            prefix: String::new(),
            may_split: !quoted,
            glob: None,
            is_pattern: false,
        };
        if let Some(field) = fields.last_mut() {
            field.push_unknown(&nothing, why, quoted);
        }
    }

    fn part(&mut self, part: &Part, fields: &mut Vec<Field>) {
        match &part.kind {
            PartKind::Text(text) => self.push(fields, text, part.quoted),
            PartKind::Substitution(script) => {
                self.scripts
                    .push((Rc::clone(script), "command substitution"));
                self.push_unknown(fields, "the output of a command", part.quoted);
            }
            PartKind::Process { script } => {
                self.scripts
                    .push((Rc::clone(script), "process substitution"));
                self.push(fields, "/dev/fd/", true);
                self.push_unknown(fields, PROCESS, true);
            }
            PartKind::Arithmetic(parts) => {
                self.collect(parts);
                self.push_unknown(fields, "the result of arithmetic", part.quoted);
            }
            PartKind::Parameter(parameter) => {
                self.collect(&parameter.operand);
                let value = self.parameter(parameter);
                // These are several words even in quotes.
                let is_list = parameter.name == "@" || parameter.has_index;
                self.value(&value, part.quoted && !is_list, fields);
            }
        }
    }

    fn value(&mut self, value: &Value, quoted: bool, fields: &mut Vec<Field>) {
        match value {
            Value::Literal(text) if quoted => self.push(fields, text, true),
            Value::Literal(text) if self.state.splits_at_blanks() => {
                let blank = |c| matches!(c, ' ' | '\t' | '\n');
                if text.starts_with(blank) && fields.last().is_some_and(|f| f.is_word) {
                    fields.push(Field::default());
                }
                let mut is_first = true;
                for piece in text.split(blank).filter(|piece| !piece.is_empty()) {
                    if !is_first {
                        fields.push(Field::default());
                    }
                    is_first = false;
                    self.push(fields, piece, false);
                }
                if !is_first && text.ends_with(blank) {
                    fields.push(Field::default());
                }
            }
            Value::Literal(_) => {
                self.push_unknown(fields, "it is split at changed separators", false);
            }
            Value::Unknown(unknown) => {
                if let Some(field) = fields.last_mut() {
                    field.push_unknown(unknown, "a variable", quoted);
                }
            }
        }
    }

    /// The value of a parameter.
    fn parameter(&mut self, parameter: &Parameter) -> Value {
        let plain = self.plain(&parameter.name, parameter.has_index);
        match parameter.operator.as_str() {
            "" => plain,
            ":=" | "=" => {
                self.assigned.push(parameter.name.clone());
                unknown("a variable")
            }
            _ => unknown("an expansion that is computed"),
        }
    }

    fn plain(&self, name: &str, has_index: bool) -> Value {
        if has_index {
            return unknown("an array");
        }
        if let Some(value) = self.state.variables.get(name) {
            return value.clone();
        }
        if name == "PWD"
            && let Folders::Known(folders) = &self.state.folders
            && let [folder] = folders.as_slice()
            && let Some(folder) = folder.to_str()
        {
            return Value::Literal(folder.to_owned());
        }
        let number: Option<usize> = name.parse().ok();
        if let (Some(number), Some(words)) = (number, &self.state.positional)
            && let Some(word) = words.get(number)
        {
            return word.value.clone();
        }
        unknown("a variable")
    }

    /// Remembers the scripts in parts whose value does not matter.
    pub(super) fn collect(&mut self, parts: &[Part]) {
        let mut fields = vec![Field::default()];
        for part in parts {
            self.part(part, &mut fields);
        }
    }
}
