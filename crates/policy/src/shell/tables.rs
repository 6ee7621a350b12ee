//! The tables of known programs, read once from the files under `data/`.
//!
//! A table lists what is *allowed*. An option that it does not list makes a command not
//! read-only; one that it lists as a risk moreover has to be spelled by an allow rule.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

#[cfg(test)]
mod tests;

const FILES: [(&str, &str); 7] = [
    ("builtins", include_str!("../../data/builtins.toml")),
    ("files", include_str!("../../data/files.toml")),
    ("text", include_str!("../../data/text.toml")),
    ("system", include_str!("../../data/system.toml")),
    ("wrappers", include_str!("../../data/wrappers.toml")),
    ("git", include_str!("../../data/git.toml")),
    ("development", include_str!("../../data/development.toml")),
];

/// One program, or one subcommand of a program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Entry {
    /// Short options without a value, one letter each.
    pub(super) flags: String,
    /// Short options with a value, attached or as the next word.
    pub(super) values: String,
    /// Short options with a value that can only be attached.
    pub(super) optional: String,
    /// Long options without a value.
    pub(super) long: Vec<String>,
    /// Long options with a value, after `=` or as the next word.
    pub(super) long_values: Vec<String>,
    /// Long options with a value that can only follow `=`.
    pub(super) long_optional: Vec<String>,
    /// Whether long options begin with a single dash.
    pub(super) single_dash: bool,
    /// Whether the value of a short option is always the next word, and letters may follow it.
    pub(super) detached: bool,
    /// Whether `-5` is an option.
    pub(super) numeric: bool,
    /// Whether no option that any version of the program has does harm, so that a word that is
    /// only known later does none either.
    pub(super) any_options: bool,
    /// Whether options end at the first operand.
    pub(super) options_first: bool,
    /// What each operand is, in order: `text`, `read`, `tree`, `write`, `write-tree`, `remove`,
    /// `sed`, `awk`, `host`, `name`, `date`, `command*`, `script*`. A `*` repeats.
    pub(super) operands: Vec<String>,
    /// What the operands are where the pattern or script came in one of `replaced_by`.
    pub(super) replaced_by: Vec<String>,
    /// Whether only the last of several operands is written (`cp`, `mv`).
    pub(super) last_is_target: bool,
    /// Options with which the operands that are read are written too (`sed -i`).
    pub(super) writes_with: Vec<String>,
    /// What is read where there is no operand.
    pub(super) default_read: Option<String>,
    /// What the values of options are, by the option without dashes: `read`, `write`, `sed`,
    /// `awk`, `script`, `folder`, `command`.
    pub(super) kinds: BTreeMap<String, String>,
    /// Options that run a program or write a file, by the option without dashes.
    pub(super) risks: BTreeMap<String, String>,
    /// Long options with two values, each the next word.
    pub(super) long_pairs: Vec<String>,
    /// Options with which it reads what no argument names: it follows links below a folder, or takes
    /// names from a file.
    pub(super) elsewhere: Vec<String>,
    /// Options of which one must be given for it to be read-only (`gzip -c`).
    pub(super) needs: Vec<String>,
    /// The argument with which, alone, it prints something and ends whatever else is said here.
    pub(super) only: Vec<String>,
    /// Options after which nothing else counts: they print something and end (`--version`).
    pub(super) ends: Vec<String>,
    /// Why it is never read-only.
    pub(super) never: Option<String>,
    /// Why it is read-only only when run hardened.
    pub(super) conditional: Option<String>,
    /// The checker of its own that it has, which then knows its options.
    pub(super) checker: Option<String>,
    /// Whether assignments may stand before the command it runs.
    pub(super) assignments: bool,
    /// Whether it adds words to the command that it runs.
    pub(super) appends: bool,
    /// The program whose entry this one shares.
    pub(super) same_as: Option<String>,
    /// Its subcommands.
    pub(super) sub: BTreeMap<String, Entry>,
    /// Examples that are read-only; tests run them.
    pub(super) read_only: Vec<String>,
    /// Examples that are not.
    pub(super) not_read_only: Vec<String>,
}

/// All entries by the program's name.
pub(super) fn entries() -> &'static BTreeMap<String, Entry> {
    static ENTRIES: OnceLock<BTreeMap<String, Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        // A file that does not parse knows no program: nothing in it is read-only then, and a
        // test fails.
        FILES
            .iter()
            .filter_map(|(_, text)| read(text).ok())
            .flatten()
            .collect()
    })
}

fn read(text: &str) -> Result<BTreeMap<String, Entry>, toml::de::Error> {
    toml::from_str(text)
}

/// The entry of a program.
pub(super) fn entry(program: &str) -> Option<&'static Entry> {
    let entry = entries().get(program)?;
    match &entry.same_as {
        Some(other) => entries().get(other),
        None => Some(entry),
    }
}

/// Whether a name stands in the tables.
pub(super) fn knows(program: &str) -> bool {
    entries().contains_key(program)
}
