//! Goes through a script as bash would run it and notes each command.
//!
//! Both ways of every branch are taken, loops over known words are taken once a word, and what a
//! loop may change is unknown inside it. Of the folder, it is tracked where a command leads when
//! it succeeds and when it fails.

use std::borrow::Cow;

use super::analysis::{Analysis, Command, Kind, Value, Word};
use super::expand::Expansion;
use super::facts::ShellFacts;
use super::state::{Flow, Folders, State, unknown};
use super::syntax::{Body, Item, Join, MAX_DEPTH, Part, Pipeline, RawWord, Script, Stage};

mod conditions;
mod redirects;
mod simple;
mod taint;

/// How many commands may be found before loops are no longer taken word by word.
const MAX_COMMANDS: usize = 500;
/// How many shells, or texts that are evaluated, may stand in each other.
const MAX_SHELLS: usize = 8;
/// How much text of nested shells is read, in bytes.
const MAX_NESTED_TEXT: usize = 1_000_000;
/// How many words a loop is taken through one by one.
const MAX_ROUNDS: usize = 16;

/// Where a command stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) parent: Option<usize>,
    pub(super) via: Option<Cow<'static, str>>,
    pub(super) depth: usize,
    /// How many commands wrap it.
    pub(super) wrappers: usize,
    /// How many shells within the shell, or texts that are evaluated, it stands in.
    pub(super) shells: usize,
    /// Whether the line gives it something to read on stdin.
    pub(super) is_fed: bool,
}

impl Place {
    pub(super) fn below(&self, parent: usize, via: impl Into<Cow<'static, str>>) -> Self {
        Self {
            parent: Some(parent),
            via: Some(via.into()),
            depth: self.depth + 1,
            wrappers: self.wrappers,
            shells: self.shells,
            is_fed: self.is_fed,
        }
    }
}

/// Collects the commands of a line.
pub(super) struct Walker<'f> {
    pub(super) facts: &'f dyn ShellFacts,
    pub(super) found: Analysis,
    /// How much text was parsed.
    parsed: usize,
}

impl<'f> Walker<'f> {
    pub(super) fn new(facts: &'f dyn ShellFacts) -> Self {
        Self {
            facts,
            found: Analysis::default(),
            parsed: 0,
        }
    }

    /// Remembers why the line as a whole is undecidable.
    pub(super) fn undecidable(&mut self, reason: impl Into<String>) {
        let reason = reason.into();
        if !self.found.undecidable.contains(&reason) {
            self.found.undecidable.push(reason);
        }
    }

    /// Adds a command that is read-only until something is found against it.
    pub(super) fn push(&mut self, kind: Kind, place: &Place, state: &State) -> usize {
        self.found.commands.push(Command {
            kind,
            parent: place.parent,
            via: place.via.clone(),
            assignments: Vec::new(),
            raw: Vec::new(),
            argv: Vec::new(),
            program: None,
            is_path_qualified: false,
            is_wrapper: false,
            is_known: true,
            is_fed: place.is_fed,
            read_only: true,
            is_bounded: true,
            reason: String::new(),
            conditional: None,
            reads: Vec::new(),
            writes: Vec::new(),
            risks: Vec::new(),
            redirections: Vec::new(),
            folders: state.folders.listed(),
            critical: None,
            hosts: Vec::new(),
        });
        self.found.commands.len() - 1
    }

    pub(super) fn command(&mut self, index: usize) -> Option<&mut Command> {
        self.found.commands.get_mut(index)
    }

    /// Marks a command as not read-only, for the first reason that is found.
    pub(super) fn not_read_only(&mut self, index: usize, reason: impl Into<String>) {
        if let Some(command) = self.command(index) {
            command.is_bounded = false;
        }
        self.writes_to(index, reason);
    }

    /// The same for a command that changes what its `writes` name, and nothing else for this reason.
    pub(super) fn writes_to(&mut self, index: usize, reason: impl Into<String>) {
        if let Some(command) = self.command(index)
            && command.read_only
        {
            command.read_only = false;
            command.reason = reason.into();
        }
    }

    /// Parses and walks a text that is run as a script.
    pub(super) fn text(&mut self, text: &str, state: &mut State, place: &Place) -> Flow {
        self.parsed += text.len();
        let too_much = if place.depth > MAX_DEPTH || place.shells > MAX_SHELLS {
            Some("shells within shells nest too deep")
        } else if self.parsed > MAX_NESTED_TEXT {
            Some("shells within shells hold too much text")
        } else {
            None
        };
        if let Some(reason) = too_much {
            self.undecidable(reason);
            let words: Vec<Word> = text
                .split(|c: char| c.is_whitespace() || "'\"();&|{}`".contains(c))
                .filter(|word| !word.is_empty())
                .map(|word| Word {
                    raw: word.to_owned(),
                    value: Value::Literal(word.replace('\\', "")),
                })
                .collect();
            self.salvage_words(&words, place, state);
            return Flow::same(&Folders::Unknown);
        }
        let parsed = super::syntax::parse(text, place.depth);
        for note in parsed.notes {
            self.undecidable(note);
        }
        let flow = self.script(&parsed.script, state, place);
        if let Some((at, refusal)) = parsed.refused {
            self.undecidable(refusal.reason);
            self.salvage(text.get(at..).unwrap_or(text), place, state);
        }
        flow
    }

