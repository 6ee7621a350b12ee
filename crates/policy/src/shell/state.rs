//! What is known at one place of a line: variables, functions, and the folder it runs in.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

use super::analysis::{PathUse, Unknown, Value, Word};
use super::facts::ShellFacts;

/// How many folders are tracked at once; more count as unknown.
const MAX_FOLDERS: usize = 8;
/// How many variables are tracked.
const MAX_VARIABLES: usize = 128;
/// The longest value that is tracked, in bytes.
const MAX_VALUE: usize = 512;

/// Why a process substitution is unknown; it is no path that anyone could have a rule about.
pub(super) const PROCESS: &str = "a process substitution";

/// The folders that a command may run in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Folders {
    Known(Vec<PathBuf>),
    Unknown,
}

impl Folders {
    pub(super) fn joined(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Known(mine), Self::Known(theirs)) => {
                let mut all = mine.clone();
                all.extend(theirs.iter().filter(|f| !mine.contains(f)).cloned());
                if all.len() > MAX_FOLDERS {
                    Self::Unknown
                } else {
                    Self::Known(all)
                }
            }
            _ => Self::Unknown,
        }
    }

    /// The folders after a `cd` to this word succeeded.
    pub(super) fn entered(&self, target: &str) -> Self {
        match self {
            _ if target.is_empty() => self.clone(),
            Self::Known(folders) => {
                let mut all: Vec<PathBuf> = Vec::new();
                for folder in folders {
                    let next = lexical(&folder.join(target));
                    if !all.contains(&next) {
                        all.push(next);
                    }
                }
                Self::Known(all)
            }
            Self::Unknown if target.starts_with('/') => {
                Self::Known(vec![lexical(Path::new(target))])
            }
            Self::Unknown => Self::Unknown,
        }
    }

    pub(super) fn listed(&self) -> Option<Vec<PathBuf>> {
        match self {
            Self::Known(folders) => Some(folders.clone()),
            Self::Unknown => None,
        }
    }
}

/// Where a command ends up when it succeeds and when it fails.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    pub(super) success: Folders,
    pub(super) failure: Folders,
}

impl Flow {
    pub(super) fn same(folders: &Folders) -> Self {
        Self {
            success: folders.clone(),
            failure: folders.clone(),
        }
    }

    pub(super) fn either(&self) -> Folders {
        self.success.joined(&self.failure)
    }
}

/// What is known at one place.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) variables: HashMap<String, Value>,
    pub(super) functions: HashSet<String>,
    /// Those of them that may change the folder.
    pub(super) folder_functions: HashSet<String>,
    /// `$0`, `$1`, … where a nested shell was given them.
    pub(super) positional: Option<Vec<Word>>,
    pub(super) folders: Folders,
    pub(super) previous: Folders,
    /// Whether this is a shell within the shell: its `cd` does not outlive it.
    pub(super) is_subshell: bool,
}

impl State {
    pub(super) fn new(folder: &Path, facts: &dyn ShellFacts) -> Self {
        let mut variables = HashMap::new();
        if let Some(home) = facts.home().and_then(Path::to_str) {
            variables.insert("HOME".to_owned(), Value::Literal(home.to_owned()));
        }
        variables.insert("IFS".to_owned(), Value::Literal(" \t\n".to_owned()));
        Self {
            variables,
            functions: HashSet::new(),
            folder_functions: HashSet::new(),
            positional: None,
            folders: Folders::Known(vec![lexical(folder)]),
            previous: Folders::Unknown,
            is_subshell: false,
        }
    }

    /// A copy for a subshell.
    pub(super) fn subshell(&self) -> Self {
        Self {
            is_subshell: true,
            ..self.clone()
        }
    }

    /// Whether unquoted expansions split at blanks and newlines, as they do at first.
    pub(super) fn splits_at_blanks(&self) -> bool {
        matches!(self.variables.get("IFS"), Some(Value::Literal(ifs)) if ifs == " \t\n")
    }

    /// Gives a variable a value.
    pub(super) fn set(&mut self, name: &str, value: Value) {
        let is_long = matches!(&value, Value::Literal(text) if text.len() > MAX_VALUE);
        let value = if is_long {
            unknown("a long value")
        } else {
            value
        };
        // One that is not in the map is unknown as well, but for these.
        let has_room = self.variables.len() < MAX_VARIABLES
            || self.variables.contains_key(name)
            || matches!(name, "HOME" | "IFS" | "PWD" | "CDPATH");
        if has_room {
            self.variables.insert(name.to_owned(), value);
        }
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.set(name, unknown("a variable that changes"));
    }

