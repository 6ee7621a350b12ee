//! What another policy makes looser and stricter, over a set of calls.

use serde_json::{Map, Value, json};
use toolpost_core::{Decision, Facts};

use crate::policy::RulePolicy;
use crate::question::Question;
use crate::rule::path::Segment;
use crate::rule::{HostPattern, Matcher, NamePattern, Rule};

/// A call that two policies decide about differently.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The tool that is called.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
    /// What the old policy decides.
    pub old: Decision,
    /// What the new policy decides.
    pub new: Decision,
}

impl Change {
    /// Whether the new policy lets through more.
    pub fn is_looser(&self) -> bool {
        self.new.effect < self.old.effect
    }
}

/// A call to compare policies by.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleCall {
    /// The tool that is called.
    pub name: String,
    /// What it is called with.
    pub arguments: Value,
}

/// Compares two policies over these calls.
pub fn diff(
    old: &RulePolicy,
    new: &RulePolicy,
    calls: &[SampleCall],
    facts: &Facts,
) -> Vec<Change> {
    calls
        .iter()
        .filter_map(|call| {
            let decide = |policy: &RulePolicy| {
                policy.decide_question(Question::of_input(&call.name, &call.arguments), facts)
            };
            let (old, new) = (decide(old), decide(new));
            (old.effect != new.effect).then(|| Change {
                name: call.name.clone(),
                arguments: call.arguments.clone(),
                old,
                new,
            })
        })
        .collect()
}

/// Calls that the rules of a policy are about, one or two for each rule: without calls of their
/// own, two policies differ in what one of them has a rule about, or in what none has.
pub fn samples(policies: &[&RulePolicy]) -> Vec<SampleCall> {
    let mut calls: Vec<SampleCall> = ordinary();
    for (at, rule) in policies
        .iter()
        .flat_map(|policy| policy.rules().iter().enumerate())
    {
        let glob = policies.iter().find_map(|policy| {
            policy
                .rules()
                .at(at)
                .filter(|own| *own == rule)
                .and_then(|_| policy.rules().glob_at(at))
        });
        for call in of_rule(rule, glob.map(|glob| glob.segments.as_slice())) {
            if !calls.contains(&call) {
                calls.push(call);
            }
        }
    }
    calls
}

fn ordinary() -> Vec<SampleCall> {
    [
        ("Read", json!({ "file_path": "./README.md" })),
        ("Read", json!({ "file_path": "/etc/passwd" })),
        ("Edit", json!({ "file_path": "./src/main.rs" })),
        ("Edit", json!({ "file_path": "./.git/config" })),
        ("Bash", json!({ "command": "ls" })),
        ("Bash", json!({ "command": "make" })),
        ("Bash", json!({ "command": "rm -rf build" })),
        ("WebFetch", json!({ "url": "https://example.com/" })),
    ]
    .into_iter()
    .map(|(name, arguments)| SampleCall {
        name: name.to_owned(),
        arguments,
    })
    .collect()
}

fn of_rule(rule: &Rule, glob: Option<&[Segment]>) -> Vec<SampleCall> {
    let call = |name: &str, arguments: Value| SampleCall {
        name: name.to_owned(),
        arguments,
    };
    match &rule.matcher {
        Matcher::Tool(NamePattern::Exact(name)) => vec![call(name, any_input(name))],
        Matcher::Tool(NamePattern::Wild(name)) => vec![call(&name.replace('*', "x"), json!({}))],
        Matcher::Server(server) => vec![call(&format!("mcp__{server}__x"), json!({}))],
        Matcher::McpTool(name) => vec![call(name, json!({}))],
        Matcher::Command(pattern) => pattern
            .examples()
            .into_iter()
            .map(|command| call("Bash", json!({ "command": command })))
            .collect(),
        Matcher::Host { tool, pattern } => {
            let host = match pattern {
                HostPattern::Any => "example.com".to_owned(),
                HostPattern::Exact(host) => host.clone(),
                HostPattern::Below(domain) => format!("x.{domain}"),
            };
            vec![call(tool, json!({ "url": format!("https://{host}/") }))]
        }
        Matcher::Path { tool, .. } => {
            let names = glob
                .unwrap_or_default()
                .iter()
                .map(|segment| match segment {
                    Segment::Name(name) => name.clone(),
                    Segment::Wild(wild) => wild.replace('*', "x"),
                    Segment::Deep => "x".to_owned(),
                });
            let path = names.fold(String::new(), |path, name| format!("{path}/{name}"));
            let field = match tool.as_str() {
                "NotebookEdit" => "notebook_path",
                "Grep" | "Glob" | "Ls" => "path",
                _ => "file_path",
            };
            vec![call(tool, json!({ field: path }))]
        }
    }
}

fn any_input(name: &str) -> Value {
    match name {
        "Bash" => json!({ "command": "x" }),
        "WebFetch" => json!({ "url": "https://example.com/" }),
        "NotebookEdit" => json!({ "notebook_path": "./x.ipynb" }),
        "Read" | "Edit" | "Write" | "MultiEdit" => json!({ "file_path": "./x" }),
        "ApplyPatch" => json!({ "patch": "*** Begin Patch\n*** Update File: x\n*** End Patch" }),
        _ => Value::Object(Map::new()),
    }
}
