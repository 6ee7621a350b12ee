//! The simplest policy that is safe: look, but ask before touching.

use super::{DecidedBy, Decision, Explanation, Policy, TraceStep, Verdict};
use crate::call::ValidatedCall;
use crate::facts::Facts;
use crate::footprint::Access;
use crate::subject::Subject;

#[cfg(test)]
mod tests;

/// Allows what only reads inside the root, and the tools it was told to allow; asks about the rest.
#[derive(Debug, Clone, Default)]
pub struct SimplePolicy {
    allowed: Vec<String>,
    is_bypass: bool,
}

impl SimplePolicy {
    /// Reading inside the root is allowed, all else is asked.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same, and all calls of the tool with this name are allowed.
    #[must_use]
    pub fn allow(mut self, tool: impl Into<String>) -> Self {
        self.allowed.push(tool.into());
        self
    }

    /// Mode `bypass`: nothing is asked.
    #[must_use]
    pub fn bypass(mut self) -> Self {
        self.is_bypass = true;
        self
    }
}

impl Policy for SimplePolicy {
    fn decide(&self, call: &ValidatedCall, facts: &Facts) -> Decision {
        if self.allowed.iter().any(|name| name == call.name()) {
            return Decision::new(Verdict::Allow, DecidedBy::Rule, "allowed by name")
                .with_rule(call.name(), "command line");
        }
        if self.is_bypass {
            return Decision::new(
                Verdict::Allow,
                DecidedBy::Mode,
                "mode `bypass` asks nothing",
            );
        }
        match obstacle(call, facts) {
            None => Decision::new(
                Verdict::Allow,
                DecidedBy::Mode,
                "it only reads, inside the root",
            ),
            Some(reason) => Decision::new(Verdict::Ask, DecidedBy::Mode, reason).liftable(),
        }
    }

    fn explain(&self, call: &ValidatedCall, facts: &Facts) -> Explanation {
        let decision = self.decide(call, facts);
        let mut trace: Vec<TraceStep> = paths(call, facts)
            .map(|(path, access)| {
                let inside = facts.is_inside(&path);
                TraceStep {
                    step: "path".into(),
                    subject: Some(facts.resolve(&path).display().to_string()),
                    effect: None,
                    rule: None,
                    source: None,
                    reason: format!(
                        "{} a path {} the root",
                        if access == Access::Read {
                            "reads"
                        } else {
                            "writes"
                        },
                        if inside { "inside" } else { "outside" },
                    ),
                }
            })
            .collect();
        trace.push(TraceStep {
            step: if decision.by == DecidedBy::Rule {
                "rule"
            } else {
                "mode"
            }
            .into(),
            subject: None,
            effect: Some(decision.effect),
            rule: decision.rule.clone(),
            source: decision.source.clone(),
            reason: decision.reason.to_string(),
        });
        let flip = match decision.effect {
            Verdict::Allow => None,
            _ => Some(format!("`--allow {}` would allow it", call.name())),
        };
        Explanation {
            trace,
            flip,
            ..Explanation::new(decision)
        }
    }
}

fn paths(
    call: &ValidatedCall,
    facts: &Facts,
) -> impl Iterator<Item = (std::path::PathBuf, Access)> {
    call.subjects(facts)
        .into_iter()
        .filter_map(|subject| match subject {
            Subject::Path { path, access } => Some((path, access)),
            _ => None,
        })
}

/// Why a call is not plainly harmless, or nothing.
fn obstacle(call: &ValidatedCall, facts: &Facts) -> Option<String> {
    let effects = call.effects();
    if !effects.read_only {
        let kind = if effects.destructive {
            "may destroy what is there"
        } else {
            "may write"
        };
        return Some(format!("`{}` {kind}, and no rule allows it", call.name()));
    }
    if effects.open_world {
        return Some(format!(
            "`{}` reaches outside this machine, and no rule allows it",
            call.name()
        ));
    }
    call.subjects(facts)
        .into_iter()
        .find_map(|subject| match subject {
            Subject::Path { path, .. } if !facts.is_inside(&path) => {
                Some(format!("`{}` is outside the root", path.display()))
            }
            Subject::Path { .. } => None,
            Subject::Command(_) => Some("it runs a command".to_owned()),
            Subject::Host(host) => Some(format!("it reaches `{host}`")),
        })
}
