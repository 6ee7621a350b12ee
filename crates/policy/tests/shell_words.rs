//! Words as this crate expands them against words as bash does.
//!
//! A seeded generator makes lists of words out of every kind of quoting; what is decided must be
//! exactly what bash passes. `TOOLPOST_SHELL_RUNS` says how many lists.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolpost_policy::shell::{ShellFacts, Value, analyse};

mod shell_support;

use shell_support::Dice;

const FRAGMENTS: &[&str] = &[
    "a",
    "b-c",
    "'d e'",
    "\"f g\"",
    "\\h",
    "\\ ",
    "$'\\x41\\t'",
    "$'\\101'",
    "$'\\u00e9'",
    "{x,y}",
    "{1..3}",
    "{c..a}",
    "{01..03}",
    "{1..9..4}",
    "{p,{q,r}}",
    "{s",
    "}",
    "{,t}",
    "{}",
    "{u}",
    "\"\"",
    "''",
    "\\\n",
    "$v",
    "\"$v\"",
    "${v}",
    "\"${w}\"",
    "$w",
    "$e",
    "\"$e\"",
    "~",
    "~/n",
    "'~'",
    "\"'\"",
    "'\"'",
    "\\'",
    "\\\"",
    "\\\\",
    "'\\'",
    "\"\\$\"",
    "\"\\a\"",
    "=",
    ":",
    ",",
    "..",
    "-",
    "--",
    "%",
    "#",
    "x#y",
    "!",
    "\"*\"",
    "'?'",
    "\\*",
    "]",
    "[",
    "^",
    "+",
    "@",
    "é",
    "\"\\\n\"",
    "{\"a,b\",c}",
    "{a\\,b,c}",
    "$'it\\'s'",
    "{$v,z}",
    "{'1'..3}",
    "\"`\\`\"x",
    "$",
    "\"$\"",
    "{a..c..x}",
    "{-1..1}",
];

struct Home;

impl ShellFacts for Home {
    fn home(&self) -> Option<&Path> {
        Some(Path::new("/home/u"))
    }
}

/// What bash makes of the line, or nothing where it refuses it.
fn by_bash(line: &str) -> Option<Vec<String>> {
    let out = Command::new("bash")
        .args(["--norc", "--noprofile", "-c", line])
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/home/u")
        .env("LC_ALL", "C.UTF-8")
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(out.stdout).ok()?;
    out.status
        .success()
        .then(|| text.split_terminator('\0').map(str::to_owned).collect())
}

#[test]
fn decided_words_are_what_bash_passes() {
    let runs = std::env::var("TOOLPOST_SHELL_RUNS").ok();
    let runs: usize = runs.and_then(|text| text.parse().ok()).unwrap_or(400);
    let seed = std::env::var("TOOLPOST_SHELL_SEED").ok();
    let mut dice = Dice::new(seed.and_then(|text| text.parse().ok()).unwrap_or(99));
    let folder = PathBuf::from("/nowhere");
    let mut decided = 0;
    for _ in 0..runs {
        let mut words = String::new();
        for _ in 0..=dice.below(3) {
            words.push(' ');
            for _ in 0..=dice.below(4) {
                words.push_str(dice.pick::<&str>(FRAGMENTS));
            }
        }
        let line = format!("v='i j'; w=\"k*l\"; e=; printf '%s\\0' .{words}");
        let analysis = analyse(&line, &folder, &Home);
        let Some(command) = analysis.commands.last() else {
            continue;
        };
        let values: Option<Vec<&str>> = command
            .argv
            .iter()
            .skip(2)
            .map(|word| match &word.value {
                Value::Literal(text) => Some(text.as_str()),
                Value::Unknown(_) => None,
            })
            .collect();
        let (Some(values), true) = (values, analysis.undecidable.is_empty()) else {
            continue;
        };
        if command.program.as_deref() != Some("printf") {
            continue;
        }
        let Some(real) = by_bash(&line) else {
            continue;
        };
        decided += 1;
        assert_eq!(values, real, "{line:?}");
    }
    eprintln!("compared {decided} of {runs}");
    assert!(decided * 4 > runs, "only {decided} were decided");
}
