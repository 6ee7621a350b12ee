//! Which allow rule covers a command, and how much of it the rule spells.
//!
//! This is the narrow matcher: words as they are typed, and whatever runs a program or writes a
//! file must be spelled.

use super::Judge;
use crate::prepared::Use;
use crate::rule::{CommandPattern, Rule};
use crate::shell::{Command, Kind, Value};

/// Why a command is allowed, as far as command rules go.
#[derive(Clone, Copy)]
pub(super) enum Cover<'r> {
    /// No rule allows it.
    None,
    /// A rule allows every command.
    Every(&'r Rule),
    /// A rule spells its words, and perhaps those of what it runs.
    Words { rule: &'r Rule, spells_inner: bool },
}

/// Where one command stands in the line.
#[derive(Clone, Copy)]
pub(super) struct Part<'p> {
    pub(super) command: &'p Command,
    pub(super) uses: &'p [Use],
    pub(super) has_inner: bool,
}

impl<'r> Judge<'_, '_, 'r> {
    pub(super) fn cover(
        &self,
        part: Part<'_>,
        parent: Option<Cover<'r>>,
        every: Option<&'r Rule>,
    ) -> Cover<'r> {
        if let Some(rule) = every {
            return Cover::Every(rule);
        }
        let command = part.command;
        // What a substitution runs was not spelled by the rule for the command around it.
        let is_run_by_words = command
            .via
            .as_deref()
            .is_some_and(|via| !via.contains("substitution"));
        if let (
            Some(Cover::Words {
                rule,
                spells_inner: true,
            }),
            true,
        ) = (parent, is_run_by_words)
        {
            return Cover::Words {
                rule,
                spells_inner: true,
            };
        }
        if command.kind != Kind::Simple || !command.has_only_inert_assignments() {
            return Cover::None;
        }
        let fitting = self.on.rules.of_raw(&command.raw);
        let covering = fitting.filter(|(_, pattern)| covers(pattern, part));
        let best = covering
            .map(|(rule, pattern)| (spells_inner(pattern, part), rule))
            .max_by_key(|(spells, _)| *spells);
        match best {
            Some((spells_inner, rule)) => Cover::Words { rule, spells_inner },
            None => Cover::None,
        }
    }
}

/// Whether a pattern that fits the words also spells what is dangerous in them.
fn covers(pattern: &CommandPattern, part: Part<'_>) -> bool {
    let command = part.command;
    let spells = |option: &str| {
        pattern.spelled().any(|word| {
            word == option || (option.starts_with('-') && word.starts_with(&format!("{option}=")))
        })
    };
    let are_spelled = command
        .risks
        .iter()
        .all(|risk| spells(&risk.option) || pattern.spells_place(risk.at));
    // What it runs cannot be looked at, so it must be spelled in full.
    let is_blind = command.is_wrapper && !part.has_inner && !command.read_only;
    are_spelled
        && !may_hide_option(command)
        && (!is_blind || pattern.spells_place(command.raw.len().saturating_sub(1)))
}

/// Options that run a program whatever tool takes them, for tools that the tables do not know.
const RUNS_A_PROGRAM: [&str; 12] = [
    "--checkpoint-action",
    "--compress-program",
    "--exec",
    "--exec-batch",
    "--exec-path",
    "--pager",
    "--pre",
    "--rsh",
    "--rsh-command",
    "--to-command",
    "--upload-pack",
    "--use-compress-program",
];

/// Tools with options that run programs or write files, so that an open word may be one.
const WITH_RISKS: [&str; 16] = [
    "awk", "fd", "find", "gawk", "git", "less", "man", "mawk", "perl", "rg", "sed", "sort", "tar",
    "tree", "xargs", "xxd",
];

fn may_hide_option(command: &Command) -> bool {
    if !command
        .program
        .as_deref()
        .is_some_and(|program| WITH_RISKS.contains(&program))
    {
        return false;
    }
    let mut before: Option<&str> = None;
    for word in command.argv.iter().skip(1) {
        let literal = word.literal();
        match (&word.value, before) {
            (_, Some("--")) => return false,
            (Value::Unknown(unknown), before) => {
                let is_value =
                    before.is_some_and(|option| option.starts_with('-') && !option.contains('='));
                let may_be_option = unknown.prefix.is_empty() || unknown.prefix.starts_with('-');
                let is_safe = !may_be_option || (is_value && !unknown.may_split);
                if !is_safe {
                    return true;
                }
            }
            _ => {}
        }
        before = literal;
    }
    false
}

/// Whether the pattern spells the word with which the program names what it runs.
fn spells_inner(pattern: &CommandPattern, part: Part<'_>) -> bool {
    let command = part.command;
    if !part.has_inner {
        return false;
    }
    match command.risks.first() {
        Some(_) => true,
        // `env`, `timeout 5`: the first word that is no option and no number is the program.
        None => {
            let inner = command.raw.iter().enumerate().skip(1).find(|(_, word)| {
                !word.starts_with('-')
                    && !word.contains('=')
                    && !word.starts_with(|c: char| c.is_ascii_digit())
            });
            inner.is_some_and(|(place, _)| pattern.spells_place(place))
        }
    }
}
