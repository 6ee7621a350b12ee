//! What the operands and option values of a command are.

use super::{Context, Finding, Nested};
use crate::shell::analysis::{Value, Word};
use crate::shell::tables::Entry;

/// Goes through the operands by what the table says of each place.
pub(super) fn all(
    entry: &Entry,
    operands: &[(usize, Word)],
    is_replaced: bool,
    context: &Context<'_>,
    finding: &mut Finding,
) {
    let mut kinds = entry.operands.as_slice();
    if is_replaced {
        kinds = kinds.get(1..).unwrap_or_default();
    }
    let is_bounded = kinds.iter().all(|kind| !kind.ends_with('*'));
    let needed = kinds.iter().filter(|kind| !kind.ends_with('*')).count();
    if let Some(path) = &entry.default_read
        && operands.len() <= needed
    {
        let found = context.state.literal_paths(path, path, true);
        finding.reads.extend(found);
    }
    let mut rest = operands;
    while let Some(((at, word), after)) = rest.split_first() {
        let Some((kind, more)) = kinds.split_first() else {
            finding.problem(format!("`{}` is one operand too many", word.raw));
            paths("read", word, context, finding);
            rest = after;
            continue;
        };
        if !kind.ends_with('*') {
            kinds = more;
        }
        match kind.trim_end_matches('*') {
            "command" => return command(entry, rest, finding),
            "script" => return script(rest, finding),
            "read" if entry.last_is_target && after.is_empty() && operands.len() > 1 => {
                paths("write", word, context, finding);
            }
            kind => one(kind, word, *at, context, finding),
        }
        if may_be_several(word) {
            if is_bounded {
                finding.problem(format!("`{}` may become several words", word.raw));
            }
            // Its further words stand where other kinds do.
            for kind in kinds {
                match kind.trim_end_matches('*') {
                    kind @ ("read" | "tree" | "write") => paths(kind, word, context, finding),
                    "text" => {}
                    _ => finding.problem(format!("`{}` may become several words", word.raw)),
                }
            }
            if entry.last_is_target {
                paths("write", word, context, finding);
            }
        }
        rest = after;
    }
}

fn may_be_several(word: &Word) -> bool {
    matches!(&word.value, Value::Unknown(unknown) if unknown.may_split)
}

/// Notes one operand or value.
pub(super) fn one(
    kind: &str,
    word: &Word,
    at: usize,
    context: &Context<'_>,
    finding: &mut Finding,
) {
    match kind {
        "text" => {}
        "read" | "tree" | "write" | "write-tree" | "remove" | "folder" => {
            paths(kind, word, context, finding);
        }
        "sed" => super::sed::check(word, at, context, finding),
        "awk" => super::awk::check(word, at, finding),
        "date" => {
            if !starts_with(word, '+') {
                finding.problem(format!("`{}` may set the clock", word.raw));
            }
        }
        "jq" => {
            // `input_filename`, `env` and the like only read; modules are found by options.
            if word
                .literal()
                .is_none_or(|text| text.contains("include") || text.contains("import"))
            {
                finding.problem("a filter that may load a module");
            }
        }
        "name" => match word.literal() {
            Some(text) if crate::shell::variables::is_free(text) && !text.is_empty() => {}
            Some(text) if text.contains('[') => {
                finding
                    .undecidable
                    .push("the index of an array that is evaluated".to_owned());
                finding.problem("it evaluates an index");
            }
            _ => finding.problem(format!("`{}` may mean something to a program", word.raw)),
        },
        "host" => {
            if let Some(host) = word.literal().and_then(host_of) {
                finding.hosts.push(host);
            }
        }
        "script" => {
            finding.is_wrapper = true;
            finding.nested.push(Nested::Script {
                text: word.clone(),
                via: "shell".into(),
                arguments: Vec::new(),
            });
        }
        _ => finding.problem(format!("an operand of a kind that is not known: {kind}")),
    }
}

fn starts_with(word: &Word, c: char) -> bool {
    match &word.value {
        Value::Literal(text) => text.starts_with(c),
        Value::Unknown(unknown) => unknown.prefix.starts_with(c) && !unknown.may_split,
    }
}

