//! `printf`, whose format can name a variable to write to.

use super::Finding;
use crate::shell::analysis::Word;

pub(super) fn check(argv: &[Word], finding: &mut Finding) {
    let mut arguments = argv.get(1..).unwrap_or_default();
    if let Some((first, rest)) = arguments.split_first()
        && first.literal() == Some("--")
    {
        arguments = rest;
    } else if let Some(option) = arguments.first().and_then(Word::literal)
        && option.starts_with("-v")
    {
        finding.problem("`printf -v` assigns a variable, and evaluates its index");
        let name = arguments.get(1).and_then(Word::literal).unwrap_or("");
        if option.len() > 2 || name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            finding
                .undecidable
                .push("`printf -v` may evaluate an index".to_owned());
        }
        return;
    }
    let Some(format) = arguments.first() else {
        return;
    };
    let Some(format) = format.literal() else {
        finding.problem("a format that is only known later");
        return;
    };
    if format.starts_with('-') {
        finding.problem("an option of `printf`");
    }
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        let conversion =
            chars.find(|c| !matches!(c, '-' | '+' | ' ' | '#' | '0'..='9' | '\'' | '*' | '.' | 'h' | 'l' | 'L' | 'j' | 'z' | 't' | 'q'));
        if conversion == Some('n') {
            finding
                .undecidable
                .push("`%n` assigns the variable that an argument names".to_owned());
        }
    }
}
