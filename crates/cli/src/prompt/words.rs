//! The words of a question, and of its answers.

use std::fmt::Write as _;

use toolpost_core::{AskedCall, Facts};
use toolpost_policy::Always;

use crate::printer::{plain, visible};

/// So many characters of an input are shown unless all are asked for.
pub(super) const MOST_SHOWN: usize = 4_000;

pub(super) const ASK: &str = "[y]es, [s]ession, [a]lways, [n]o, [e]dit, [v]iew all, [?] > ";

/// A terminal gives no line that is longer.
pub(super) const EDIT: &str =
    "the new input, as one line of JSON of at most 4,095 bytes (empty to leave it): ";

pub(super) const HELP: &str = "\
y          yes, this once
s          yes, and this very call again for as long as this run or session lasts
a          yes, and store the rules above for always
n WORDS    no; the words are told to the model
e          run another input instead, which starts over from validation
v          show the whole input
";

/// An answer.
pub(super) enum Word {
    Yes,
    Session,
    Always,
    No(Option<String>),
    Edit,
    View,
}

impl Word {
    /// Only whole words are answers, so that no stray letter allows anything.
    pub(super) fn read(line: &str) -> Option<Self> {
        let line = line.trim();
        let (word, rest) = line
            .split_once(char::is_whitespace)
            .map_or((line, ""), |(word, rest)| (word, rest.trim()));
        match (word.to_lowercase().as_str(), rest) {
            ("y" | "yes", "") => Some(Self::Yes),
            ("s" | "session", "") => Some(Self::Session),
            ("a" | "always", "") => Some(Self::Always),
            ("n" | "no", "") => Some(Self::No(None)),
            ("n" | "no", words) => Some(Self::No(Some(words.to_owned()))),
            ("e" | "edit", "") => Some(Self::Edit),
            ("v" | "view", "") => Some(Self::View),
            _ => None,
        }
    }
}

/// What is asked: the call, what it may do, why it is asked, and what "always" would store.
pub(super) fn question(
    asked: &AskedCall,
    facts: &Facts,
    always: &Result<Always, String>,
    most: usize,
) -> String {
    let call = asked.call();
    let mut text = format!(
        "\n── {} asks: {}\n",
        plain(call.name()),
        shortened(&plain(&call.describe()), most)
    );
    let mut line = |head: &str, words: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "   {head:<8}{words}");
    };
    line("input", &shortened(&escaped(call.input()), most));
    let folder = facts.working_folder();
    if folder != facts.root() {
        line("in", &plain(&folder.to_string_lossy()));
    }
    let decision = asked.decision();
    let rule = match (&decision.rule, &decision.source) {
        (Some(rule), Some(source)) => format!(" (rule `{}`, {source})", plain(rule)),
        _ => String::new(),
    };
    line("because", &format!("{}{rule}", plain(&decision.reason)));
    let effects = call.effects();
    if effects.destructive {
        line("careful", "it may destroy what is there");
    }
    if effects.open_world {
        line("careful", "it may reach beyond this machine");
    }
    match always {
        Ok(always) => {
            for (rule, covers) in always.rules.iter().zip(&always.covers) {
                line("always", &format!("{}: {}", plain(rule), plain(covers)));
            }
        }
        Err(why) => line("always", &format!("not offered: {}", plain(why))),
    }
    text
}

/// The bytes as they are, with what a terminal would act on or not show written out.
fn escaped(input: &str) -> String {
    visible(input).replace('\n', "\\n").replace('\t', "\\t")
}

fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let head: String = text.chars().take(most / 2).collect();
    let tail: String = text.chars().skip(count - most / 2).collect();
    let left_out = count - 2 * (most / 2);
    format!("{head} … [{left_out} more characters, `v` shows all] … {tail}")
}
