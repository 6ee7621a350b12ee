//! `find`: starting points, then an expression in which every word counts.

use super::{Context, Finding, Nested};
use crate::shell::analysis::{Risk, Unknown, Value, Word};
use crate::shell::state::undecided;

/// Words of an expression without an argument.
const ALONE: [&str; 33] = [
    "(",
    ")",
    "!",
    ",",
    "-not",
    "-a",
    "-and",
    "-o",
    "-or",
    "-true",
    "-false",
    "-print",
    "-print0",
    "-ls",
    "-prune",
    "-quit",
    "-depth",
    "-d",
    "-follow",
    "-mount",
    "-xdev",
    "-daystart",
    "-empty",
    "-executable",
    "-readable",
    "-writable",
    "-nouser",
    "-nogroup",
    "-noleaf",
    "-warn",
    "-nowarn",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
];

/// Words of an expression with one argument.
const WITH_TEXT: [&str; 37] = [
    "-name",
    "-iname",
    "-path",
    "-ipath",
    "-wholename",
    "-iwholename",
    "-regex",
    "-iregex",
    "-lname",
    "-ilname",
    "-type",
    "-xtype",
    "-size",
    "-mtime",
    "-atime",
    "-ctime",
    "-mmin",
    "-amin",
    "-cmin",
    "-used",
    "-perm",
    "-user",
    "-group",
    "-uid",
    "-gid",
    "-links",
    "-inum",
    "-fstype",
    "-maxdepth",
    "-mindepth",
    "-printf",
    "-regextype",
    "-context",
    "-newermt",
    "-newerat",
    "-newerct",
    "-flags",
];

/// Words of an expression with one argument that is a file to look at.
const WITH_FILE: [&str; 4] = ["-newer", "-anewer", "-cnewer", "-samefile"];

pub(super) fn check(argv: &[Word], context: &Context<'_>, finding: &mut Finding) {
    let arguments = argv.get(1..).unwrap_or_default();
    let options = arguments
        .iter()
        .take_while(|word| {
            word.literal()
                .is_some_and(|t| matches!(t, "-H" | "-L" | "-P") || t.starts_with("-O"))
        })
        .count();
    let follows = |word: &&Word| matches!(word.literal(), Some("-L" | "-follow" | "-files0-from"));
    if let Some(word) = arguments.iter().find(follows) {
        finding.reads.push(undecided(&word.raw, true));
    }
    let starts = arguments
        .iter()
        .skip(options)
        .take_while(|word| !begins_expression(word))
        .count();
    let places = arguments.get(options..options + starts).unwrap_or_default();
    for word in places {
        finding
            .reads
            .extend(context.state.paths(word, true, context.facts));
    }
    if places.is_empty() {
        finding
            .reads
            .extend(context.state.literal_paths(".", ".", true));
    }
    let mut at = 1 + options + starts;
    while let Some(word) = argv.get(at) {
        at += step(argv, at, word, places, context, finding);
    }
}

/// Whether a word may be the first of the expression.
fn begins_expression(word: &Word) -> bool {
    match &word.value {
        Value::Literal(text) => {
            (text.starts_with('-') && text.len() > 1) || matches!(text.as_str(), "(" | "!" | ",")
        }
        Value::Unknown(unknown) => {
            let is_sure = !unknown.prefix.is_empty()
                && !unknown.prefix.starts_with(['-', '(', '!', ','])
                && (unknown.glob.is_some() || !unknown.may_split);
            !is_sure
        }
    }
}

/// Checks one word of the expression; answers how many words it takes.
fn step(
    argv: &[Word],
    at: usize,
    word: &Word,
    places: &[Word],
    context: &Context<'_>,
    finding: &mut Finding,
) -> usize {
    let Some(text) = word.literal() else {
        finding.problem(format!("`{}` may become an action", word.raw));
        finding.risks.push(Risk {
            option: word.raw.clone(),
            at,
            why: "it may become an action".into(),
        });
        return 1;
    };
    let argument = argv.get(at + 1);
    let is_single = argument.is_some_and(|word| match &word.value {
        Value::Literal(_) => true,
        Value::Unknown(unknown) => !unknown.may_split,
    });
    match text {
        _ if ALONE.contains(&text) => 1,
        _ if WITH_TEXT.contains(&text) || WITH_FILE.contains(&text) => {
            if !is_single {
                finding.problem(format!("`{text}` has an argument that is only known later"));
            }
            if WITH_FILE.contains(&text)
                && let Some(file) = argument
            {
                finding
                    .reads
                    .extend(context.state.paths(file, false, context.facts));
            }
            2
        }
        "-delete" => {
            finding.risk("-delete", at, "removes what is found");
            for place in places {
                let found = context.state.paths(place, true, context.facts);
                finding.writes.extend(found);
            }
            if places.is_empty() {
                finding
                    .writes
                    .extend(context.state.literal_paths(".", ".", true));
            }
            1
        }
        "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
            finding.risk(text, at, "writes a file");
            if let Some(file) = argument {
                finding
                    .writes
                    .extend(context.state.paths(file, false, context.facts));
            }
            if text == "-fprintf" { 3 } else { 2 }
        }
        "-exec" | "-execdir" | "-ok" | "-okdir" => exec(argv, at, text, places, finding),
        _ => {
            finding.problem(format!("`{text}` is no expression that is known"));
            1
        }
    }
}

/// `-exec command … ;` or `… +`.
fn exec(argv: &[Word], at: usize, text: &str, places: &[Word], finding: &mut Finding) -> usize {
    let why = "runs a program for what is found";
    // The child decides whether it is read-only; the option still has to be spelled.
    finding.risks.push(Risk {
        option: text.to_owned(),
        at,
        why: why.into(),
    });
    finding.is_wrapper = true;
    if text.ends_with("dir") || text.starts_with("-ok") {
        finding.problem(format!("`{text}` {why}"));
    }
    let rest = argv.get(at + 1..).unwrap_or_default();
    let mut end = rest.len();
    for (place, word) in rest.iter().enumerate() {
        let after_braces = place > 0 && rest.get(place - 1).and_then(Word::literal) == Some("{}");
        if word.literal() == Some(";") || (word.literal() == Some("+") && after_braces) {
            end = place;
            break;
        }
    }
    if end == rest.len() {
        finding.problem(format!("`{text}` without its end"));
    }
    let command = rest.get(..end).unwrap_or_default();
    let argv = command
        .iter()
        .map(|word| match word.literal() {
            Some(text) if text.contains("{}") => Word {
                raw: word.raw.clone(),
                value: found_file(text, places),
            },
            _ => word.clone(),
        })
        .collect();
    finding.nested.push(Nested::Command {
        argv,
        via: format!("find {text}").into(),
        in_other_folder: text.ends_with("dir"),
    });
    end + 2
}

/// What `{}` in an argument stands for: a path that begins with a starting point.
fn found_file(text: &str, places: &[Word]) -> Value {
    let mut value = Unknown {
        why: "a file that is found".into(),
        prefix: text.split("{}").next().unwrap_or("").to_owned(),
        may_split: false,
        glob: None,
        is_pattern: false,
    };
    if text == "{}" {
        // Several files come as one word each, as the matches of a pattern do, and a starting
        // point never begins with a dash.
        value.may_split = true;
        value.prefix = "./".to_owned();
        let place = match places {
            [] => Some("."),
            [place] => place.literal(),
            _ => None,
        };
        value.glob = place.map(|place| format!("{place}/**"));
    }
    Value::Unknown(value)
}
