//! What a loop or function may change, by its text alone.

use std::collections::BTreeSet;

use super::Walker;
use crate::shell::state::{Folders, State};
use crate::shell::syntax::{Body, PartKind, Pipeline, RawWord, Script, Stage};

/// Builtins that assign variables which only their arguments name.
const ASSIGNING: [&str; 14] = [
    "read", "mapfile", "readarray", "declare", "typeset", "local", "export", "readonly", "getopts",
    "eval", "source", ".", "unset", "printf",
];

#[derive(Default)]
struct Changes<'v> {
    names: BTreeSet<String>,
    all_names: bool,
    folder: bool,
    /// The variable of a loop with all the values it takes.
    loop_values: Option<(&'v str, &'v [&'v str])>,
}

impl Walker<'_> {
    /// Makes unknown what these scripts may change, since they may have run before.
    pub(super) fn taint(&mut self, scripts: &[&Script], state: &mut State) {
        let mut changes = Changes::default();
        for script in scripts {
            changes.script(script);
        }
        changes.apply(state);
    }

    /// The same for the body of a loop whose variable takes just these values.
    pub(super) fn taint_loop(
        &mut self,
        body: &Script,
        values: Option<(&str, &[&str])>,
        state: &mut State,
    ) {
        let mut changes = Changes {
            loop_values: values,
            ..Changes::default()
        };
        changes.script(body);
        if values.is_some_and(|(name, _)| changes.names.contains(name)) {
            return self.taint(&[body], state);
        }
        changes.apply(state);
    }
}

impl Changes<'_> {
    fn apply(&self, state: &mut State) {
        let changes = self;
        if changes.all_names {
            let names: Vec<String> = state.variables.keys().cloned().collect();
            for name in names {
                state.forget(&name);
            }
        }
        for name in &changes.names {
            state.forget(name);
        }
        if changes.folder {
            state.folders = Folders::Unknown;
            state.previous = Folders::Unknown;
        }
    }
}

/// Whether a command may change the folder of the shell that runs it.
pub(super) fn may_change_folder(stage: &Stage) -> bool {
    let mut changes = Changes::default();
    changes.stage(stage);
    changes.folder
}

impl Changes<'_> {
    fn script(&mut self, script: &Script) {
        for item in &script.items {
            self.pipeline(&item.first);
            for (_, pipeline) in &item.rest {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for stage in &pipeline.stages {
            self.stage(stage);
        }
    }

    fn stage(&mut self, stage: &Stage) {
        match &stage.body {
            Body::Simple { assigns, words } => {
                for assign in assigns {
                    self.names.insert(assign.name.clone());
                }
                for word in words {
                    self.word(word);
                }
                if let Some(word) = words.first() {
                    self.program(word);
                }
            }
            Body::Group(script) | Body::Subshell(script) => self.script(script),
            Body::If { arms, otherwise } => {
                for (test, body) in arms {
                    self.script(test);
                    self.script(body);
                }
                if let Some(otherwise) = otherwise {
                    self.script(otherwise);
                }
            }
            Body::For { name, body, .. } => {
                self.names.insert(name.clone());
                self.script(body);
            }
            Body::ArithmeticFor { body, .. } => {
                self.all_names = true;
                self.script(body);
            }
            Body::While { test, body } => {
                self.script(test);
                self.script(body);
            }
            Body::Case { arms, .. } => {
                for (_, body) in arms {
                    self.script(body);
                }
            }
            Body::Function { body, .. } | Body::Coprocess(body) => self.stage(body),
            Body::Condition(_) => {}
            Body::Arithmetic(_) => self.all_names = true,
        }
    }

    /// `${name:=…}` assigns, and arithmetic may.
    fn word(&mut self, word: &RawWord) {
        for part in &word.parts {
            match &part.kind {
                PartKind::Parameter(parameter)
                    if matches!(parameter.operator.as_str(), ":=" | "=") =>
                {
                    self.names.insert(parameter.name.clone());
                }
                PartKind::Arithmetic(_) => self.all_names = true,
                _ => {}
            }
        }
    }

    fn program(&mut self, word: &RawWord) {
        if let (Some((name, values)), [part]) = (self.loop_values, word.parts.as_slice())
            && let PartKind::Parameter(parameter) = &part.kind
            && parameter.name == name
            && parameter.operator.is_empty()
            && !parameter.has_index
        {
            for value in values {
                self.named(value.split_whitespace().next().unwrap_or(""));
            }
            return;
        }
        self.named(&word.raw);
    }

    fn named(&mut self, name: &str) {
        // A name that is not plain may become any builtin.
        let is_plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '[' | ':'));
        let is_indirect =
            !is_plain || matches!(name, "builtin" | "command" | "eval" | "source" | ".");
        self.folder |= is_indirect || matches!(name, "cd" | "pushd" | "popd");
        self.all_names |= is_indirect || ASSIGNING.contains(&name);
    }
}
