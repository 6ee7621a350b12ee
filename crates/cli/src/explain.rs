//! `toolpost explain`: what would be decided about a call, and why. Nothing runs.

use std::io::{self, Write};

use serde::Serialize;
use toolpost_core::{
    CommandStep, Decision, Effects, Facts, Footprint, Outcome, OutcomeError, Policy, RawCall,
    ReadOptions, Toolbox, TraceStep, Verdict,
};
use toolpost_wire::Format;

use crate::args::{Common, Explain};
use crate::exit::{self, usage};
use crate::settings::Loaded;
use crate::{input, setup};

/// An explanation as it is printed.
#[derive(Serialize)]
struct Line {
    v: u8,
    id: Option<String>,
    name: Option<String>,
    verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<OutcomeError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    describe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Decision>,
    trace: Vec<TraceStep>,
    flip: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<Effects>,
    #[serde(skip_serializing_if = "Option::is_none")]
    footprint: Option<Footprint>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    commands: Vec<CommandStep>,
}

struct Explainer<P> {
    toolbox: Toolbox,
    facts: Facts,
    policy: P,
    read: ReadOptions,
    json: bool,
}

pub(crate) fn explain(common: &Common, explain: &Explain) -> anyhow::Result<u8> {
    let loaded = Loaded::of(common)?;
    let toolbox = setup::tools(common, &loaded)?;
    let policy = setup::policy(common, &loaded, &toolbox)?;
    let explainer = Explainer {
        facts: setup::facts(common, policy.roots())?,
        toolbox,
        policy,
        read: setup::read_options(common),
        json: common.json,
    };
    if explain.name == "-" {
        if explain.input.is_some() {
            return Err(usage(
                "`explain -` reads calls from stdin and takes no JSON beside it",
            ));
        }
        let mut lines = input::lines(input::open(None)?);
        while let Some(line) = lines.blocking_recv() {
            let line = line?;
            let number = line.number;
            let read = line.text.and_then(|text| {
                toolpost_wire::read(text.trim(), Some(Format::Native), number)
                    .map_err(|error| error.to_string())
            });
            match read {
                Ok(message) => {
                    for call in message.calls {
                        explainer.print(&explainer.line(call))?;
                    }
                }
                Err(error) => {
                    let error = format!("line {number} is {error}");
                    explainer.print(&invalid(Outcome::bad_line(number, error)))?;
                }
            }
        }
    } else {
        let input = explain.input.as_deref().unwrap_or_default();
        let call = RawCall::new("explain", explain.name.as_str(), input);
        let line = Line {
            id: None,
            ..explainer.line(call)
        };
        explainer.print(&line)?;
    }
    Ok(exit::DONE)
}

impl<P: Policy> Explainer<P> {
    fn line(&self, call: RawCall) -> Line {
        let call = match self.toolbox.validate(call, &self.facts, &self.read) {
            Ok(call) => call,
            Err(outcome) => return invalid(*outcome),
        };
        let why = call.explain(&self.policy, &self.facts);
        Line {
            v: 1,
            id: Some(call.id().to_string()),
            name: Some(call.name().to_owned()),
            verdict: match why.decision.effect {
                Verdict::Allow => "allow",
                Verdict::Ask => "ask",
                Verdict::Deny => "deny",
            },
            error: None,
            describe: Some(call.describe()),
            decision: Some(why.decision),
            trace: why.trace,
            flip: why.flip,
            effects: Some(call.effects()),
            footprint: Some(call.footprint(&self.facts)),
            commands: why.commands,
        }
    }

    fn print(&self, line: &Line) -> io::Result<()> {
        let text = if self.json {
            serde_json::to_string(line)?
        } else {
            for_a_person(line)
        };
        writeln!(io::stdout(), "{text}")
    }
}

fn invalid(outcome: Outcome) -> Line {
    Line {
        v: 1,
        id: outcome.id.map(|id| id.to_string()),
        name: outcome.name.map(|name| name.to_string()),
        verdict: "invalid",
        error: outcome.error.map(|error| *error),
        describe: None,
        decision: None,
        trace: Vec::new(),
        flip: None,
        effects: None,
        footprint: None,
        commands: Vec::new(),
    }
}

fn for_a_person(line: &Line) -> String {
    let what = line
        .describe
        .as_ref()
        .or(line.name.as_ref())
        .map_or("call", String::as_str);
    let mut text = format!("{what}: {}", line.verdict);
    let mut add = |line: String| {
        text.push_str("\n  ");
        text.push_str(&line);
    };
    if let Some(error) = &line.error {
        add(error.message.replace('\n', "\n  "));
    }
    if let Some(decision) = &line.decision {
        add(format!("because {}", decision.reason));
        if let (Some(rule), Some(source)) = (&decision.rule, &decision.source) {
            add(format!("rule `{rule}` ({source})"));
        }
    }
    for step in &line.trace {
        let subject = step
            .subject
            .as_ref()
            .map_or_else(String::new, |s| format!(" {s}"));
        add(format!("- {}{subject}: {}", step.step, step.reason));
    }
    for command in &line.commands {
        let argv = command.argv.join(" ");
        let kind = if command.read_only {
            "only looks"
        } else {
            "does not only look"
        };
        add(format!("$ {argv}: {kind}, {}", command.reason));
        for (verb, paths) in [("reads", &command.reads), ("writes", &command.writes)] {
            for path in paths {
                add(format!("    {verb} {path}"));
            }
        }
    }
    if let Some(effects) = &line.effects {
        add(format!("effects: {}", words(effects)));
    }
    for claim in line
        .footprint
        .iter()
        .flat_map(|footprint| footprint.claims().into_owned())
    {
        let access = if claim.access == toolpost_core::Access::Read {
            "reads"
        } else {
            "writes"
        };
        let path = if claim.scope.path().is_empty() {
            "everything"
        } else {
            claim.scope.path()
        };
        let below = if claim.scope.is_deep() && !claim.scope.path().is_empty() {
            " and all below"
        } else {
            ""
        };
        add(format!("{access} {path}{below}"));
    }
    if let Some(footprint) = &line.footprint {
        add(beside(footprint).to_owned());
    }
    if let Some(flip) = &line.flip {
        add(format!("to change that: {flip}"));
    }
    text
}

/// What the call may run beside, as its footprint has it.
fn beside(footprint: &Footprint) -> &'static str {
    let claims = footprint.claims();
    if matches!(footprint, Footprint::Everything) {
        "runs alone"
    } else if claims.is_empty() {
        "runs beside every call"
    } else if claims
        .iter()
        .all(|claim| claim.access == toolpost_core::Access::Read)
    {
        "runs beside every call that does not write what it reads"
    } else {
        "runs beside calls that touch none of what it writes and write none of what it reads"
    }
}

fn words(effects: &Effects) -> String {
    let words = [
        (effects.read_only, "read-only"),
        (!effects.read_only, "writes"),
        (effects.destructive, "may destroy"),
        (effects.idempotent, "may be repeated"),
        (effects.open_world, "reaches outside"),
    ];
    let said: Vec<&str> = words
        .into_iter()
        .filter(|(is, _)| *is)
        .map(|(_, word)| word)
        .collect();
    said.join(", ")
}
