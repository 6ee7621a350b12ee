//! Classifies one argument list: whether it can only look, and what it touches.

use std::borrow::Cow;

use super::analysis::{PathUse, Risk, Unknown, Value, Word};
use super::facts::ShellFacts;
use super::options::{Given, Split, split};
use super::state::{State, undecided};
use super::tables::{self, Entry};

mod awk;
mod find;
mod operands;
mod printf;
mod removal;
mod sed;
mod test;

#[cfg(test)]
mod tests;

/// A command inside a command.
#[derive(Debug)]
pub(super) enum Nested {
    /// An argument list, with assignments before it and words that are added behind it.
    Command {
        argv: Vec<Word>,
        via: Cow<'static, str>,
        in_other_folder: bool,
    },
    /// A text that a shell runs.
    Script {
        text: Word,
        via: Cow<'static, str>,
        arguments: Vec<Word>,
    },
}

/// What was found out about one argument list.
#[derive(Debug, Default)]
pub(super) struct Finding {
    /// Why it is not read-only, if it is not.
    pub(super) problem: Option<String>,
    pub(super) conditional: Option<String>,
    pub(super) reads: Vec<PathUse>,
    pub(super) writes: Vec<PathUse>,
    pub(super) risks: Vec<Risk>,
    pub(super) nested: Vec<Nested>,
    pub(super) hosts: Vec<String>,
    pub(super) critical: Option<String>,
    pub(super) undecidable: Vec<String>,
    pub(super) is_known: bool,
    pub(super) is_wrapper: bool,
}

impl Finding {
    pub(super) fn problem(&mut self, reason: impl Into<String>) {
        if self.problem.is_none() {
            self.problem = Some(reason.into());
        }
    }

    pub(super) fn risk(&mut self, option: &str, at: usize, why: &'static str) {
        self.problem(format!("`{option}` {why}"));
        self.risks.push(Risk {
            option: option.to_owned(),
            at,
            why: why.into(),
        });
    }
}

/// What a check may look at.
pub(super) struct Context<'c> {
    pub(super) state: &'c State,
    pub(super) facts: &'c dyn ShellFacts,
}

/// Classifies a command by the tables.
pub(super) fn check(program: &str, argv: &[Word], context: &Context<'_>) -> Finding {
    let mut finding = Finding::default();
    match tables::entry(program) {
        Some(entry) => {
            finding.is_known = true;
            by_entry(program, entry, argv, 0, context, &mut finding);
        }
        None => {
            finding.problem(format!("`{program}` is not in the tables"));
            any_argument(argv, context, &mut finding);
        }
    }
    removal::check(program, argv, context, &mut finding);
    finding
}

/// Of a program that is not known, every argument may be a path, read or written.
fn any_argument(argv: &[Word], context: &Context<'_>, finding: &mut Finding) {
    for word in argv.iter().skip(1) {
        match &word.value {
            Value::Literal(text) => {
                let path = match text.split_once('=') {
                    Some((_, value)) => value,
                    None => text.as_str(),
                };
                if !path.is_empty() && !path.starts_with('-') {
                    finding
                        .reads
                        .extend(context.state.literal_paths(&word.raw, path, true));
                }
            }
            Value::Unknown(_) => {
                finding
                    .reads
                    .extend(context.state.paths(word, true, context.facts))
            }
        }
    }
}

