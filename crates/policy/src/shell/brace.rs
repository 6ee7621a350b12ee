//! Brace expansion: `{a,b}` and `{1..3}`, before anything else is expanded.

use super::syntax::{Part, PartKind};

/// How many words one word may become; more is undecidable.
const MAX_WORDS: usize = 256;

/// The longest word that is expanded, in characters.
const MAX_TOKENS: usize = 4_000;

/// One character of unquoted text, or a whole piece of anything else.
#[derive(Debug, Clone)]
enum Token {
    Bare(char),
    Piece(Part),
}

/// The words that a word becomes, or nothing if there are too many.
pub(super) fn expand(parts: &[Part]) -> Option<Vec<Vec<Part>>> {
    let has_brace = parts.iter().any(|part| {
        !part.quoted && matches!(&part.kind, PartKind::Text(text) if text.contains('{'))
    });
    if !has_brace {
        return Some(vec![parts.to_vec()]);
    }
    let mut tokens = Vec::new();
    for part in parts {
        match &part.kind {
            PartKind::Text(text) if !part.quoted => tokens.extend(text.chars().map(Token::Bare)),
            _ => tokens.push(Token::Piece(part.clone())),
        }
    }
    if tokens.len() > MAX_TOKENS {
        return None;
    }
    let words = alternatives(&tokens, 0)?;
    Some(words.into_iter().map(joined).collect())
}

fn joined(tokens: Vec<Token>) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for token in tokens {
        match token {
            Token::Piece(part) => parts.push(part),
            Token::Bare(c) => match parts.last_mut() {
                Some(Part {
                    quoted: false,
                    kind: PartKind::Text(text),
                }) => text.push(c),
                _ => parts.push(Part {
                    quoted: false,
                    kind: PartKind::Text(c.to_string()),
                }),
            },
        }
    }
    parts
}

fn is_bare(token: &Token, wanted: char) -> bool {
    matches!(token, Token::Bare(c) if *c == wanted)
}

fn alternatives(tokens: &[Token], depth: usize) -> Option<Vec<Vec<Token>>> {
    if depth > super::syntax::MAX_DEPTH {
        return None;
    }
    let last = tokens.iter().rposition(|token| is_bare(token, '}'));
    for (open, token) in tokens.iter().enumerate() {
        if !is_bare(token, '{') || last.is_none_or(|last| last < open) {
            continue;
        }
        let Some(choices) = choices(tokens.get(open + 1..)?) else {
            continue;
        };
        let after = tokens.get(open + 1 + choices.length..)?;
        let before = tokens.get(..open)?;
        let tails = alternatives(after, depth + 1)?;
        let mut words = Vec::new();
        for choice in choices.words {
            for middle in alternatives(&choice, depth + 1)? {
                for tail in &tails {
                    if words.len() >= MAX_WORDS {
                        return None;
                    }
                    words.push([before, &middle, tail].concat());
                }
            }
        }
        return Some(words);
    }
    Some(vec![tokens.to_vec()])
}

struct Choices {
    words: Vec<Vec<Token>>,
    /// Tokens up to and over the closing brace.
    length: usize,
}

/// The choices after an opening brace, or nothing if it opens nothing.
fn choices(tokens: &[Token]) -> Option<Choices> {
    let mut depth = 0_usize;
    let mut from = 0;
    let mut words: Vec<Vec<Token>> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Bare('{') => depth += 1,
            Token::Bare('}') if depth > 0 => depth -= 1,
            Token::Bare(',') if depth == 0 => {
                words.push(tokens.get(from..at)?.to_vec());
                from = at + 1;
            }
            Token::Bare('}') => {
                let last = tokens.get(from..at)?.to_vec();
                if words.is_empty() {
                    words = sequence(&last)?;
                } else {
                    words.push(last);
                }
                return Some(Choices {
                    words,
                    length: at + 1,
                });
            }
            _ => {}
        }
    }
    None
}

/// `1..3`, `a..e`, with an optional step.
fn sequence(tokens: &[Token]) -> Option<Vec<Vec<Token>>> {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Bare(c) => text.push(*c),
            Token::Piece(_) => return None,
        }
    }
    let mut ends = text.split("..");
    let (first, last) = (ends.next()?, ends.next()?);
    let step: i64 = ends.next().map_or(Some(1), |s| s.parse().ok())?;
    if ends.next().is_some() {
        return None;
    }
    let step = i64::try_from(step.unsigned_abs().max(1)).ok()?;
    let words = match (first.parse::<i64>(), last.parse::<i64>()) {
        (Ok(from), Ok(to)) => {
            let padded = |s: &str| s.trim_start_matches('-').starts_with('0') && s.len() > 1;
            let width = if padded(first) || padded(last) {
                first.len().max(last.len())
            } else {
                0
            };
            walk(from, to, step)?
                .into_iter()
                .map(|n| format!("{n:0width$}"))
                .collect::<Vec<_>>()
        }
        _ => {
            let letter = |s: &str| {
                let mut chars = s.chars();
                let c = chars.next().filter(char::is_ascii_alphabetic)?;
                chars.next().is_none().then_some(i64::from(u32::from(c)))
            };
            walk(letter(first)?, letter(last)?, step)?
                .into_iter()
                .filter_map(|n| u32::try_from(n).ok().and_then(char::from_u32))
                .map(String::from)
                .collect()
        }
    };
    let tokens = |word: String| word.chars().map(Token::Bare).collect();
    Some(words.into_iter().map(tokens).collect())
}

fn walk(from: i64, to: i64, step: i64) -> Option<Vec<i64>> {
    let mut all = Vec::new();
    let mut now = from;
    loop {
        if all.len() >= MAX_WORDS {
            // The caller cuts the word off as undecidable.
            return Some(all);
        }
        all.push(now);
        now = if from <= to {
            now.checked_add(step)?
        } else {
            now.checked_sub(step)?
        };
        if (from <= to && now > to) || (from > to && now < to) {
            return Some(all);
        }
    }
}
