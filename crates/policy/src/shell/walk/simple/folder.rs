//! `cd`, `pushd` and `popd`: where the shell goes.

use super::super::Walker;
use crate::shell::analysis::Word;
use crate::shell::state::{Flow, Folders, State};

impl Walker<'_> {
    /// The folders after a command that changes them, or nothing if it is none.
    pub(super) fn folder_change(
        &mut self,
        program: &str,
        argv: &[Word],
        index: usize,
        state: &mut State,
    ) -> Option<Flow> {
        if !matches!(program, "cd" | "pushd" | "popd") {
            return None;
        }
        self.note_folder_change(state);
        let before = state.folders.clone();
        let target = self.target_folder(program, argv, state);
        let is_target_known = matches!(target, Folders::Known(_));
        if !is_target_known && program != "popd" && argv.len() > 1 {
            self.reads_unknown_folder(argv, index, state);
        }
        state.previous = before.clone();
        state.folders = target.clone();
        // `$PWD` follows; a value that was assigned does not.
        state.variables.remove("PWD");
        Some(Flow {
            success: target,
            failure: before,
        })
    }

    fn target_folder(&self, program: &str, argv: &[Word], state: &State) -> Folders {
        let mut words = argv.get(1..).unwrap_or_default();
        if program == "popd" {
            return Folders::Unknown;
        }
        while let Some((first, rest)) = words.split_first() {
            match first.literal() {
                Some("--" | "-L") => words = rest,
                _ => break,
            }
        }
        // `CDPATH` could lead elsewhere.
        if state.variables.contains_key("CDPATH") {
            return Folders::Unknown;
        }
        match words {
            [] if program == "cd" => match state.variables.get("HOME") {
                Some(crate::shell::Value::Literal(home)) => state.folders.entered(home),
                _ => Folders::Unknown,
            },
            [word] => match word.literal() {
                Some("-") => state.previous.clone(),
                Some(text) if text.starts_with(['-', '+']) => Folders::Unknown,
                Some(text) => state.folders.entered(text),
                None => Folders::Unknown,
            },
            _ => Folders::Unknown,
        }
    }

    fn reads_unknown_folder(&mut self, argv: &[Word], index: usize, state: &State) {
        for word in argv.iter().skip(1).filter(|word| word.literal().is_none()) {
            let paths = state.paths(word, false, self.facts);
            if let Some(command) = self.command(index) {
                command.reads.extend(paths);
            }
        }
    }

    /// Remembers that the kept folder changes, unless only a subshell moves.
    pub(super) fn note_folder_change(&mut self, state: &State) {
        self.found.changes_folder |= !state.is_subshell;
    }
}
