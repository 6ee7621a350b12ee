//! Patterns of commands: `git commit:*`, `npm run *`, `npm test`.

use super::glob;

/// A pattern of the words of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    kind: Kind,
    /// The words as written, quotes included.
    raw: Vec<String>,
    /// The words without their quotes.
    words: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// These words and no more.
    Exact,
    /// These words first (`p:*`).
    Prefix,
    /// Text with `*`, which may be any text of the same command.
    Wild,
}

/// How sure a broad match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It does not match.
    No,
    /// It may: a word is not decidable.
    Maybe,
    /// It does.
    Yes,
}

/// The words of a command for a broad match: nothing stands for an undecidable word.
pub(crate) type Argv<'a> = [Option<&'a str>];

impl CommandPattern {
    /// Reads a pattern; nothing stands for every command.
    pub(crate) fn parse(text: &str) -> Result<Option<Self>, String> {
        let (head, is_prefix) = match text.strip_suffix(":*") {
            Some(head) => (head, true),
            None => (text, false),
        };
        if matches!(head.trim(), "" | "*") {
            return Ok(None);
        }
        if text.contains('\0') {
            return Err("a command has no NUL character; take it out".into());
        }
        let mut raw = split(head);
        let kind = if head.contains('*') {
            if is_prefix {
                raw.push("*".to_owned());
            }
            Kind::Wild
        } else if is_prefix {
            Kind::Prefix
        } else {
            Kind::Exact
        };
        let words = raw.iter().map(|word| unquoted(word)).collect();
        Ok(Some(Self { kind, raw, words }))
    }

    /// The program that it surely names, without the folder before it.
    pub(crate) fn program(&self) -> Option<&str> {
        self.words
            .first()
            .map(|word| basename(word))
            .filter(|word| !word.contains('*'))
    }

    /// The second word, where it surely is one that does not begin with `-`.
    pub(crate) fn second(&self) -> Option<&str> {
        self.program()?;
        let second = self.words.get(1)?;
        (!second.starts_with('-') && !second.contains('*')).then_some(second.as_str())
    }

    /// Whether it can be matched at all: what stands between separators is matched alone.
    pub(crate) fn separator(&self) -> Option<&str> {
        self.raw.iter().map(String::as_str).find(|word| {
            matches!(*word, "&&" | "||" | ";" | "|" | "&" | "|&") || word.ends_with(';')
        })
    }

    /// The words that it begins with, if it covers all that begins so.
    pub(crate) fn prefix_words(&self) -> Option<String> {
        (self.kind == Kind::Prefix).then(|| self.raw.join(" "))
    }

    /// The words of every prefix pattern that covers it.
    pub(crate) fn shorter_prefixes(&self) -> Vec<String> {
        let sure = self
            .raw
            .iter()
            .take_while(|word| !word.contains('*'))
            .count();
        let own = usize::from(self.kind != Kind::Prefix);
        (1..sure + own)
            .filter_map(|end| Some(self.raw.get(..end)?.join(" ")))
            .collect()
    }

    /// Commands that it is about.
    pub(crate) fn examples(&self) -> Vec<String> {
        let plain = self.raw.join(" ").replace('*', "x");
        match self.kind {
            Kind::Prefix => vec![format!("{plain} x"), plain],
            _ => vec![plain],
        }
    }