    /// Walks commands one after the other.
    pub(super) fn script(&mut self, script: &Script, state: &mut State, place: &Place) -> Flow {
        let mut flow = Flow::same(&state.folders);
        for item in &script.items {
            if item.in_background {
                let mut apart = state.subshell();
                self.item(item, &mut apart, place);
                flow = Flow::same(&state.folders);
            } else {
                flow = self.item(item, state, place);
                state.folders = flow.either();
            }
        }
        flow
    }

    fn item(&mut self, item: &Item, state: &mut State, place: &Place) -> Flow {
        let mut flow = self.pipeline(&item.first, state, place);
        for (join, pipeline) in &item.rest {
            let mut branch = state.clone();
            branch.folders = match join {
                Join::And => flow.success.clone(),
                Join::Or => flow.failure.clone(),
            };
            let next = self.pipeline(pipeline, &mut branch, place);
            flow = match join {
                Join::And => Flow {
                    success: next.success,
                    failure: flow.failure.joined(&next.failure),
                },
                Join::Or => Flow {
                    success: flow.success.joined(&next.success),
                    failure: next.failure,
                },
            };
            state.merge(&branch);
        }
        flow
    }

    fn pipeline(&mut self, pipeline: &Pipeline, state: &mut State, place: &Place) -> Flow {
        let flow = match pipeline.stages.as_slice() {
            [stage] => self.stage(stage, state, place),
            stages => {
                let mut place = place.clone();
                for stage in stages {
                    self.stage(stage, &mut state.subshell(), &place);
                    place.is_fed = true;
                }
                Flow::same(&state.folders)
            }
        };
        if pipeline.negated {
            return Flow {
                success: flow.failure,
                failure: flow.success,
            };
        }
        flow
    }

    /// Walks one command with its redirections.
    pub(super) fn stage(&mut self, stage: &Stage, state: &mut State, place: &Place) -> Flow {
        if let Body::Simple { assigns, words } = &stage.body {
            return self.simple(assigns, words, &stage.redirects, state, place);
        }
        let place = if stage.redirects.is_empty() {
            place.clone()
        } else {
            let index = self.push(Kind::Redirection, place, state);
            self.redirects(&stage.redirects, index, state, place);
            let mut place = place.below(index, "redirection");
            place.is_fed |= self.command(index).is_some_and(|command| command.is_fed);
            place
        };
        self.compound(&stage.body, state, &place)
    }

    fn compound(&mut self, body: &Body, state: &mut State, place: &Place) -> Flow {
        match body {
            Body::Simple { assigns, words } => self.simple(assigns, words, &[], state, place),
            Body::Group(script) => self.script(script, state, place),
            Body::Subshell(script) => {
                self.script(script, &mut state.subshell(), place);
                Flow::same(&state.folders)
            }
            Body::If { arms, otherwise } => self.branches(arms, otherwise.as_ref(), state, place),
            Body::For { name, words, body } => {
                self.for_loop(name, words.as_deref(), body, state, place)
            }
            Body::ArithmeticFor { head, body } => {
                self.parts_outside(head, state, place);
                self.taint(&[body], state);
                self.repeated(body, state, place)
            }
            Body::While { test, body } => {
                self.taint(&[test, body], state);
                let mut inner = state.clone();
                let flow = self.script(test, &mut inner, place);
                inner.folders = flow.success;
                self.script(body, &mut inner, place);
                state.merge(&inner);
                state.folders = state.folders.joined(&flow.failure);
                Flow::same(&state.folders)
            }
            Body::Case { subject, arms } => self.case(subject, arms, state, place),
            Body::Function { name, body } => self.function(name, body, state, place),
            Body::Condition(tokens) => self.condition(tokens, state, place),
            Body::Arithmetic(parts) => {
                let index = self.push(Kind::Condition, place, state);
                if let Some(command) = self.command(index) {
                    command.reason = "arithmetic over numbers".to_owned();
                }
                self.parts(parts, index, state, place);
                Flow::same(&state.folders)
            }
            Body::Coprocess(stage) => {
                let index = self.push(Kind::Redirection, place, state);
                self.not_read_only(index, "a coprocess outlives the line");
                self.stage(stage, &mut state.subshell(), &place.below(index, "coproc"));
                Flow::same(&state.folders)
            }
        }
    }

