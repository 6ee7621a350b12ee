//! Properties of the shell analysis over commands that a seeded generator makes.
//!
//! `TOOLPOST_SHELL_ROUNDS` says how many, `TOOLPOST_SHELL_SEED` with which seed.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use toolpost_policy::shell::{Analysis, Kind, NoShellFacts, analyse};

mod shell_support;

use shell_support::{Dice, commands, examples, mutated, requoted};

fn look(command: &str) -> Analysis {
    analyse(command, Path::new("/proj"), &NoShellFacts)
}

fn seeds() -> Vec<String> {
    let mut seeds = commands();
    seeds.extend(examples());
    seeds
}

fn rounds() -> usize {
    let text = std::env::var("TOOLPOST_SHELL_ROUNDS").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(3_000)
}

fn seed() -> u64 {
    let text = std::env::var("TOOLPOST_SHELL_SEED").ok();
    text.and_then(|text| text.parse().ok()).unwrap_or(7)
}

/// The programs that run, by name.
fn programs(analysis: &Analysis) -> Vec<&str> {
    analysis
        .commands
        .iter()
        .filter(|command| command.kind == Kind::Simple)
        .filter_map(|command| command.program.as_deref())
        .collect()
}

/// Neither panics nor takes long, whatever the bytes.
#[test]
fn any_text_is_answered_soon() {
    let seeds = seeds();
    let mut dice = Dice::new(seed());
    let slack = if cfg!(debug_assertions) { 8 } else { 1 };
    for _ in 0..rounds() {
        let mut text: Vec<char> = mutated(&seeds, &mut dice).chars().collect();
        for _ in 0..dice.below(4) {
            let at = dice.below(text.len());
            match dice.below(3) {
                0 if !text.is_empty() => {
                    text.remove(at);
                }
                1 => text.insert(
                    at,
                    *dice.pick(&[
                        '\'', '"', '$', '(', ')', '`', '{', '}', '\\', '\n', ';', '<', 'é', '\0',
                    ]),
                ),
                _ => text.truncate(at),
            }
        }
        let text: String = text.into_iter().collect();
        let start = Instant::now();
        let analysis = look(&text);
        assert!(
            start.elapsed() < Duration::from_millis(250) * slack,
            "slow: {text:?}"
        );
        for command in &analysis.commands {
            assert!(
                command
                    .parent
                    .is_none_or(|parent| parent < analysis.commands.len())
            );
        }
        assert_eq!(analysis, look(&text), "not the same twice: {text:?}");
    }
}

/// I8: what wraps a command makes it neither read-only nor hides a program in it.
#[test]
fn wrapping_never_loosens() {
    let seeds = seeds();
    let mut dice = Dice::new(seed());
    for _ in 0..rounds() {
        let text = mutated(&seeds, &mut dice);
        // As an argument it would be an option; and what a line ends with may go on in the next.
        let depends_on_place = text.starts_with(['-', '+']) || text.ends_with('\\');
        if depends_on_place || text.contains("<<") {
            continue;
        }
        let plain = look(&text);
        let quoted = text.replace('\'', "'\\''");
        let wraps = [
            format!("( {text}\n)"),
            format!("{{ {text}\n}}"),
            format!("bash -c '{quoted}'"),
            format!("eval '{quoted}'"),
            format!("true; {text}"),
            format!("  {text}  "),
            format!("echo $( {text}\n)"),
            format!("if true; then {text}\nfi"),
            format!("timeout 5 bash -c '{quoted}'"),
            format!("env LANG=C bash -c '{quoted}'"),
        ];
        for wrapped in wraps {
            let analysis = look(&wrapped);
            if !plain.is_read_only() {
                assert!(!analysis.is_read_only(), "{text:?} in {wrapped:?}");
            }
            if plain.undecidable.is_empty() {
                let inner = programs(&analysis);
                for program in programs(&plain) {
                    assert!(
                        inner.contains(&program) || !analysis.undecidable.is_empty(),
                        "{program} of {text:?} in {wrapped:?}: {inner:?}"
                    );
                }
            }
        }
    }
}

/// Other quotes around the same words change nothing that matters.
#[test]
fn requoting_never_loosens() {
    let mut dice = Dice::new(seed());
    for text in seeds() {
        let is_plain = !text.contains([
            '\'', '"', '\\', '$', '`', '\n', '(', '{', '<', '>', '*', '=', '~', ';', '[', '!', '|',
            '&', '?',
        ]);
        let reserved = ["time", "coproc", "if", "for", "while", "case", "function"];
        if !is_plain || reserved.contains(&text.split(' ').next().unwrap_or("")) {
            continue;
        }
        let plain = look(&text);
        for _ in 0..5 {
            let other: Vec<String> = text
                .split(' ')
                .map(|word| requoted(word, &mut dice))
                .collect();
            let other = other.join("   ");
            let analysis = look(&other);
            assert_eq!(
                plain.is_read_only(),
                analysis.is_read_only(),
                "{text:?} as {other:?}"
            );
            let values = |analysis: &Analysis| -> Vec<_> {
                let words = analysis.commands.iter().flat_map(|command| &command.argv);
                words.map(|word| word.value.clone()).collect()
            };
            assert_eq!(values(&plain), values(&analysis), "{text:?} as {other:?}");
        }
    }
}

/// I7: a list is never looser than its first part.
#[test]
fn a_list_is_never_looser_than_a_part() {
    let seeds = seeds();
    let mut dice = Dice::new(seed());
    for _ in 0..rounds() {
        let (first, second) = (dice.pick(&seeds).clone(), dice.pick(&seeds).clone());
        let is_read_only = look(&first).is_read_only() && look(&second).is_read_only();
        for join in ["; ", " && ", " || ", " | ", "\n", " & "] {
            let both = look(&format!("{first}{join}{second}"));
            // A variable that the first sets is known in the second.
            let is_apart = !second.contains('$') && !first.contains("<<");
            if !is_read_only && is_apart {
                assert!(!both.is_read_only(), "{first:?} {join:?} {second:?}");
            }
        }
    }
}
