//! Simple commands: assignments, the program, and what it leads to.

use super::{Place, Walker};
use crate::shell::analysis::{Assignment, Kind, Value, Word};
use crate::shell::check::{self, Context, Finding, Nested};
use crate::shell::expand::Expansion;
use crate::shell::state::{Flow, Folders, State, unknown};
use crate::shell::syntax::{Assign, AssignValue, RawWord, Redirect};
use crate::shell::variables;

mod builtins;
mod folder;
mod shells;

/// How many commands one may wrap.
const MAX_WRAPPERS: usize = 12;

/// Who an assignment before a command is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum User {
    /// There is no command.
    Nobody,
    Read,
    Program,
}

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        assigns: &[Assign],
        words: &[RawWord],
        redirects: &[Redirect],
        state: &mut State,
        place: &Place,
    ) -> Flow {
        let kind = match (words, assigns) {
            ([], []) => Kind::Redirection,
            ([], _) => Kind::Assignment,
            _ => Kind::Simple,
        };
        let index = self.push(kind, place, state);
        let mut expansion = Expansion::new(state);
        let argv = expansion.words(words);
        let Expansion {
            scripts, assigned, ..
        } = expansion;
        if let Some(command) = self.command(index) {
            command.raw = words.iter().map(|word| word.raw.clone()).collect();
        }
        self.listed(&argv, index, state);
        self.scripts(scripts, &assigned, index, state, place);
        // Assignments before a command hold for it alone.
        let mut inner = state.clone();
        let user = match words.first() {
            None => User::Nobody,
            Some(word) if word.raw == "read" => User::Read,
            Some(_) => User::Program,
        };
        self.assigns(assigns, user, index, &mut inner, place);
        self.redirects(redirects, index, state, place);
        if words.is_empty() {
            *state = inner;
            if let Some(command) = self.command(index)
                && command.read_only
            {
                "it only assigns and redirects".clone_into(&mut command.reason);
            }
            return Flow::same(&state.folders);
        }
        if argv.is_empty() {
            self.not_read_only(index, "a command that may be nothing");
            return Flow::same(&state.folders);
        }
        if assigns.is_empty() {
            return self.run(index, argv, state, place);
        }
        let flow = self.run(index, argv, &mut inner, place);
        state.folders = inner.folders;
        state.previous = inner.previous;
        state.functions = inner.functions;
        flow
    }

    /// Notes assignments and makes them.
    fn assigns(
        &mut self,
        assigns: &[Assign],
        user: User,
        index: usize,
        state: &mut State,
        place: &Place,
    ) {
        let is_alone = user == User::Nobody;
        let for_read = user == User::Read;
        for assign in assigns {
            let mut expansion = Expansion::new(state);
            let mut listed = Vec::new();
            let value = match &assign.value {
                AssignValue::Word(word) => expansion.single(&word.raw, &word.parts).value,
                AssignValue::Array(words) => {
                    listed = expansion.words(words);
                    unknown("an array")
                }
            };
            let Expansion {
                scripts, assigned, ..
            } = expansion;
            self.listed(&listed, index, state);
            self.scripts(scripts, &assigned, index, state, place);
            let is_plain = !assign.is_append && !assign.has_index && !assign.raw.contains(":~");
            let literal = match &value {
                Value::Literal(text) if is_plain => Some(text.as_str()),
                _ => None,
            };
            let is_inert = variables::is_inert(&assign.name, literal);
            // `IFS= read`: it splits what is read, and nothing else sees it.
            let is_for_read = assign.name == "IFS" && for_read;
            let is_own = is_alone && variables::is_free(&assign.name);
            if !(is_inert || is_for_read || is_own) {
                self.not_read_only(
                    index,
                    format!("`{}` may mean something to a program", assign.name),
                );
            }
            if let Some(command) = self.command(index) {
                command.assignments.push(Assignment {
                    name: assign.name.clone(),
                    raw: assign.raw.clone(),
                    is_inert,
                });
            }
            let value = if is_plain {
                value
            } else {
                unknown("a variable")
            };
            state.set(&assign.name, value);
        }
    }

    /// Notes the folders that patterns in these words make the shell look at.
    pub(super) fn listed(&mut self, words: &[Word], index: usize, state: &State) {
        for word in words {
            let listings = state.listings(word, self.facts);
            if let Some(command) = self.command(index) {
                command.reads.extend(listings);
            }
        }
    }

    /// Classifies an argument list and follows it to what it runs.
    fn run(&mut self, index: usize, argv: Vec<Word>, state: &mut State, place: &Place) -> Flow {
        let name = argv.first().and_then(Word::literal).map(str::to_owned);
        if let Some(command) = self.command(index) {
            command.argv.clone_from(&argv);
            command.is_path_qualified = name.as_ref().is_some_and(|n| n.contains('/'));
        }
        let Some(name) = name else {
            self.not_read_only(index, "the program's name is only known later");
            if let Some(command) = self.command(index) {
                command.is_known = false;
            }
            // It could be any builtin.
            state.folders = Folders::Unknown;
            state.variables.clear();
            return Flow::same(&Folders::Unknown);
        };
        let program = name.rsplit('/').next().unwrap_or(&name).to_owned();
        if let Some(command) = self.command(index) {
            command.program = Some(program.clone());
        }
        if name.contains('/') && !is_system(&name) {
            self.not_read_only(index, "a program that is named by a path");
        }
        if state.functions.contains(&name) {
            return self.function_call(index, &program, state);
        }
        let context = Context {
            state,
            facts: self.facts,
        };
        let mut finding = check::check(&program, &argv, &context);
        if name.contains('/') && !is_system(&name) {
            finding.is_known = false;
        }
        builtins::refine(&program, &argv, &mut finding);
        let nested = std::mem::take(&mut finding.nested);
        self.record(index, &program, finding);
        let is_builtin = !name.contains('/');
        let mut flow = Flow::same(&state.folders);
        for nested in nested {
            flow = self.nested(nested, index, &program, state, place);
        }
        if is_builtin {
            if let Some(moved) = self.folder_change(&program, &argv, index, state) {
                flow = moved;
            }
            self.builtin(&program, &argv, index, state, place);
            if matches!(program.as_str(), "eval" | "source" | ".") {
                flow = Flow::same(&state.folders);
            }
        }
        self.shell(&program, &argv, index, state, place);
        flow
    }

    fn function_call(&mut self, index: usize, program: &str, state: &mut State) -> Flow {
        if let Some(command) = self.command(index) {
            command.reason = format!("calls the function `{program}`");
        }
        // The body was looked at where it is defined; what it assigns is not known here.
        let names: Vec<String> = state.variables.keys().cloned().collect();
        for name in names {
            state.forget(&name);
        }
        if state.folder_functions.contains(program) {
            state.folders = Folders::Unknown;
            self.note_folder_change(state);
        }
        Flow::same(&state.folders)
    }

    fn record(&mut self, index: usize, program: &str, finding: Finding) {
        for reason in finding.undecidable {
            self.undecidable(reason);
        }
        if let Some(command) = self.command(index) {
            command.is_known = finding.is_known;
            command.is_wrapper = finding.is_wrapper;
            command.reads.extend(finding.reads);
            command.writes.extend(finding.writes);
            command.risks.extend(finding.risks);
            command.hosts.extend(finding.hosts);
            command.conditional = finding.conditional;
            command.critical = finding.critical;
        }
        match finding.problem {
            Some(problem) => self.not_read_only(index, problem),
            None => {
                if let Some(command) = self.command(index)
                    && command.read_only
                {
                    command.reason = if finding.is_wrapper {
                        format!("`{program}` does what it runs does")
                    } else {
                        format!("`{program}` only looks, with these arguments")
                    };
                }
            }
        }
    }

    /// Follows a command to one that it runs.
    fn nested(
        &mut self,
        nested: Nested,
        index: usize,
        program: &str,
        state: &mut State,
        place: &Place,
    ) -> Flow {
        let same_shell = matches!(program, "command" | "builtin");
        match nested {
            Nested::Command {
                mut argv,
                via,
                in_other_folder,
            } => {
                let via = if via == "command" {
                    program.to_owned().into()
                } else {
                    via
                };
                let mut inner = if same_shell {
                    state.clone()
                } else {
                    state.subshell()
                };
                if in_other_folder {
                    inner.folders = Folders::Unknown;
                }
                let mut place = place.below(index, via);
                place.wrappers += 1;
                if place.wrappers > MAX_WRAPPERS {
                    self.undecidable(format!("more than {MAX_WRAPPERS} wrappers"));
                    self.salvage_words(&argv, &place, state);
                    return Flow::same(&Folders::Unknown);
                }
                if program == "env" || program == "sudo" || program == "doas" {
                    argv = self.leading_assignments(argv, index, &mut inner);
                }
                if argv.is_empty() {
                    return Flow::same(&state.folders);
                }
                let functions = std::mem::take(&mut inner.functions);
                let child = self.push(Kind::Simple, &place, &inner);
                if let Some(command) = self.command(child) {
                    command.raw = argv.iter().map(|word| word.raw.clone()).collect();
                }
                let flow = self.run(child, argv, &mut inner, &place);
                if same_shell {
                    inner.functions = functions;
                    *state = inner;
                    return flow;
                }
                Flow::same(&state.folders)
            }
            Nested::Script {
                text,
                via,
                arguments,
            } => {
                let via = if via == "shell" {
                    program.to_owned().into()
                } else {
                    via
                };
                let mut inner = state.subshell();
                inner.positional = Some(arguments);
                self.script_text(&text, index, &mut inner, &place.below(index, via));
                Flow::same(&state.folders)
            }
        }
    }

    /// Walks a word that is run as a script.
    fn script_text(&mut self, text: &Word, index: usize, state: &mut State, place: &Place) -> Flow {
        match text.literal() {
            Some(text) => {
                let mut place = place.clone();
                place.shells += 1;
                self.text(text, state, &place)
            }
            None => {
                self.not_read_only(index, "a script that is only known later");
                if let Some(command) = self.command(index) {
                    command.is_known = false;
                }
                state.folders = Folders::Unknown;
                state.variables.clear();
                Flow::same(&Folders::Unknown)
            }
        }
    }

    /// `NAME=value` before the command of `env`.
    fn leading_assignments(
        &mut self,
        argv: Vec<Word>,
        index: usize,
        state: &mut State,
    ) -> Vec<Word> {
        let mut rest = Vec::new();
        for word in argv {
            let pair = word
                .literal()
                .filter(|_| rest.is_empty())
                .and_then(|text| text.split_once('='));
            let Some((name, value)) = pair else {
                rest.push(word);
                continue;
            };
            let is_inert = variables::is_inert(name, Some(value));
            if !is_inert {
                self.not_read_only(index, format!("`{name}` may mean something to a program"));
            }
            state.set(name, Value::Literal(value.to_owned()));
            if let Some(command) = self.command(index) {
                command.assignments.push(Assignment {
                    name: name.to_owned(),
                    raw: word.raw.clone(),
                    is_inert,
                });
            }
        }
        rest
    }
}

/// Whether a path names a program of the system, which no project can replace.
fn is_system(name: &str) -> bool {
    ["/bin/", "/usr/bin/"].iter().any(|folder| {
        name.strip_prefix(folder)
            .is_some_and(|rest| !rest.contains('/'))
    })
}