    /// What holds after one of two ways was taken.
    pub(super) fn merge(&mut self, other: &Self) {
        for (name, value) in &other.variables {
            if self.variables.get(name) != Some(value) {
                self.forget(name);
            }
        }
        let gone: Vec<String> = self
            .variables
            .keys()
            .filter(|name| !other.variables.contains_key(*name))
            .cloned()
            .collect();
        for name in gone {
            self.forget(&name);
        }
        // A name that is a function on one way only may be a program on the other.
        self.functions.retain(|name| other.functions.contains(name));
        self.folder_functions
            .extend(other.folder_functions.iter().cloned());
        self.folders = self.folders.joined(&other.folders);
        self.previous = self.previous.joined(&other.previous);
    }

    /// The uses of the path that a word names, one for each folder it may be taken from.
    pub(super) fn paths(&self, word: &Word, deep: bool, facts: &dyn ShellFacts) -> Vec<PathUse> {
        match &word.value {
            Value::Literal(text) => self.literal_paths(&word.raw, text, deep),
            Value::Unknown(unknown) if unknown.why == PROCESS => Vec::new(),
            Value::Unknown(unknown) => self.unknown_paths(&word.raw, unknown, deep, facts),
        }
    }

    pub(super) fn literal_paths(&self, raw: &str, text: &str, deep: bool) -> Vec<PathUse> {
        let make = |walked: PathBuf| PathUse {
            raw: raw.to_owned(),
            path: Some(lexical(&walked)),
            walked: Some(walked),
            glob: None,
            deep,
            is_listing: false,
        };
        match &self.folders {
            _ if text.starts_with('/') => vec![make(PathBuf::from(text))],
            Folders::Known(folders) => folders.iter().map(|f| make(f.join(text))).collect(),
            Folders::Unknown => vec![undecided(raw, deep)],
        }
    }

    /// The folders in which the shell looks for names that a word's pattern matches.
    pub(super) fn listings(&self, word: &Word, facts: &dyn ShellFacts) -> Vec<PathUse> {
        let Value::Unknown(unknown) = &word.value else {
            return Vec::new();
        };
        if !unknown.is_pattern {
            return Vec::new();
        }
        if unknown.glob.is_none() {
            return vec![undecided(&word.raw, true)];
        }
        // The folder before the first pattern, and those of all that matches.
        let first = match unknown.prefix.rsplit_once('/') {
            Some(("", _)) => "/",
            Some((folder, _)) => folder,
            None => ".",
        };
        let mut uses = self.literal_paths(&word.raw, first, true);
        for matched in self.unknown_paths(&word.raw, unknown, false, facts) {
            let above = |path: Option<PathBuf>| path?.parent().map(Path::to_path_buf);
            let listing = PathUse {
                path: above(matched.path),
                walked: above(matched.walked),
                deep: true,
                ..matched
            };
            if !uses.iter().any(|used| used.path == listing.path) {
                uses.push(listing);
            }
        }
        for used in &mut uses {
            used.is_listing = true;
        }
        uses
    }

    fn unknown_paths(
        &self,
        raw: &str,
        unknown: &Unknown,
        deep: bool,
        facts: &dyn ShellFacts,
    ) -> Vec<PathUse> {
        let (Some(glob), Folders::Known(folders)) = (&unknown.glob, &self.folders) else {
            return vec![undecided(raw, deep)];
        };
        if let Some(folder) = glob.strip_suffix("/**") {
            return self.literal_paths(raw, folder, true);
        }
        let mut uses = Vec::new();
        for folder in folders {
            let pattern = match folder.to_str() {
                _ if glob.starts_with('/') => glob.clone(),
                Some(folder) => format!("{}/{glob}", folder.trim_end_matches('/')),
                None => return vec![undecided(raw, deep)],
            };
            match facts.glob(&pattern) {
                Some(found) => {
                    uses.extend(found.into_iter().map(|path| PathUse {
                        raw: raw.to_owned(),
                        walked: Some(path.clone()),
                        path: Some(lexical(&path)),
                        glob: Some(pattern.clone()),
                        deep,
                        is_listing: false,
                    }));
                    // Where nothing matches, the pattern itself is the word.
                    if uses.is_empty() {
                        uses.extend(self.literal_paths(raw, &pattern, deep));
                    }
                }
                None => uses.push(PathUse {
                    glob: Some(pattern),
                    ..undecided(raw, deep)
                }),
            }
        }
        uses
    }
}

/// Something that is read or written, and nobody knows what.
pub(super) fn undecided(raw: &str, deep: bool) -> PathUse {
    PathUse {
        raw: raw.to_owned(),
        path: None,
        walked: None,
        glob: None,
        deep,
        is_listing: false,
    }
}

/// Something unknown that may be any number of words.
pub(super) fn unknown(why: &'static str) -> Value {
    Value::Unknown(Unknown {
        why: why.into(),
        prefix: String::new(),
        may_split: true,
        glob: None,
        is_pattern: false,
    })
}

/// A path without `.` and `..`, by its spelling.
pub(super) fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            other => clean.push(other),
        }
    }
    clean
}
