//! A call whose input fits the schema. It cannot run yet.

use std::fmt;
use std::sync::Arc;

use super::asked::AskedCall;
use super::permitted::PermittedCall;
use super::raw::RawCall;
use crate::contract::{ReadOptions, Refusal, Repair};
use crate::definition::{FailureReach, ToolLimits};
use crate::effects::Effects;
use crate::erased::{AnyTool, Prepared};
use crate::facts::Facts;
use crate::footprint::Footprint;
use crate::outcome::{ErrorKind, Outcome, OutcomeError, Record, Status};
use crate::policy::{self, DecidedBy, Decision, Explanation, Policy, Verdict};
use crate::subject::Subject;
use crate::tool::Check;

/// A call of a known tool, with an input that its schema takes. It is not permitted yet, and
/// nothing here runs it.
pub struct ValidatedCall {
    pub(super) record: Record,
    pub(super) prepared: Box<dyn Prepared>,
    /// The exact bytes that permission is about: the input after repair.
    pub(super) input: String,
}

/// What was decided about a validated call.
#[derive(Debug)]
pub enum Decided {
    /// It may run.
    Permitted(PermittedCall),
    /// A person must be asked.
    Asked(AskedCall),
    /// It must not run; this is its outcome.
    Denied(Box<Outcome>),
}

impl ValidatedCall {
    /// Reads a raw call with the contract of its tool.
    pub(crate) fn read(
        raw: RawCall,
        tool: Arc<dyn AnyTool>,
        options: &ReadOptions,
    ) -> Result<Self, Box<Outcome>> {
        let (id, name, input) = raw.into_parts();
        match tool.prepare(&input, options) {
            Ok(reading) => {
                let effects = reading.prepared.effects().at_worst();
                Ok(Self {
                    record: Record {
                        id,
                        name,
                        repairs: reading.repairs,
                        effects,
                        decision: None,
                    },
                    prepared: reading.prepared,
                    input: reading.text.unwrap_or(input),
                })
            }
            Err(refusal) => Err(Box::new(refused(&id, &name, refusal))),
        }
    }

    /// The id that the outcome will carry.
    pub fn id(&self) -> &Arc<str> {
        &self.record.id
    }

    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.record.name
    }

    /// The input as JSON text, after repair: what permission is about and what will run.
    pub fn input(&self) -> &str {
        &self.input
    }

    /// What was mended in the arguments.
    pub fn repairs(&self) -> &[Repair] {
        &self.record.repairs
    }

    /// What the call does, for a person.
    pub fn describe(&self) -> String {
        self.prepared.describe()
    }

    /// What the call may do to the world.
    pub fn effects(&self) -> Effects {
        self.record.effects
    }

    /// What the call touches.
    pub fn footprint(&self, facts: &Facts) -> Footprint {
        self.prepared.footprint(facts).compared_by(facts)
    }

    /// What rules can match.
    pub fn subjects(&self, facts: &Facts) -> Vec<Subject> {
        self.prepared.subjects(facts)
    }

    /// Whether a failure reaches later calls.
    pub fn failure_reach(&self) -> FailureReach {
        self.prepared.failure_reach()
    }

    /// The tool's own limits.
    pub fn limits(&self) -> ToolLimits {
        self.prepared.limits()
    }

    pub(crate) fn check_permissions(&self, facts: &Facts) -> Check {
        self.prepared.check_permissions(facts)
    }

    /// Decides about the call. The stricter of what the policy and the tool say holds.
    pub fn decide(self, policy: &dyn Policy, facts: &Facts) -> Decided {
        self.decide_with(policy, facts, [])
    }

    /// Decides about the call with what hooks said to it. The strictest holds; a hook that allows
    /// lifts an ask that nothing but the mode made, and no other.
    pub fn decide_with(
        self,
        policy: &dyn Policy,
        facts: &Facts,
        hooks: impl IntoIterator<Item = Check>,
    ) -> Decided {
        let own = policy::decide(policy, &self, facts);
        let basis = own.effect;
        let mut is_asked_by_hook = false;
        let decision = hooks.into_iter().fold(own, |decision, said| {
            is_asked_by_hook |= matches!(said, Check::Ask(_));
            decision.joined(said, DecidedBy::Hook)
        });
        match decision.effect {
            // At the start the verdict is taken again without hooks, so it is held to that one.
            Verdict::Allow => {
                Decided::Permitted(PermittedCall::new(self, decision).resting_on(basis))
            }
            Verdict::Ask => Decided::Asked(AskedCall::new(self, decision, is_asked_by_hook)),
            Verdict::Deny => Decided::Denied(self.denied(decision)),
        }
    }

    pub(super) fn denied(mut self, decision: Decision) -> Box<Outcome> {
        let message = denial(&decision);
        self.record.decision = Some(decision);
        let error = OutcomeError::new(ErrorKind::Denied, message);
        Box::new(self.record.failed(Status::Denied, error))
    }

    /// What would be decided, and how. Nothing is permitted by this.
    pub fn explain(&self, policy: &dyn Policy, facts: &Facts) -> Explanation {
        policy::explain(policy, self, facts)
    }

    /// Its outcome when it is ended before it began.
    pub fn stop(self, why: crate::Stop) -> Outcome {
        self.record.ended(why, false)
    }
}

impl fmt::Debug for ValidatedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValidatedCall")
            .field("record", &self.record)
            .finish_non_exhaustive()
    }
}

/// What a model is told of a denial: who said no and why, never the list of rules.
pub(super) fn denial(decision: &Decision) -> String {
    let by = match decision.by {
        DecidedBy::Rule => match (&decision.rule, &decision.source) {
            (Some(rule), Some(source)) => format!("the rule `{rule}` ({source})"),
            _ => "a rule".to_owned(),
        },
        DecidedBy::Mode => "the mode".to_owned(),
        DecidedBy::Tool => "the tool itself".to_owned(),
        DecidedBy::Hook => "a hook".to_owned(),
        DecidedBy::Person => "a person".to_owned(),
        DecidedBy::SettingsError => "settings that did not load".to_owned(),
    };
    format!(
        "denied by {by}: {}; do not try the same call again",
        decision.reason
    )
}

fn refused(id: &Arc<str>, name: &str, refusal: Refusal) -> Outcome {
    let message = refusal.to_string();
    let (status, kind, problems) = match refusal {
        Refusal::InvalidJson(problem) => (Status::Invalid, ErrorKind::InvalidJson, vec![problem]),
        Refusal::InvalidInput(problems) => (Status::Invalid, ErrorKind::InvalidInput, problems),
        Refusal::Drift(problem) => (Status::Failed, ErrorKind::Drift, vec![problem]),
    };
    let mut error = OutcomeError::new(kind, message);
    error.problems = problems;
    Outcome {
        status,
        ..Outcome::invalid(id, name, error)
    }
}