fn by_entry(
    name: &str,
    entry: &Entry,
    argv: &[Word],
    base: usize,
    context: &Context<'_>,
    finding: &mut Finding,
) {
    if let [_, word] = argv
        && word
            .literal()
            .is_some_and(|text| entry.only.iter().any(|o| o == text))
    {
        return;
    }
    if let Some(why) = &entry.never {
        finding.problem(format!("`{name}` {why}"));
    }
    finding.is_known &= entry.checker.as_deref() != Some("unknown");
    match entry.checker.as_deref() {
        Some("find") => return find::check(argv, context, finding),
        Some("test") => return test::check(argv, context, finding),
        Some("printf") => return printf::check(argv, finding),
        Some("tar") => return operands::tar(argv, context, finding),
        Some("dd") => return operands::dd(argv, context, finding),
        Some("unknown") => return any_argument(argv, context, finding),
        _ => {}
    }
    let found = split(entry, argv, base);
    finding.risks.extend(found.risks.iter().cloned());
    if found.ended && found.problem.is_none() {
        if let Some(why) = &entry.conditional {
            finding.conditional = Some(why.clone());
            finding.problem(why.clone());
        }
        return;
    }
    if let Some(problem) = &found.problem {
        finding.problem(problem.clone());
    }
    if entry.sub.is_empty() {
        conditional(entry, finding);
    } else {
        return subcommand(name, entry, argv, base, &found, context, finding);
    }
    let is_replaced = found
        .options
        .iter()
        .any(|given| entry.replaced_by.contains(&given.name));
    for Given { name, value } in &found.options {
        if let (Some(kind), Some(value)) = (entry.kinds.get(name), value) {
            operands::one(kind, value, 0, context, finding);
        }
    }
    let is_given = |name: &String| found.options.iter().any(|given| given.name == *name);
    if !entry.needs.is_empty() && !entry.needs.iter().any(is_given) {
        finding.problem(format!(
            "`{name}` writes without `-{}`",
            entry.needs.join("`, `-")
        ));
    }
    for value in &found.values {
        operands::one("read", value, 0, context, finding);
    }
    if let Some(option) = elsewhere(entry, &found) {
        finding.reads.push(undecided(&option, true));
    }
    let before = finding.reads.len();
    operands::all(entry, &found.operands, is_replaced, context, finding);
    if found
        .options
        .iter()
        .any(|given| entry.writes_with.contains(&given.name))
    {
        let changed = finding.reads.get(before..).unwrap_or_default().to_vec();
        finding.writes.extend(changed);
    }
    if entry.appends {
        replace(&found.options, finding);
    }
}

/// The option with which the program reads what no argument names, if one is given.
fn elsewhere(entry: &Entry, found: &Split) -> Option<String> {
    // What a program takes as an abbreviation counts as the option.
    let is = |known: &String, given: &str| {
        known == given || (known.len() > 1 && given.len() > 1 && known.starts_with(given))
    };
    let mut given = found.options.iter().map(|given| given.name.as_str());
    let option = given.find(|given| entry.elsewhere.iter().any(|known| is(known, given)));
    let dashes = |name: &str| if name.len() == 1 { "-" } else { "--" };
    let named = option.map(|name| format!("{}{name}", dashes(name)));
    named.or_else(|| found.elsewhere.clone())
}

/// `xargs -I{}`: words are put in the place of a mark instead of behind the rest.
fn replace(options: &[Given], finding: &mut Finding) {
    let mark = options
        .iter()
        .find(|given| matches!(given.name.as_str(), "I" | "i" | "replace" | "J"));
    let (Some(mark), Some(Nested::Command { argv, .. })) = (mark, finding.nested.last_mut()) else {
        return;
    };
    let mark = mark.value.as_ref().and_then(Word::literal).unwrap_or("{}");
    for word in argv {
        if let Some(text) = word.literal()
            && text.contains(mark)
        {
            word.value = Value::Unknown(Unknown {
                why: "a word that is read from the input".into(),
                prefix: text.split(mark).next().unwrap_or("").to_owned(),
                may_split: false,
                glob: None,
                is_pattern: false,
            });
        }
    }
}

fn conditional(entry: &Entry, finding: &mut Finding) {
    if let Some(why) = &entry.conditional {
        if finding.problem.is_none() {
            finding.conditional = Some(why.clone());
        }
        finding.problem(why.clone());
    }
}

/// Goes on with the table of the subcommand that the first operand names.
fn subcommand(
    name: &str,
    entry: &Entry,
    argv: &[Word],
    base: usize,
    found: &Split,
    context: &Context<'_>,
    finding: &mut Finding,
) {
    let Some((place, word)) = found.operands.first() else {
        match entry.sub.get("") {
            Some(alone) => by_entry(name, alone, &[], base, context, finding),
            None => finding.problem(format!("`{name}` without a subcommand")),
        }
        return;
    };
    let at = place - base;
    let rest = argv.get(at..).unwrap_or_default();
    let sub = word.literal().and_then(|text| entry.sub.get(text));
    match sub {
        Some(sub) => {
            let name = format!("{name} {}", word.raw);
            by_entry(&name, sub, rest, *place, context, finding);
        }
        None => {
            finding.problem(format!("`{name} {}` is not in the tables", word.raw));
            if let Some(other) = entry.sub.get("*") {
                let other = split(other, rest, *place);
                finding.risks.extend(other.risks);
            }
            any_argument(rest, context, finding);
        }
    }
}