    fn branches(
        &mut self,
        arms: &[(Script, Script)],
        otherwise: Option<&Script>,
        state: &mut State,
        place: &Place,
    ) -> Flow {
        let mut ends: Option<State> = None;
        let mut join = |branch: State| match &mut ends {
            Some(all) => all.merge(&branch),
            None => ends = Some(branch),
        };
        for (test, body) in arms {
            let flow = self.script(test, state, place);
            let mut branch = state.clone();
            branch.folders = flow.success;
            self.script(body, &mut branch, place);
            join(branch);
            state.folders = flow.failure;
        }
        if let Some(otherwise) = otherwise {
            self.script(otherwise, state, place);
        }
        join(state.clone());
        if let Some(all) = ends {
            *state = all;
        }
        Flow::same(&state.folders)
    }

    fn for_loop(
        &mut self,
        name: &str,
        words: Option<&[RawWord]>,
        body: &Script,
        state: &mut State,
        place: &Place,
    ) -> Flow {
        let values = match words {
            Some(words) => {
                let mut expansion = Expansion::new(state);
                let values = expansion.words(words);
                let Expansion {
                    scripts, assigned, ..
                } = expansion;
                self.loose_scripts(scripts, &assigned, state, place);
                if values.iter().any(|word| word.literal().is_none()) {
                    let index = self.loose_words(state, place);
                    if let Some(command) = self.command(index) {
                        command.raw = values.iter().map(|word| word.raw.clone()).collect();
                    }
                    self.listed(&values, index, state);
                }
                values.into_iter().map(|word| word.value).collect()
            }
            None => vec![unknown("an argument of the shell")],
        };
        if !super::variables::is_free(name) {
            let index = self.push(Kind::Assignment, place, state);
            self.not_read_only(index, format!("`{name}` may mean something to a program"));
        }
        let is_short = values.len() <= MAX_ROUNDS && self.found.commands.len() < MAX_COMMANDS;
        let literals: Option<Vec<&str>> = values
            .iter()
            .map(|value| match value {
                Value::Literal(text) if is_short => Some(text.as_str()),
                _ => None,
            })
            .collect();
        self.taint_loop(
            body,
            literals.as_ref().map(|values| (name, values.as_slice())),
            state,
        );
        if literals.is_some() {
            for value in values {
                if self.found.commands.len() >= MAX_COMMANDS {
                    // One more time for all the words that are left.
                    state.forget(name);
                    return self.repeated(body, state, place);
                }
                state.set(name, value);
                self.repeated(body, state, place);
            }
            return Flow::same(&state.folders);
        }
        let value = match values.as_slice() {
            [Value::Unknown(one)] => Value::Unknown(one.clone()),
            _ => unknown("a variable of a loop"),
        };
        state.set(name, value);
        self.repeated(body, state, place)
    }

    /// A body that may run or not, after what it changes was made unknown.
    fn repeated(&mut self, body: &Script, state: &mut State, place: &Place) -> Flow {
        let mut inner = state.clone();
        self.script(body, &mut inner, place);
        state.merge(&inner);
        Flow::same(&state.folders)
    }

    fn case(
        &mut self,
        subject: &RawWord,
        arms: &[(Vec<RawWord>, Script)],
        state: &mut State,
        place: &Place,
    ) -> Flow {
        self.parts_outside(&subject.parts, state, place);
        let mut all = state.clone();
        for (patterns, body) in arms {
            for pattern in patterns {
                self.parts_outside(&pattern.parts, state, place);
            }
            // `;&` falls through: an arm may begin where another ended.
            let mut branch = all.clone();
            self.script(body, &mut branch, place);
            all.merge(&branch);
        }
        *state = all;
        Flow::same(&state.folders)
    }

    fn function(&mut self, name: &str, body: &Stage, state: &mut State, place: &Place) -> Flow {
        let index = self.push(Kind::Function, place, state);
        if let Some(command) = self.command(index) {
            command.raw = vec![name.to_owned()];
            command.reason = format!("defines `{name}`");
        }
        if !super::variables::is_free_function(name) {
            self.not_read_only(index, format!("`{name}` stands for a program"));
        }
        // It runs where and when it is called: nothing that may change is known inside.
        let mut inner = state.clone();
        inner.positional = None;
        inner.variables.clear();
        inner.folders = Folders::Unknown;
        self.stage(body, &mut inner, &place.below(index, "function"));
        let has_folder_change = taint::may_change_folder(body);
        state.functions.insert(name.to_owned());
        if has_folder_change {
            state.folder_functions.insert(name.to_owned());
        }
        Flow::same(&state.folders)
    }

    /// Walks the scripts in parts that belong to no command, such as the subject of `case`.
    fn parts_outside(&mut self, parts: &[Part], state: &mut State, place: &Place) {
        let mut expansion = Expansion::new(state);
        expansion.collect(parts);
        let Expansion {
            scripts, assigned, ..
        } = expansion;
        self.loose_scripts(scripts, &assigned, state, place);
    }
}
