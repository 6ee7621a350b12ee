//! `test` and `[`: read-only unless a word could become `-v`, which evaluates an index.

use super::{Context, Finding};
use crate::shell::analysis::{Value, Word};

const BINARY: [&str; 14] = [
    "=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];

/// Whether an operator looks at the files on both of its sides.
fn compares(operator: &str) -> bool {
    matches!(operator, "-nt" | "-ot" | "-ef")
}

pub(super) fn check(argv: &[Word], context: &Context<'_>, finding: &mut Finding) {
    let mut words = argv.get(1..).unwrap_or_default();
    if argv.first().and_then(Word::literal) == Some("[") {
        match words.split_last() {
            Some((last, rest)) if last.literal() == Some("]") => words = rest,
            _ => finding.problem("`[` without `]`"),
        }
    }
    if words
        .iter()
        .any(|word| matches!(word.literal(), Some("-v" | "-R")))
    {
        finding
            .undecidable
            .push("`test -v` may evaluate an index".to_owned());
        finding.problem("`test -v` may evaluate an index");
    }
    for (at, word) in words.iter().enumerate() {
        let operator = words.get(at.wrapping_sub(1)).and_then(Word::literal);
        let is_file = operator.is_some_and(|op| {
            let is_unary = op.len() == 2 && op.starts_with('-');
            (is_unary && !matches!(op, "-z" | "-n" | "-o" | "-a" | "-t")) || compares(op)
        });
        let next = words.get(at + 1).and_then(Word::literal);
        let is_compared = next.is_some_and(compares);
        if is_file || is_compared {
            finding
                .reads
                .extend(context.state.paths(word, false, context.facts));
        }
    }
    if words.iter().all(|word| word.literal().is_some()) {
        return;
    }
    let is_split = |word: &Word| matches!(&word.value, Value::Unknown(u) if u.may_split);
    if words.iter().any(is_split) {
        finding.problem("a word of `test` that may become several");
        return;
    }
    let words = match words.split_first() {
        Some((first, rest)) if first.literal() == Some("!") => rest,
        _ => words,
    };
    let is_sure = match words {
        [_] => true,
        [operator, _] => operator.literal().is_some_and(|op| op.starts_with('-')),
        [_, operator, _] => operator.literal().is_some_and(|op| BINARY.contains(&op)),
        _ => false,
    };
    if !is_sure {
        finding.problem("a word of `test` that may become an operator");
    }
}
