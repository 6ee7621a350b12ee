//! What "always allow" would store for a call: the fewest and narrowest rules that allow it.
//!
//! Never a whole tool, and never a command that runs others: a shell, an interpreter, a wrapper. A
//! rule that would allow one of those allows anything.

use toolpost_core::{Facts, ValidatedCall, Verdict};

use crate::engine;
use crate::explain::suggest;
use crate::layer::{Layer, Source};
use crate::policy::RulePolicy;
use crate::prepared::Prepared;
use crate::question::{Body, Question};
use crate::rule::Rule;
use crate::shell::{Analysis, Kind, Redirection, Word};

mod runners;

/// What would be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Always {
    /// The rules, each to be put into a list of allow rules.
    pub rules: Vec<String>,
    /// What each of them covers besides this call, in the same order.
    pub covers: Vec<String>,
}

impl RulePolicy {
    /// The fewest rules that would allow this call from now on.
    ///
    /// # Errors
    ///
    /// Why there are none, in words for a person.
    pub fn always(&self, call: &ValidatedCall, facts: &Facts) -> Result<Always, String> {
        let place = self.place(facts);
        let mcp = self.mcp(call.name());
        let prepared = Prepared::new(Question::of_call(call, facts, mcp), &place);
        if let Body::Invalid(_) = &prepared.question.body {
            return Err("it can never be valid".to_owned());
        }
        if let Some(shell) = &prepared.shell {
            no_runner(&shell.analysis)?;
        }
        let texts = suggest::rules(&prepared, &place);
        let mut rules = Vec::new();
        for text in &texts {
            rules.push(narrow(text)?);
        }
        let allows = |rules: &[Rule]| {
            let trial = self.with_rules(rules.iter().cloned());
            let decision = engine::decide(&prepared, &trial.circumstances(&[]));
            decision.effect == Verdict::Allow
        };
        if !allows(&rules) {
            let reason = "a rule, a safeguard or the settings ask about it in any case";
            return Err(reason.to_owned());
        }
        // What it may do already needs no rule.
        let mut at = 0;
        while at < rules.len() {
            let mut fewer = rules.clone();
            fewer.remove(at);
            if allows(&fewer) {
                rules = fewer;
            } else {
                at += 1;
            }
        }
        Ok(Always {
            covers: rules.iter().map(covers).collect(),
            rules: rules.iter().map(ToString::to_string).collect(),
        })
    }
}

fn no_runner(analysis: &Analysis) -> Result<(), String> {
    if !analysis.undecidable.is_empty() {
        return Err("what the line does is not decidable".to_owned());
    }
    for command in &analysis.commands {
        if !matches!(command.kind, Kind::Simple) {
            continue;
        }
        let Some(program) = &command.program else {
            return Err("what it runs is not decidable".to_owned());
        };
        // The words of a rule are those that were typed, and these mean something else later.
        let is_fixed = |word: &Word| word.literal().is_some() && !word.raw.contains(['$', '`']);
        let needs_no_rule =
            command.read_only && command.all_reads().all(|path| path.path.is_some());
        if !(needs_no_rule || command.argv.iter().all(is_fixed)) {
            return Err("its words mean something else each time".to_owned());
        }
        let words: Vec<&str> = command.argv.iter().filter_map(Word::literal).collect();
        if command.is_wrapper || runners::is_runner(program, words.get(1..).unwrap_or_default()) {
            return Err(format!("`{program}` runs whatever it is told to"));
        }
        if let Some(set) = command.assignments.iter().find(|set| !set.is_inert) {
            return Err(format!("no rule of words covers `{}=`", set.name));
        }
        let is_open =
            |redirection: &&Redirection| redirection.raw.contains(['*', '?', '[', '$', '`']);
        if let Some(open) = command.redirections.iter().find(is_open) {
            return Err(format!("`{}` may mean another file each time", open.raw));
        }
        if command.is_fed && !command.read_only {
            return Err(format!(
                "what `{program}` is given to read is no part of a rule"
            ));
        }
        if command.is_path_qualified {
            return Err(format!(
                "`{program}` is named by a path, where another program may lie later"
            ));
        }
    }
    Ok(())
}

/// The rule, where its text means this one thing and no more.
fn narrow(text: &str) -> Result<Rule, String> {
    let source = Source::new(Layer::Local, "always", 0);
    let rule = Rule::parse(text, Verdict::Allow, source)
        .map_err(|_| "no rule can say exactly this call".to_owned())?;
    match text.split_once('(') {
        None => Err(format!("only a rule for all of `{text}` would allow it")),
        Some((_, pattern)) if pattern.contains('*') || pattern.contains('\n') => {
            Err("a rule with its words would allow more than this call".to_owned())
        }
        Some(_) => Ok(rule),
    }
}

fn covers(rule: &Rule) -> String {
    let text = rule.to_string();
    let (tool, pattern) = text.split_once('(').unwrap_or((&text, ""));
    let pattern = pattern.trim_end_matches(')');
    match (tool, pattern.strip_prefix("domain:")) {
        (_, Some(host)) => format!("every page of {host}"),
        ("Bash", _) => {
            "these very words, in any folder and with any of the harmless variables".to_owned()
        }
        ("Read", _) => format!("every tool and command that reads {pattern}"),
        ("Edit", _) => format!("every tool and command that changes {pattern}"),
        _ => "this very call".to_owned(),
    }
}