    /// The words that an allow rule spells after the program.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = &str> {
        self.words.iter().skip(1).map(String::as_str)
    }

    /// Whether it spells the word at this place of the command.
    pub(crate) fn spells_place(&self, place: usize) -> bool {
        self.raw
            .iter()
            .take_while(|word| !word.contains('*'))
            .nth(place)
            .is_some()
    }

    /// Whether it fits the words as they are typed, and nothing but them.
    pub(crate) fn matches_narrow(&self, raw: &[String]) -> bool {
        match self.kind {
            Kind::Exact => self.raw == raw,
            Kind::Prefix => raw.starts_with(&self.raw),
            Kind::Wild => self.fits_text(&self.raw, &raw.join(" ")),
        }
    }

    /// Whether it fits, or may fit, the words that the program gets.
    ///
    /// The program is compared without its folder, and options before a word that is looked for
    /// are passed over with their values.
    pub(crate) fn matches_broad(&self, argv: &Argv<'_>, folds_case: bool) -> Fit {
        let Some(first) = argv.first() else {
            return Fit::No;
        };
        let Some(program) = first else {
            return Fit::Maybe;
        };
        if self.kind == Kind::Wild {
            return self.wild_broad(program, argv, folds_case);
        }
        let same = |a: &str, b: &str| a == b || (folds_case && a.eq_ignore_ascii_case(b));
        let Some((head, rest)) = self.words.split_first() else {
            return Fit::No;
        };
        if !same(basename(head), basename(program)) {
            return Fit::No;
        }
        let tail = argv.get(1..).unwrap_or_default();
        if self.kind == Kind::Exact {
            return exact(rest, tail);
        }
        // Options count wherever they stand, and `-r -f` is `-rf`.
        let given = || tail.iter().flatten();
        let is_given = |word: &&String| {
            let is_same = |got: &&&str| {
                **got == word.as_str()
                    || got
                        .strip_prefix(word.as_str())
                        .is_some_and(|rest| rest.starts_with('='))
            };
            let in_bundles = short(word).is_some_and(|letters| {
                letters.chars().all(|letter| {
                    given()
                        .filter_map(|got| short(got))
                        .any(|bundle| bundle.contains(letter))
                })
            });
            word.starts_with('-') && (given().any(|got| is_same(&got)) || in_bundles)
        };
        let wanted: Vec<&str> = rest
            .iter()
            .filter(|word| !is_given(word))
            .map(String::as_str)
            .collect();
        in_order(&wanted, tail)
    }

    fn wild_broad(&self, program: &str, argv: &Argv<'_>, folds_case: bool) -> Fit {
        let fold = |text: &str| {
            if folds_case {
                text.to_ascii_lowercase()
            } else {
                text.to_owned()
            }
        };
        let words: Vec<&str> = argv.iter().skip(1).map_while(|word| *word).collect();
        let is_decided = words.len() + 1 == argv.len();
        let text = |program: &str| {
            let mut all = vec![program];
            all.extend(&words);
            fold(&all.join(" "))
        };
        let pattern: Vec<String> = self.words.iter().map(|word| fold(word)).collect();
        let fits = |program: &str| self.fits_text(&pattern, &text(program));
        if fits(basename(program)) || fits(program) {
            Fit::Yes
        } else if !is_decided && self.program().is_none_or(|own| own == basename(program)) {
            Fit::Maybe
        } else {
            Fit::No
        }
    }

    /// A star after a blank at the end also fits nothing.
    fn fits_text(&self, pattern: &[String], text: &str) -> bool {
        let whole = pattern.join(" ");
        glob::matches(&whole, text)
            || whole
                .strip_suffix(" *")
                .is_some_and(|head| glob::matches(head, text))
    }
}

/// The same words and no others; an undecidable one may be any number of words.
fn exact(words: &[String], argv: &Argv<'_>) -> Fit {
    let decided = argv.iter().take_while(|word| word.is_some()).count();
    let fits = |(word, got): (&String, &Option<&str>)| *got == Some(word.as_str());
    if !words.iter().zip(argv.iter().take(decided)).all(fits) {
        Fit::No
    } else if decided < argv.len() {
        Fit::Maybe
    } else if words.len() == argv.len() {
        Fit::Yes
    } else {
        Fit::No
    }
}

/// The words in order, with options and their values passed over between them.
fn in_order(words: &[&str], argv: &Argv<'_>) -> Fit {
    let Some((word, rest)) = words.split_first() else {
        return Fit::Yes;
    };
    let mut after_option = false;
    for (at, got) in argv.iter().enumerate() {
        let Some(got) = got else {
            return Fit::Maybe;
        };
        if is_same_word(word, got) {
            let fit = in_order(rest, argv.get(at + 1..).unwrap_or_default());
            if fit != Fit::No {
                return fit;
            }
        }
        let is_option = got.starts_with('-') || got.starts_with('+');
        if !is_option && !after_option {
            return Fit::No;
        }
        after_option = is_option;
    }
    Fit::No
}

/// A bundle of short options holds each of them, whatever their order.
fn is_same_word(word: &str, got: &str) -> bool {
    if word == got {
        return true;
    }
    let (Some(wanted), Some(bundle)) = (short(word), short(got)) else {
        return false;
    };
    wanted.chars().all(|letter| bundle.contains(letter))
}

fn short(word: &str) -> Option<&str> {
    word.strip_prefix('-')
        .filter(|letters| !letters.is_empty() && letters.chars().all(|c| c.is_ascii_alphanumeric()))
}

pub(crate) fn basename(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Words at blanks outside quotes, as they are written.
fn split(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut is_escaped = false;
    for c in text.chars() {
        let is_blank = quote.is_none() && !is_escaped && c.is_whitespace();
        if is_blank {
            if words.last().is_some_and(|word| !word.is_empty()) {
                words.push(String::new());
            }
            continue;
        }
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (None | Some('"'), '\\') => is_escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

pub(crate) fn unquoted(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut quote = None;
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => out.extend(chars.next()),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => out.push(c),
        }
    }
    out
}
