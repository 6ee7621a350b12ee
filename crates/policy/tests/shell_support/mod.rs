//! What the tests of the shell analysis share.

#![allow(dead_code, reason = "each test binary uses a part of it")]
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::disallowed_macros,
    reason = "tests may fail"
)]

use std::path::PathBuf;

use serde_json::Value;

/// The rows of the corpus; none where `TOOLPOST_CASES` is not set.
pub(crate) fn corpus() -> Vec<Value> {
    let Some(folder) = std::env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES is not set");
        return Vec::new();
    };
    let file = PathBuf::from(folder).join("cases/bash-readonly-cases.jsonl");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a row of JSON"))
        .collect()
}

/// The commands of the corpus.
pub(crate) fn commands() -> Vec<String> {
    corpus()
        .iter()
        .filter_map(|row| row["command"].as_str().map(str::to_owned))
        .collect()
}

/// Examples of the tables, read-only or not.
pub(crate) fn examples() -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the tables") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("a table");
        collect(&toml::from_str(&text).expect("valid TOML"), &mut all);
    }
    all.sort();
    all
}

fn collect(value: &toml::Value, all: &mut Vec<String>) {
    let toml::Value::Table(table) = value else {
        return;
    };
    for (key, value) in table {
        match value {
            toml::Value::Array(items) if key.ends_with("read_only") => {
                all.extend(items.iter().filter_map(|i| i.as_str().map(str::to_owned)));
            }
            value => collect(value, all),
        }
    }
}

/// A generator of numbers that gives the same ones each time.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (limit.max(1) as u64)).expect("a small number")
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Pieces that make a harmless command harmful where they fit.
const PIECES: &[&str] = &[
    "-o pwned",
    "-opwned",
    "--output=pwned",
    "--outp pwned",
    "-i",
    "-ni",
    "--in-place",
    "-i.bak",
    "-delete",
    "'-delete'",
    "\\-delete",
    "-{delete,print}",
    "-exec touch pwned ';'",
    "-exec",
    "-ok",
    "-fprint pwned",
    "> pwned",
    ">> pwned",
    "2> pwned",
    "&> pwned",
    ">| pwned",
    "<> pwned",
    "3<> pwned",
    ">& pwned",
    "; touch pwned",
    "&& touch pwned",
    "|| touch pwned",
    "| tee pwned",
    "|& tee pwned",
    "& touch pwned",
    "$(touch pwned)",
    "`touch pwned`",
    "<(touch pwned)",
    ">(touch pwned)",
    "\"$(touch pwned)\"",
    "${x:-$(touch pwned)}",
    "$((x[$(touch pwned)]))",
    "$[ $(touch pwned) ]",
    "'w pwned'",
    "'1w pwned'",
    "'s/a/b/w pwned'",
    "'s/.*/touch pwned/e'",
    "'BEGIN{system(\"touch pwned\")}'",
    "'{print > \"pwned\"}'",
    "'{print | \"sh\"}'",
    "-f p.sed",
    "--pre=./p.sh",
    "--pre ./p.sh",
    "-z",
    "-x ./p.sh",
    "-X ./p.sh",
    "-C",
    "-m magic",
    "--compress-program=./p.sh",
    "-S 1b",
    "-T .",
    "pwned",
    "a.txt",
    "b.txt",
    "*",
    "*.txt",
    "--",
    "-",
    "-n",
    "-r",
    "-v",
    "-c",
    "-e",
    "-a",
    "-l",
    "-s",
    "-u",
    "-0",
    "-1",
    "$x",
    "\"$x\"",
    "$@",
    "\"$@\"",
    "{a.txt,pwned}",
    "{touch,pwned}",
    "touch",
    "'touch pwned'",
    "rm a.txt",
    "./p.sh",
    "-P ./p.sh",
    "-H./p.sh",
    "--help",
    "--version",
    "-I{}",
    "{}",
    ";",
    "+",
    "!",
    "(",
    ")",
    "~",
    "<<E\n$(touch pwned)\nE\n",
    "<<'E'\n$(touch pwned)\nE\n",
    "<<<'touch pwned'",
    "< a.txt",
    "X=1",
    "PATH=.",
    "LANG=C",
    "BASH_ENV=./p.sh",
    "-c 'touch pwned'",
    "sh -c 'touch pwned'",
    "'a[$(touch pwned)]'",
    "a[$(touch pwned)]=1",
    "-v 'a[$(touch pwned)]'",
    "-eq",
    "==",
    "=",
    "\n",
    "\\\n",
    "#",
    "'",
    "\"",
    "\\",
    "$",
    "`",
    "!",
    "|",
    "&",
    ">",
    "<",
    "[",
    "]",
    "%n",
    "-%s",
    "-s,",
    "-k1",
    "--files0-from=-",
    "-ok touch pwned ';'",
    "--filter='touch pwned'",
    "-h",
    "-L .",
    "-iname",
    "-newer",
    "-path",
    "-printf",
    "%p",
    "s/a/b/",
    "p",
    "d",
    "e",
    "w",
    "r",
];

