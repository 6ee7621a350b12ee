//! Redirections, and the scripts inside words.

use std::rc::Rc;

use super::{Place, Walker};
use crate::shell::analysis::{Kind, Redirection, Value, Word};
use crate::shell::expand::Expansion;
use crate::shell::state::{PROCESS, State, unknown};
use crate::shell::syntax::{Part, RawWord, Redirect, RedirectKind, Script};

/// The one target that is no file. `/dev/stdin` and its like open again whatever they stand for.
const NO_FILE: &str = "/dev/null";

impl Walker<'_> {
    /// Notes the redirections of a command.
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirect],
        index: usize,
        state: &mut State,
        place: &Place,
    ) {
        for redirect in redirects {
            let mut made = Redirection {
                raw: redirect.raw.clone(),
                reads: Vec::new(),
                writes: Vec::new(),
            };
            match &redirect.kind {
                RedirectKind::Copy => {}
                RedirectKind::Read(word) => {
                    let target = self.target(word, index, state, place);
                    if !is_no_file(&target) {
                        made.reads = state.paths(&target, false, self.facts);
                    }
                    if target.literal().is_none() && !is_no_file(&target) {
                        self.not_read_only(index, "it reads from something only known later");
                    }
                }
                RedirectKind::Write(word) => {
                    let target = self.target(word, index, state, place);
                    if !is_no_file(&target) {
                        made.writes = state.paths(&target, false, self.facts);
                        self.writes_to(index, format!("it writes to `{}`", word.raw));
                    }
                }
                RedirectKind::ReadWrite(word) => {
                    let target = self.target(word, index, state, place);
                    if !is_no_file(&target) {
                        made.reads = state.paths(&target, false, self.facts);
                        made.writes = made.reads.clone();
                        self.writes_to(index, format!("it opens `{}` to write", word.raw));
                    }
                }
                RedirectKind::UnknownCopy(word) => {
                    let target = self.target(word, index, state, place);
                    made.writes = state.paths(&target, false, self.facts);
                    self.not_read_only(index, "a redirection to something only known later");
                }
                RedirectKind::HereString(word) => {
                    self.parts(&word.parts, index, state, place);
                }
                RedirectKind::HereDocument(body) => {
                    if let Some(parts) = body.get() {
                        self.parts(parts, index, state, place);
                    }
                }
            }
            if let Some(command) = self.command(index) {
                command.is_fed |= feeds(redirect);
                command.redirections.push(made);
            }
        }
    }

    /// The one word that a redirection names.
    fn target(&mut self, word: &RawWord, index: usize, state: &mut State, place: &Place) -> Word {
        let mut expansion = Expansion::new(state);
        let mut words = expansion.word(word);
        let Expansion {
            scripts, assigned, ..
        } = expansion;
        self.scripts(scripts, &assigned, index, state, place);
        let target = match (words.pop(), words.is_empty()) {
            (Some(one), true) => one,
            _ => Word {
                raw: word.raw.clone(),
                value: unknown("a redirection to several words"),
            },
        };
        self.check_network(&target, index);
        target
    }

    /// bash opens connections by these names itself.
    fn check_network(&mut self, target: &Word, index: usize) {
        let text = match &target.value {
            Value::Literal(text) => text,
            Value::Unknown(unknown) => &unknown.prefix,
        };
        let name = text
            .strip_prefix("/dev/tcp/")
            .or_else(|| text.strip_prefix("/dev/udp/"));
        if let Some(rest) = name {
            let host = rest.split('/').next().unwrap_or(rest).to_owned();
            if let Some(command) = self.command(index) {
                command.hosts.push(host);
            }
            self.not_read_only(index, "it opens a network connection");
        }
    }

    /// Notes the scripts in parts that belong to a command.
    pub(super) fn parts(&mut self, parts: &[Part], index: usize, state: &mut State, place: &Place) {
        let mut expansion = Expansion::new(state);
        expansion.collect(parts);
        let Expansion {
            scripts, assigned, ..
        } = expansion;
        self.scripts(scripts, &assigned, index, state, place);
    }

    /// Walks the scripts of a command's substitutions.
    pub(super) fn scripts(
        &mut self,
        scripts: Vec<(Rc<Script>, &'static str)>,
        assigned: &[String],
        index: usize,
        state: &mut State,
        place: &Place,
    ) {
        for (script, via) in scripts {
            let mut inner = state.subshell();
            self.script(&script, &mut inner, &place.below(index, via));
        }
        for name in assigned {
            state.forget(name);
            if !crate::shell::variables::is_free(name) {
                self.not_read_only(index, format!("it may assign `{name}`"));
            }
        }
    }

    /// The same for words that belong to no command.
    pub(super) fn loose_scripts(
        &mut self,
        scripts: Vec<(Rc<Script>, &'static str)>,
        assigned: &[String],
        state: &mut State,
        place: &Place,
    ) {
        if scripts.is_empty() && assigned.is_empty() {
            return;
        }
        let index = self.loose_words(state, place);
        self.scripts(scripts, assigned, index, state, place);
    }

    /// Stands for words that are expanded and belong to no command.
    pub(super) fn loose_words(&mut self, state: &State, place: &Place) -> usize {
        let index = self.push(Kind::Condition, place, state);
        if let Some(command) = self.command(index) {
            "words that are expanded".clone_into(&mut command.reason);
        }
        index
    }
}

fn is_no_file(word: &Word) -> bool {
    match &word.value {
        Value::Literal(text) => text == NO_FILE,
        Value::Unknown(unknown) => unknown.why == PROCESS,
    }
}

/// Whether it may give a command something to read.
fn feeds(redirect: &Redirect) -> bool {
    !matches!(redirect.kind, RedirectKind::Write(_))
        && !matches!(redirect.kind, RedirectKind::Copy if redirect.raw.contains('>'))
}
