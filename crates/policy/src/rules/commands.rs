//! Command rules by the program and the word after it.

use super::*;
use crate::rule::{CommandPattern, unquoted};

/// Rules by the name of their program, in lower case and without its folder.
#[derive(Debug, Clone, Default)]
pub(super) struct CommandIndex {
    programs: HashMap<String, Program>,
    /// Patterns whose program is not sure.
    open: Vec<Id>,
    /// Deny and ask rules.
    broad: HashSet<Id>,
    any_broad: Option<Id>,
}

#[derive(Debug, Clone, Default)]
struct Program {
    /// Patterns that need this word somewhere after the program.
    by_second: HashMap<String, Vec<Id>>,
    rest: Vec<Id>,
    all_broad: Vec<Id>,
}

impl CommandIndex {
    pub(super) fn add(&mut self, id: Id, pattern: &CommandPattern, is_broad: bool) {
        if is_broad {
            self.broad.insert(id);
            self.any_broad.get_or_insert(id);
        }
        let Some(name) = pattern.program() else {
            self.open.push(id);
            return;
        };
        let program = self.programs.entry(name.to_lowercase()).or_default();
        if is_broad {
            program.all_broad.push(id);
        }
        match pattern.second() {
            Some(second) => program
                .by_second
                .entry(second.to_owned())
                .or_default()
                .push(id),
            None => program.rest.push(id),
        }
    }

    /// Deny and ask rules that may fit.
    pub(super) fn broad(&self, argv: &Argv<'_>) -> Vec<Id> {
        let mut found: Vec<Id> = self.open.clone();
        if let Some(program) = argv
            .first()
            .copied()
            .flatten()
            .and_then(|word| self.program(word))
        {
            if argv.iter().all(Option::is_some) {
                program.collect(argv.iter().skip(1).filter_map(|word| *word), &mut found);
            } else {
                found.extend(&program.all_broad);
            }
        }
        found.retain(|id| self.broad.contains(id));
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Allow rules that may fit.
    pub(super) fn narrow(&self, raw: &[String]) -> Vec<Id> {
        let mut found: Vec<Id> = self.open.clone();
        if let Some(program) = raw.first().and_then(|word| self.program(word)) {
            // Patterns are found by their words without quotes, and compared with them.
            let words: Vec<String> = raw.iter().skip(1).map(|word| unquoted(word)).collect();
            program.collect(words.iter().map(String::as_str), &mut found);
        }
        found.retain(|id| !self.broad.contains(id));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn program(&self, word: &str) -> Option<&Program> {
        let name = basename(word);
        match self.programs.get(name) {
            Some(program) => Some(program),
            None => self.programs.get(&name.to_lowercase()),
        }
    }

    pub(super) fn any_broad(&self) -> Option<Id> {
        self.any_broad
    }

    pub(super) fn broad_program(&self, name: &str) -> Option<Id> {
        self.program(name)?.all_broad.first().copied()
    }
}

impl Program {
    fn collect<'w>(&self, words: impl Iterator<Item = &'w str>, found: &mut Vec<Id>) {
        found.extend(&self.rest);
        if self.by_second.is_empty() {
            return;
        }
        for word in words {
            found.extend(self.by_second.get(word).into_iter().flatten());
        }
    }
}