fn paths(kind: &str, word: &Word, context: &Context<'_>, finding: &mut Finding) {
    let is_deep = matches!(kind, "tree" | "write-tree" | "remove");
    let found = context.state.paths(word, is_deep, context.facts);
    if word.literal() == Some("-") {
        return;
    }
    if word.literal().is_some_and(|text| text.starts_with("/inet")) {
        finding.problem("`/inet…` is a connection to some programs");
    }
    match kind {
        "read" | "tree" => finding.reads.extend(found),
        "folder" => {}
        _ => {
            finding.problem(format!("it writes `{}`", word.raw));
            finding.writes.extend(found);
        }
    }
}

/// The rest of the operands is a command.
fn command(entry: &Entry, operands: &[(usize, Word)], finding: &mut Finding) {
    finding.is_wrapper = true;
    let mut argv: Vec<Word> = operands.iter().map(|(_, word)| word.clone()).collect();
    if entry.appends {
        argv.push(Word {
            raw: "…".to_owned(),
            value: crate::shell::state::unknown("words that are read from the input"),
        });
    }
    finding.nested.push(Nested::Command {
        argv,
        via: "command".into(),
        in_other_folder: false,
    });
}

/// The rest of the operands, joined, is a script.
fn script(operands: &[(usize, Word)], finding: &mut Finding) {
    finding.is_wrapper = true;
    let raw: Vec<&str> = operands.iter().map(|(_, word)| word.raw.as_str()).collect();
    let texts: Option<Vec<&str>> = operands.iter().map(|(_, word)| word.literal()).collect();
    let value = match texts {
        Some(texts) => Value::Literal(texts.join(" ")),
        None => crate::shell::state::unknown("a script with words only known later"),
    };
    finding.nested.push(Nested::Script {
        text: Word {
            raw: raw.join(" "),
            value,
        },
        via: "shell".into(),
        arguments: Vec::new(),
    });
}

/// The host of a URL, or of `user@host:path`.
fn host_of(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.split(['/', '?', '#']).next()?;
    let rest = rest.rsplit('@').next()?;
    let host = rest.split(':').next()?;
    (!host.is_empty() && !host.starts_with('-')).then(|| host.to_ascii_lowercase())
}

/// `dd`, whose operands are `if=` and `of=`.
pub(super) fn dd(argv: &[Word], context: &Context<'_>, finding: &mut Finding) {
    for word in argv.iter().skip(1) {
        match word.literal().and_then(|text| text.split_once('=')) {
            Some(("if", path)) => {
                let found = context.state.literal_paths(&word.raw, path, false);
                finding.reads.extend(found);
            }
            Some(("of", path)) => {
                let found = context.state.literal_paths(&word.raw, path, false);
                finding.writes.extend(found);
            }
            Some(_) => {}
            None => {
                let found = context.state.paths(word, false, context.facts);
                finding.writes.extend(found);
            }
        }
    }
}

/// `tar`, read-only only in its plainest form: `tar tf archive [member…]`.
pub(super) fn tar(argv: &[Word], context: &Context<'_>, finding: &mut Finding) {
    let words = argv.get(1..).unwrap_or_default();
    let is_list = |word: &Word| {
        word.literal().is_some_and(|text| {
            let letters = text.strip_prefix('-').unwrap_or(text);
            letters.contains('t')
                && letters.ends_with('f')
                && letters.chars().all(|c| "tvzjJf".contains(c))
                && letters.matches('f').count() == 1
        })
    };
    match words {
        [letters, archive, members @ ..]
            if is_list(letters)
                // A colon would name another machine.
                && archive.literal().is_some_and(|t| !t.contains(':') && !t.starts_with('-'))
                && members
                    .iter()
                    .all(|word| word.literal().is_some_and(|t| !t.starts_with('-'))) =>
        {
            paths("read", archive, context, finding);
        }
        _ => {
            finding.problem("`tar` may extract, write or run a program");
            super::any_argument(argv, context, finding);
        }
    }
}
