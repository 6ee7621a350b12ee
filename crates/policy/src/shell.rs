//! Reads a command line for bash without running it: which commands it is made of, what each is
//! given, and whether it can do more than look.
//!
//! [`analyse`] is a function of its arguments. It parses the text (`syntax`), walks it as bash
//! would run it (`walk`), expands words as far as they can be known, and holds each argument
//! list against tables of allowed options (`data/*.toml`). Everything it does not know makes a
//! command not read-only, and what no reader of the text could know makes the line undecidable.
//!
//! Three things it is not: it does not say that a command is harmful, it is no sandbox, and it
//! looks at no file. The names in the tables are taken to mean the programs that a system comes
//! with; the shell must be started with a clean environment and without start-up files.
//!
//! The parser is a recursive descent with its own limit of depth, so that no text, however
//! deeply nested, can exhaust a thread's stack.

pub use analysis::{
    Analysis, Assignment, Command, Kind, PathUse, Redirection, Risk, Unknown, Value, Word,
};
pub use facts::{NoShellFacts, ShellFacts};

mod analysis;
mod brace;
mod check;
mod expand;
mod facts;
mod options;
mod salvage;
mod state;
mod syntax;
mod tables;
mod variables;
mod walk;

#[cfg(test)]
mod tests;

use std::path::Path;

use state::State;
use walk::{Place, Walker};

/// The longest text that may be decided, in bytes. A longer one is looked at all the same, so
/// that no deny is lost.
const MAX_BYTES: usize = 10_000;
/// The longest text that is looked at.
const MAX_BYTES_SEEN: usize = 200_000;

/// Reads a command line that would be run by `bash -c` in `folder`.
pub fn analyse(command: &str, folder: &Path, facts: &dyn ShellFacts) -> Analysis {
    let mut walker = Walker::new(facts);
    if command.contains('\0') {
        walker.found.invalid = Some("it holds a NUL, which no argument can".to_owned());
    }
    if command.len() > MAX_BYTES {
        walker.undecidable(format!("it is longer than {MAX_BYTES} bytes"));
    }
    if let Some(hidden) = command.chars().find(|c| is_hidden(*c)) {
        walker.undecidable(format!(
            "it holds U+{:04X}, which is not shown as what it is",
            u32::from(hidden)
        ));
    }
    let mut state = State::new(folder, facts);
    let place = Place::default();
    if command.len() > MAX_BYTES_SEEN {
        walker.salvage(command, &place, &state);
        return walker.found;
    }
    walker.text(command, &mut state, &place);
    walker.found.spread();
    walker.found
}

/// Characters that a person does not see, or sees elsewhere than they stand.
fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\t'))
        || matches!(
            c,
            '\u{a0}'
                | '\u{ad}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{180e}'
                | '\u{2000}'..='\u{200f}'
                | '\u{2028}'..='\u{202f}'
                | '\u{205f}'..='\u{206f}'
                | '\u{3000}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
