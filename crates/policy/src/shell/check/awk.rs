//! Programs of `awk`: read-only when nothing in the text could run, read or write a file.
//!
//! This does not parse awk. It tells strings, regular expressions and comments from code as far
//! as it must, and refuses a program as soon as telling them apart gets hard.

use super::Finding;
use crate::shell::analysis::{Risk, Word};

/// Words that no read-only program needs, wherever they stand.
const REFUSED: [&str; 7] = [
    "system", "getline", "close", "fflush", "@", "ARGV", "PROCINFO",
];

/// Words after which a slash begins an expression, though they look like a value.
const KEYWORDS: [&str; 8] = [
    "print", "printf", "return", "in", "case", "else", "do", "exit",
];

pub(super) fn check(word: &Word, at: usize, finding: &mut Finding) {
    let problem = match word.literal() {
        None => Some("an awk program that is only known later".to_owned()),
        Some(text) => obstacle(text),
    };
    if let Some(why) = problem {
        finding.problem(why.clone());
        finding.risks.push(Risk {
            option: word.raw.clone(),
            at,
            why: why.into(),
        });
    }
}

/// Why a program is not read-only, or nothing if it is.
fn obstacle(text: &str) -> Option<String> {
    let refused = REFUSED.iter().find(|word| text.contains(**word));
    if let Some(word) = refused {
        return Some(format!("an awk program with `{word}`"));
    }
    // Only these two characters can lead to a file or a program.
    let text = text.replace("||", "  ");
    if !text.contains(['|', '>']) {
        return None;
    }
    let code = match without_strings(&text) {
        Ok(code) => code,
        Err(why) => return Some(why.to_owned()),
    };
    if code.contains('|') {
        return Some("an awk program with a pipe".to_owned());
    }
    has_output(&code).then(|| "an awk program that may write a file".to_owned())
}

/// The code with strings, regular expressions and comments blanked out.
fn without_strings(text: &str) -> Result<String, &'static str> {
    let mut code = String::new();
    let mut chars = text.chars().peekable();
    let mut last = '\n';
    while let Some(c) = chars.next() {
        match c {
            '/' if is_unclear(last, &code) => {
                return Err("an awk program with a slash of unclear meaning");
            }
            '"' => {
                skip(&mut chars, '"')?;
                code.push('"');
                last = '"';
            }
            '/' if !divides(last) => {
                skip(&mut chars, '/')?;
                code.push('"');
                last = '"';
            }
            '#' => {
                while chars.next_if(|c| *c != '\n').is_some() {}
            }
            '\\' => return Err("an awk program with a backslash outside of a string"),
            c => {
                code.push(c);
                if !matches!(c, ' ' | '\t') {
                    last = c;
                }
            }
        }
    }
    Ok(code)
}

/// Whether a slash after this character divides: after a value.
fn divides(last: char) -> bool {
    last.is_ascii_alphanumeric() || matches!(last, ']' | '_')
}

/// Whether a slash could be either.
fn is_unclear(last: char, code: &str) -> bool {
    let word = code
        .trim_end()
        .rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next();
    matches!(last, ')' | '"' | '$' | '+' | '-') || word.is_some_and(|word| KEYWORDS.contains(&word))
}

fn skip(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    end: char,
) -> Result<(), &'static str> {
    let mut in_bracket = false;
    loop {
        match chars.next() {
            None | Some('\n') => return Err("an awk program whose text is never closed"),
            Some('\\') => {
                chars.next();
            }
            Some('[') if end == '/' => in_bracket = true,
            Some(']') => in_bracket = false,
            Some(c) if c == end && in_bracket => {
                return Err("an awk bracket that holds a slash");
            }
            // A quote in an expression, or a slash that could be the other reading's end, makes
            // the two readings differ.
            Some('"') if end == '/' => return Err("an awk expression that holds a quote"),
            Some(c) if c == end => return Ok(()),
            Some(_) => {}
        }
    }
}

/// Whether a `>` could redirect: inside braces and not in parentheses, in a statement that
/// prints.
fn has_output(code: &str) -> bool {
    let mut braces = 0_usize;
    let mut parentheses = 0_usize;
    let mut prints = false;
    let mut word = String::new();
    for c in code.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            prints |= word == "print" || word == "printf";
            word.clear();
        }
        match c {
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                prints = false;
            }
            '(' => parentheses += 1,
            ')' => parentheses = parentheses.saturating_sub(1),
            ';' if parentheses == 0 => prints = false,
            '>' if prints && parentheses == 0 => return true,
            _ => {}
        }
    }
    false
}
