//! Permission: who may run what, decided by the framework for each input.
//!
//! A policy is asked before a call runs, never by the tool's body. Its answer is data: what was
//! decided, by which rule or mode, and why. The rule engine is a crate of its own; the one policy
//! here is [`SimplePolicy`].

use std::borrow::Cow;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::call::ValidatedCall;
use crate::facts::Facts;
use crate::tool::Check;

mod binding;
mod simple;

pub use binding::Binding;
pub use simple::SimplePolicy;

/// What is decided about a call. The stricter is the greater, so that several combine by `max`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// May run.
    Allow,
    /// A person must be asked.
    Ask,
    /// Must not run.
    Deny,
}

/// Who or what decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DecidedBy {
    /// A rule of the settings or the command line.
    Rule,
    /// The mode, where no rule matched.
    Mode,
    /// The tool's own check.
    Tool,
    /// A hook.
    Hook,
    /// A person who was asked.
    Person,
    /// Settings that did not load.
    SettingsError,
}

/// A verdict with its reasons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// What was decided.
    pub effect: Verdict,
    /// Who decided.
    pub by: DecidedBy,
    /// The rule as it is written, where one decided.
    pub rule: Option<Arc<str>>,
    /// Where the rule stands, as `file:line`.
    pub source: Option<Arc<str>>,
    /// Why, in one sentence without a full stop.
    pub reason: Cow<'static, str>,
    /// Whether the verdict is an ask only because nothing matched: then a tool's or a hook's
    /// allow may lift it.
    #[serde(skip)]
    pub may_be_lifted: bool,
    /// What the verdict is bound to, where the policy says so.
    #[serde(skip)]
    pub binding: Option<Arc<Binding>>,
}

impl Decision {
    /// A decision without a rule.
    pub fn new(effect: Verdict, by: DecidedBy, reason: impl Into<Cow<'static, str>>) -> Self {
        Self {
            effect,
            by,
            rule: None,
            source: None,
            reason: reason.into(),
            may_be_lifted: false,
            binding: None,
        }
    }

    /// The same, made by this rule that stands at `source`.
    #[must_use]
    pub fn with_rule(mut self, rule: impl Into<Arc<str>>, source: impl Into<Arc<str>>) -> Self {
        self.rule = Some(rule.into());
        self.source = Some(source.into());
        self
    }

    /// The same, and an ask of this kind may be lifted by a tool or a hook that allows.
    #[must_use]
    pub fn liftable(mut self) -> Self {
        self.may_be_lifted = self.effect == Verdict::Ask;
        self
    }

    /// The same, bound to these bytes and objects.
    #[must_use]
    pub fn bound(mut self, binding: Binding) -> Self {
        self.binding = Some(Arc::new(binding));
        self
    }

    /// The denial that takes the place of a verdict given earlier, if this one is stricter than
    /// `before` or is about something else.
    pub(crate) fn against(self, before: Verdict, binding: Option<&Binding>) -> Option<Self> {
        let is_of_person = before == Verdict::Ask;
        let change = binding.and_then(|bound| bound.change(self.binding.as_deref()?, is_of_person));
        if let Some(change) = change {
            return Some(Self::new(Verdict::Deny, DecidedBy::Tool, change));
        }
        if self.effect <= before {
            return None;
        }
        let reason = format!("since it was permitted something changed: {}", self.reason);
        Some(Self {
            effect: Verdict::Deny,
            reason: reason.into(),
            may_be_lifted: false,
            ..self
        })
    }

