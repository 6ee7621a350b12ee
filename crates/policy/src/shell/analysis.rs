//! What the analysis of a command line found, as plain data.

use std::borrow::Cow;
use std::path::PathBuf;

/// All that was found in one command line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// Every command in the order of the text, with those inside others after their parent.
    pub commands: Vec<Command>,
    /// Why the line as a whole is at least asked about, if anything: what could not be parsed or
    /// could run text that no parser sees.
    pub undecidable: Vec<String>,
    /// Why the line can never be a valid one (a NUL).
    pub invalid: Option<String>,
    /// Whether a `cd` may outlive the line: it would change the kept working folder.
    pub changes_folder: bool,
}

impl Analysis {
    /// Whether the line can only look. False when anything in it is not decided.
    pub fn is_read_only(&self) -> bool {
        self.obstacle().is_none()
    }

    /// Why the line is not read-only, or nothing if it is.
    pub fn obstacle(&self) -> Option<&str> {
        if let Some(invalid) = &self.invalid {
            return Some(invalid);
        }
        if let Some(reason) = self.undecidable.first() {
            return Some(reason);
        }
        self.commands
            .iter()
            .find(|command| !command.read_only)
            .map(|command| command.reason.as_str())
    }

    /// Every path that is read, in operands, options and redirections.
    pub fn reads(&self) -> impl Iterator<Item = &PathUse> {
        self.commands.iter().flat_map(Command::all_reads)
    }

    /// Every path that is written, in operands, options and redirections.
    pub fn writes(&self) -> impl Iterator<Item = &PathUse> {
        self.commands.iter().flat_map(Command::all_writes)
    }

    /// What runs something that is not read-only is not either.
    pub(super) fn spread(&mut self) {
        for index in (0..self.commands.len()).rev() {
            let Some(command) = self.commands.get(index) else {
                continue;
            };
            let (Some(parent), false) = (command.parent, command.read_only) else {
                continue;
            };
            let reason = match &command.program {
                Some(program) => format!("it runs `{program}`: {}", command.reason),
                None => command.reason.clone(),
            };
            if let Some(parent) = self.commands.get_mut(parent)
                && parent.read_only
            {
                parent.read_only = false;
                parent.reason = reason;
            }
        }
    }

    /// Whether `reads` and `writes` are all that the line touches, each of them decided. When
    /// not, its footprint is everything.
    pub fn is_fully_known(&self) -> bool {
        self.invalid.is_none()
            && self.undecidable.is_empty()
            && self.commands.iter().all(|command| command.is_bounded)
            && self
                .reads()
                .chain(self.writes())
                .all(|path| path.path.is_some())
    }
}

/// What sort of thing a [`Command`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A program, builtin or function with its arguments. Only these are matched by allow rules.
    Simple,
    /// Assignments alone, without a program.
    Assignment,
    /// Redirections alone, or those of a group, loop or function definition.
    Redirection,
    /// The definition of a function.
    Function,
    /// `[[ … ]]` or `(( … ))`.
    Condition,
    /// Words found in text that could not be parsed. Only deny and ask rules may use it.
    Salvaged,
}

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The sort of command.
    pub kind: Kind,
    /// The command that this one stands in, as an index into [`Analysis::commands`].
    pub parent: Option<usize>,
    /// What led here from the parent: `command substitution`, `env`, `bash -c`, `find -exec`, …
    pub via: Option<Cow<'static, str>>,
    /// The assignments before the program.
    pub assignments: Vec<Assignment>,
    /// The words exactly as typed, without assignments and redirections.
    pub raw: Vec<String>,
    /// The words after quote removal and literal expansion.
    pub argv: Vec<Word>,
    /// The last part of the program's name, or nothing if that is not decidable.
    pub program: Option<String>,
    /// Whether the program is named by a path.
    pub is_path_qualified: bool,
    /// Whether the program runs another that its arguments name (`env`, `xargs`, `bash -c`, …).
    /// What it runs follows as a command of its own where it is decidable.
    pub is_wrapper: bool,
    /// Whether the tables know the program, so that none of its arguments is a program unless a
    /// child command says so. Of an unknown one, any argument may be run.
    pub is_known: bool,
    /// Whether the line gives it something to read on stdin: through a pipe or a redirection.
    pub is_fed: bool,
    /// Whether it can only look.
    pub read_only: bool,
    /// Whether its `reads` and `writes` are all that it touches: it can only look, or it would if
    /// not for files that its redirections write.
    pub is_bounded: bool,
    /// Why it is read-only or not, without a full stop.
    pub reason: String,
    /// Why it would be read-only if only it were run hardened (git), if so.
    pub conditional: Option<String>,
    /// Paths that the arguments make it read.
    pub reads: Vec<PathUse>,
    /// Paths that the arguments make it write.
    pub writes: Vec<PathUse>,
    /// Options that make a known tool run a program or write a file: an allow rule must spell
    /// them.
    pub risks: Vec<Risk>,
    /// Its redirections.
    pub redirections: Vec<Redirection>,
    /// The folders that it may run in, or nothing if that is not decidable.
    pub folders: Option<Vec<PathBuf>>,
    /// Why it is a critical removal, if it is: a recursive one of `/`, of the home, or of
    /// something undecidable.
    pub critical: Option<String>,
    /// Hosts that its arguments evidently name.
    pub hosts: Vec<String>,
}

