//! `toolpost replay`: what other settings would have said to the calls of the journal.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolpost_core::{
    Decided, Decision, Facts, RawCall, ReadOptions, State, Toolbox, Verdict, WorkingFolder,
};
use toolpost_policy::{Question, RulePolicy};
use toolpost_run::journal::LoggedCall;
use toolpost_tools::{DiskLinks, Home};

use crate::args::{Common, Replay};
use crate::exit;
use crate::keeping;
use crate::log::{filter, session_word, time};
use crate::printer::exact;
use crate::settings::{self, Loaded};
use crate::setup;

pub(crate) fn replay(common: &Common, replay: &Replay) -> anyhow::Result<u8> {
    let loaded = Loaded::of(common)?;
    settings::loads(&loaded.policy(common)?)?;
    let toolbox = setup::tools(common, &loaded)?;
    let filter = filter(common, &replay.which)?;
    let calls = match keeping::existing(common)? {
        Some(journal) => journal.calls(&filter)?,
        None => Vec::new(),
    };
    let mut judge = Judge {
        common,
        loaded: &loaded,
        toolbox: &toolbox,
        read: setup::read_options(common),
        worlds: HashMap::new(),
    };
    let mut tally = Tally::default();
    let mut changes: Vec<Change<'_>> = Vec::new();
    let mut known: BTreeMap<Key<'_>, Option<usize>> = BTreeMap::new();
    for call in &calls {
        let old = match said(call) {
            Ok(old) => old,
            Err(why) => {
                tally.skip(why);
                continue;
            }
        };
        tally.calls += 1;
        let key = (
            call.root.as_str(),
            call.folder.as_deref(),
            call.tool.as_str(),
            call.input.as_str(),
            old.effect,
        );
        let at = match known.get(&key) {
            Some(at) => *at,
            None => {
                let new = judge.decide(call)?;
                let at = (new.effect != old.effect).then(|| {
                    changes.push(Change {
                        call,
                        old,
                        new,
                        times: 0,
                    });
                    changes.len() - 1
                });
                known.insert(key, at);
                at
            }
        };
        if let Some(change) = at.and_then(|at| changes.get_mut(at)) {
            change.times += 1;
            tally.count(change);
        }
    }
    let mut out = io::stdout().lock();
    for change in &changes {
        change.print(common, &mut out)?;
    }
    if !common.quiet && !common.json {
        tally.print();
    }
    Ok(exit::DONE)
}

type Key<'c> = (&'c str, Option<&'c str>, &'c str, &'c str, Verdict);

/// What the settings said then.
struct Old {
    effect: Verdict,
    decision: Value,
}

/// What the policy said to a call, or why that cannot be told.
fn said(call: &LoggedCall) -> Result<Old, Skipped> {
    let decision: Option<Value> = call
        .decision
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok());
    let Some(decision) = decision else {
        return Err(Skipped::Undecided);
    };
    if call.is_masked {
        return Err(Skipped::Masked);
    }
    let word = |key: &str| decision.get(key).and_then(Value::as_str);
    let effect = match (word("by"), word("effect")) {
        // No settings had a say in that, so they cannot be compared by it.
        (Some("hook"), _) => return Err(Skipped::ByHook),
        // A person was asked, so that is what the settings had said.
        (Some("person"), _) | (_, Some("ask")) => Verdict::Ask,
        (_, Some("allow")) => Verdict::Allow,
        (_, Some("deny")) => Verdict::Deny,
        _ => return Err(Skipped::Undecided),
    };
    Ok(Old { effect, decision })
}

/// Why a call is not compared.
enum Skipped {
    Masked,
    Undecided,
    ByHook,
}

/// Decides about calls as the settings would now.
struct Judge<'j> {
    common: &'j Common,
    loaded: &'j Loaded,
    toolbox: &'j Toolbox,
    read: ReadOptions,
    /// For each root, its policy and its facts.
    worlds: HashMap<String, (RulePolicy, Facts)>,
}