    /// Joins what the tool itself or a hook says. The stricter holds; an allow lifts only a
    /// liftable ask.
    pub(crate) fn joined(self, check: Check, by: DecidedBy) -> Self {
        let binding = self.binding.clone();
        let said = |effect, reason: String| Self {
            binding,
            ..Self::new(effect, by, reason)
        };
        match check {
            Check::Deny(reason) if self.effect < Verdict::Deny => said(Verdict::Deny, reason),
            Check::Ask(reason) if self.effect < Verdict::Ask => said(Verdict::Ask, reason),
            // An ask like this is no mere default any more: nothing may lift it.
            Check::Ask(_) => Self {
                may_be_lifted: false,
                ..self
            },
            Check::Allow(reason) if self.may_be_lifted => said(Verdict::Allow, reason),
            _ => self,
        }
    }
}

/// One thing that was looked at on the way to a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TraceStep {
    /// What was looked at: `rule`, `mode`, `tool`, `path`, …
    pub step: Cow<'static, str>,
    /// The part of the call that it was about.
    pub subject: Option<String>,
    /// What it said.
    pub effect: Option<Verdict>,
    /// The rule as it is written.
    pub rule: Option<Arc<str>>,
    /// Where the rule stands.
    pub source: Option<Arc<str>>,
    /// Why.
    pub reason: String,
}

/// One command of a command line, as a policy understood it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CommandStep {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Whether it can only look.
    pub read_only: bool,
    /// Why, in one sentence without a full stop.
    pub reason: String,
    /// The paths that it reads, resolved where they could be told.
    pub reads: Vec<String>,
    /// The paths that it writes, resolved where they could be told.
    pub writes: Vec<String>,
}

/// A decision with the way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// What was decided.
    pub decision: Decision,
    /// All that was looked at.
    pub trace: Vec<TraceStep>,
    /// The smallest change that would give another verdict, in words.
    pub flip: Option<String>,
    /// The commands of a command line.
    pub commands: Vec<CommandStep>,
}

impl Explanation {
    /// A decision of which nothing more is known.
    pub const fn new(decision: Decision) -> Self {
        Self {
            decision,
            trace: Vec::new(),
            flip: None,
            commands: Vec::new(),
        }
    }
}

/// Decides about validated calls.
///
/// A decision may look at the call's name, its input, its effects and its subjects, and at facts.
/// It must not act. What it cannot decide it answers with [`Verdict::Ask`].
pub trait Policy: Send + Sync {
    /// Decides about one call.
    fn decide(&self, call: &ValidatedCall, facts: &Facts) -> Decision;

    /// Decides and says how. The default knows the decision only.
    fn explain(&self, call: &ValidatedCall, facts: &Facts) -> Explanation {
        Explanation::new(self.decide(call, facts))
    }
}

impl<P: Policy + ?Sized> Policy for Arc<P> {
    fn decide(&self, call: &ValidatedCall, facts: &Facts) -> Decision {
        (**self).decide(call, facts)
    }

    fn explain(&self, call: &ValidatedCall, facts: &Facts) -> Explanation {
        (**self).explain(call, facts)
    }
}

/// Decides about a call: the policy's word joined with the tool's.
pub(crate) fn decide(policy: &dyn Policy, call: &ValidatedCall, facts: &Facts) -> Decision {
    policy
        .decide(call, facts)
        .joined(call.check_permissions(facts), DecidedBy::Tool)
}

/// Decides about a call and says how, with the tool's word as a step of its own.
pub(crate) fn explain(policy: &dyn Policy, call: &ValidatedCall, facts: &Facts) -> Explanation {
    let mut explanation = policy.explain(call, facts);
    let check = call.check_permissions(facts);
    let said = match &check {
        Check::Defer => None,
        Check::Allow(reason) => Some((Verdict::Allow, reason)),
        Check::Ask(reason) => Some((Verdict::Ask, reason)),
        Check::Deny(reason) => Some((Verdict::Deny, reason)),
    };
    if let Some((effect, reason)) = said {
        explanation.trace.push(TraceStep {
            step: "tool".into(),
            subject: None,
            effect: Some(effect),
            rule: None,
            source: None,
            reason: reason.clone(),
        });
    }
    explanation.decision = explanation.decision.joined(check, DecidedBy::Tool);
    explanation
}