impl Command {
    /// What it reads through arguments and redirections.
    pub fn all_reads(&self) -> impl Iterator<Item = &PathUse> {
        self.reads
            .iter()
            .chain(self.redirections.iter().flat_map(|r| &r.reads))
    }

    /// What it writes through arguments and redirections.
    pub fn all_writes(&self) -> impl Iterator<Item = &PathUse> {
        self.writes
            .iter()
            .chain(self.redirections.iter().flat_map(|r| &r.writes))
    }

    /// The decided words of the program and its arguments up to the first undecidable one.
    pub fn literal_prefix(&self) -> Vec<&str> {
        self.argv.iter().map_while(Word::literal).collect()
    }

    /// Whether every assignment before it is inert.
    pub fn has_only_inert_assignments(&self) -> bool {
        self.assignments.iter().all(|a| a.is_inert)
    }
}

/// One word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As typed.
    pub raw: String,
    /// As the program gets it.
    pub value: Value,
}

impl Word {
    /// The text that the program gets, if it is decidable.
    pub fn literal(&self) -> Option<&str> {
        match &self.value {
            Value::Literal(text) => Some(text),
            Value::Unknown(_) => None,
        }
    }
}

/// What a word becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Exactly this text.
    Literal(String),
    /// Something that only running it would show.
    Unknown(Unknown),
}

/// A word that is not decidable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// Why.
    pub why: Cow<'static, str>,
    /// The text that it surely begins with.
    pub prefix: String,
    /// Whether it may become no word or several.
    pub may_split: bool,
    /// The pattern, if it is one and nothing else about it is unknown.
    pub glob: Option<String>,
    /// Whether the shell surely takes it for a pattern of file names, known or not.
    pub is_pattern: bool,
}

/// An assignment before a command, or alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// As typed, with its value.
    pub raw: String,
    /// Whether it changes nothing but language, time zone or colour of what is printed.
    pub is_inert: bool,
}

/// A path that is read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathUse {
    /// As typed.
    pub raw: String,
    /// Absolute, with `.` and `..` resolved by spelling, or nothing if it is not decidable.
    pub path: Option<PathBuf>,
    /// The same with `.` and `..` as typed: what the kernel walks, where a link may stand before
    /// a `..`.
    pub walked: Option<PathBuf>,
    /// The absolute pattern of an undecidable path, if it is a glob.
    pub glob: Option<String>,
    /// Whether all below the path belongs to it.
    pub deep: bool,
    /// Whether only the names in that folder are looked at: the shell matches a pattern there.
    pub is_listing: bool,
}

/// An option that makes a tool run a program or write a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Risk {
    /// The option as it is usually written, such as `-exec` or `--pre`.
    pub option: String,
    /// The place in [`Command::argv`] of the word that holds it.
    pub at: usize,
    /// What it does, without a full stop.
    pub why: Cow<'static, str>,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// As typed, operator and target.
    pub raw: String,
    /// The paths it reads: one for each folder that the command may run in.
    pub reads: Vec<PathUse>,
    /// The paths it writes. Neither `/dev/null` nor a copy of a descriptor is one.
    pub writes: Vec<PathUse>,
}