impl Judge<'_> {
    fn decide(&mut self, call: &LoggedCall) -> anyhow::Result<Decision> {
        if !self.worlds.contains_key(&call.root) {
            let world = self.world(Path::new(&call.root))?;
            self.worlds.insert(call.root.clone(), world);
        }
        let Some((policy, facts)) = self.worlds.get(&call.root) else {
            anyhow::bail!("no policy for `{}`", call.root);
        };
        if let Some(folder) = facts.state().get::<WorkingFolder>() {
            // It may be gone by now; what was decided there is decided there again.
            folder.set(Path::new(call.folder.as_ref().unwrap_or(&call.root)));
        }
        let raw = RawCall::new(call.call.as_str(), call.tool.as_str(), call.input.as_str());
        let decided = self
            .toolbox
            .validate(raw, facts, &self.read)
            .ok()
            .map(|call| call.decide(policy, facts));
        let decision = match decided {
            Some(Decided::Permitted(call)) => call.decision().cloned(),
            Some(Decided::Asked(call)) => Some(call.decision().clone()),
            Some(Decided::Denied(outcome)) => outcome.decision,
            None => None,
        };
        // A tool that is not here any more is judged by what its input names.
        Ok(decision.unwrap_or_else(|| {
            let input = serde_json::from_str(&call.input).unwrap_or_default();
            policy.decide_question(Question::of_input(&call.tool, &input), facts)
        }))
    }

    fn world(&self, root: &Path) -> anyhow::Result<(RulePolicy, Facts)> {
        let policy = self.loaded.policy_about(self.common, root)?;
        if self.worlds.is_empty() {
            settings::report_untrusted(&policy, self.common);
        }
        let mut state = State::new();
        state.insert(WorkingFolder::new(root));
        if let Some(home) = setup::folder_of("HOME") {
            state.insert(Home(home));
        }
        let facts = Facts::new(root)
            .with_roots(policy.roots().to_vec())
            .with_links(Arc::new(DiskLinks))
            .with_state(state);
        Ok((policy, facts))
    }
}

/// Equal calls that would now be decided otherwise; the first stands for all.
struct Change<'c> {
    call: &'c LoggedCall,
    old: Old,
    new: Decision,
    times: usize,
}

#[derive(Serialize)]
struct Line<'c> {
    v: u8,
    change: &'static str,
    session: String,
    id: &'c str,
    name: &'c str,
    arguments: &'c str,
    root: &'c str,
    time: String,
    times: usize,
    old: &'c Value,
    new: &'c Decision,
}

impl Change<'_> {
    fn word(&self) -> &'static str {
        if self.new.effect < self.old.effect {
            "looser"
        } else {
            "stricter"
        }
    }

    fn print(&self, common: &Common, out: &mut impl Write) -> anyhow::Result<()> {
        let call = self.call;
        if common.json {
            let line = Line {
                v: 1,
                change: self.word(),
                session: session_word(call.session_name.as_deref(), call.session),
                id: &call.call,
                name: &call.tool,
                arguments: &call.input,
                root: &call.root,
                time: time(call.admitted),
                times: self.times,
                old: &self.old.decision,
                new: &self.new,
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
            return Ok(());
        }
        let times = match self.times {
            1 => String::new(),
            times => format!(" ({times} times)"),
        };
        writeln!(
            out,
            "{}: {} {}{times}: {} -> {}, because {}",
            self.word(),
            call.tool,
            exact(&call.input),
            verdict_word(self.old.effect),
            verdict_word(self.new.effect),
            exact(&self.new.reason),
        )?;
        Ok(())
    }
}

fn verdict_word(verdict: Verdict) -> String {
    format!("{verdict:?}").to_lowercase()
}

#[derive(Default)]
struct Tally {
    calls: usize,
    looser: usize,
    stricter: usize,
    masked: usize,
    undecided: usize,
    by_hook: usize,
}

impl Tally {
    fn skip(&mut self, why: Skipped) {
        match why {
            Skipped::Masked => self.masked += 1,
            Skipped::Undecided => self.undecided += 1,
            Skipped::ByHook => self.by_hook += 1,
        }
    }

    fn count(&mut self, change: &Change<'_>) {
        match change.word() {
            "looser" => self.looser += 1,
            _ => self.stricter += 1,
        }
    }

    fn print(&self) {
        let mut text = format!(
            "toolpost: of {} calls, {} looser and {} stricter",
            self.calls, self.looser, self.stricter
        );
        let left_out = [
            (self.masked, "masked"),
            (self.undecided, "never decided about"),
            (self.by_hook, "decided by a hook"),
        ];
        let left_out: Vec<String> = left_out
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, why)| format!("{count} {why}"))
            .collect();
        if !left_out.is_empty() {
            text.push_str(&format!("; left out: {}", left_out.join(", ")));
        }
        eprintln!("{text}");
    }
}