const WRAPS: &[(&str, &str)] = &[
    ("( ", " )"),
    ("{ ", "; }"),
    ("env ", ""),
    ("command ", ""),
    ("timeout 5 ", ""),
    ("nice ", ""),
    ("! ", ""),
    ("time ", ""),
    ("xargs ", " < a.txt"),
    ("echo $(", ")"),
    ("cat <(", ")"),
    ("if true; then ", "; fi"),
    ("for f in a b; do ", "; done"),
    ("while read -r x; do ", "; done < a.txt"),
    ("eval ", ""),
    ("stdbuf -o0 ", ""),
    ("cd src && ", ""),
    ("cd src; ", ""),
    ("builtin ", ""),
    ("find . -name a.txt -exec ", " {} ';'"),
    ("find . -name a.txt -exec ", " {} +"),
    ("set -e; ", ""),
    ("x=1; ", ""),
    ("x=touch; ", ""),
    ("f() { ", "; }; f"),
    ("exec ", ""),
    ("case a in a) ", ";; esac"),
    ("LANG=C ", ""),
    ("true | ", ""),
    ("ls | xargs -I{} ", ""),
];

/// A command made of others, with one to four changes.
pub(crate) fn mutated(seeds: &[String], dice: &mut Dice) -> String {
    let mut text = dice.pick(seeds).clone();
    for _ in 0..=dice.below(3) {
        text = changed(&text, seeds, dice);
    }
    text
}

fn changed(text: &str, seeds: &[String], dice: &mut Dice) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    let at = dice.below(words.len());
    match dice.below(10) {
        0..=3 => words.insert(at + 1, (*dice.pick(PIECES)).to_owned()),
        4 => words[at] = (*dice.pick(PIECES)).to_owned(),
        5 => words[at] = requoted(&words[at], dice),
        6 => {
            words.remove(at);
        }
        7 => {
            let other = dice.pick(seeds).clone();
            let others: Vec<&str> = other.split(' ').collect();
            words[at] = (*dice.pick(&others)).to_owned();
        }
        8 => {
            let (before, after) = dice.pick(WRAPS);
            return format!("{before}{text}{after}");
        }
        _ => {
            let join = dice.pick(&["; ", " && ", " | ", " || ", "\n", " & "]);
            return format!("{text}{join}{}", dice.pick(seeds));
        }
    }
    words.join(" ")
}

/// The same word in other quotes.
pub(crate) fn requoted(word: &str, dice: &mut Dice) -> String {
    if word.contains(['\'', '"', '\\', '$', '`', '\n']) || word.is_empty() {
        return word.to_owned();
    }
    match dice.below(5) {
        0 => format!("'{word}'"),
        1 => format!("\"{word}\""),
        2 => format!("{}''{}", "", word),
        3 => format!("$'{word}'"),
        _ => word
            .chars()
            .map(|c| {
                if c.is_ascii_alphanumeric() {
                    format!("\\{c}")
                } else {
                    c.to_string()
                }
            })
            .collect(),
    }
}
