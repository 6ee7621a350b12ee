//! The maximum of all that is said, with who said it.

use std::borrow::Cow;
use std::sync::Arc;

use toolpost_core::{DecidedBy, Decision, TraceStep, Verdict};

use super::Reason;
use crate::hook::HookAnswer;
use crate::mode::Mode;
use crate::place::escaped;
use crate::rule::Rule;

/// One thing that is said of one part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Said<'s> {
    effect: Verdict,
    by: DecidedBy,
    step: &'static str,
    subject: Option<&'s str>,
    is_liftable: bool,
}

impl<'s> Said<'s> {
    pub(super) const fn new(effect: Verdict, by: DecidedBy, step: &'static str) -> Self {
        Self {
            effect,
            by,
            step,
            subject: None,
            is_liftable: false,
        }
    }

    /// Said by the mode of this part.
    pub(super) const fn by_mode(effect: Verdict, subject: &'s str) -> Self {
        let said = Self::new(effect, DecidedBy::Mode, "mode");
        Self {
            subject: Some(subject),
            ..said
        }
    }

    /// The same of this part.
    pub(super) const fn of(self, subject: &'s str) -> Self {
        Self {
            subject: Some(subject),
            ..self
        }
    }

    /// The same as a step of its own, which nothing lifts.
    pub(super) const fn firm(self, step: &'static str) -> Self {
        Self {
            step,
            is_liftable: false,
            ..self
        }
    }

    /// The same place and subject, but allowed.
    pub(super) const fn allowing(self) -> Self {
        Self {
            effect: Verdict::Allow,
            is_liftable: false,
            ..self
        }
    }

    /// The same, said only because nothing else was.
    pub(super) const fn liftable(self) -> Self {
        Self {
            is_liftable: true,
            ..self
        }
    }
}

/// The greatest so far.
#[derive(Debug)]
pub(crate) struct Join<'r> {
    best: Option<Best<'r>>,
    steps: Option<Vec<TraceStep>>,
}

#[derive(Debug)]
struct Best<'r> {
    effect: Verdict,
    by: DecidedBy,
    rule: Option<&'r Rule>,
    reason: Cow<'static, str>,
    is_liftable: bool,
}

impl<'r> Join<'r> {
    /// Nothing was said yet.
    pub(crate) const fn new() -> Self {
        Self {
            best: None,
            steps: None,
        }
    }

    /// The same, and every step is noted.
    pub(crate) const fn traced() -> Self {
        Self {
            best: None,
            steps: Some(Vec::new()),
        }
    }

    pub(super) fn add(&mut self, said: Said<'_>, reason: Reason<'_>) {
        self.join(said, None, reason);
    }

    /// A rule that fits gives its effect.
    pub(super) fn rule(&mut self, rule: &'r Rule, subject: &str, reason: Reason<'_>) {
        let said = Said::new(rule.effect(), DecidedBy::Rule, "rule").of(subject);
        self.join(said, Some(rule), reason);
    }

    /// A rule that may fit, or that this is too near to, asks.
    pub(super) fn near_rule(&mut self, rule: &'r Rule, subject: &str, reason: Reason<'_>) {
        let said = Said::new(Verdict::Ask, DecidedBy::Rule, "rule").of(subject);
        self.join(said, Some(rule), reason);
    }

    fn join(&mut self, said: Said<'_>, rule: Option<&'r Rule>, reason: Reason<'_>) {
        // At the same height, what cannot be lifted has the say, and then who came first: the
        // same rule wherever it stands among the others.
        let is_greater = self.best.as_ref().is_none_or(|best| {
            let place =
                |rule: Option<&Rule>| rule.map(|rule| (rule.source().clone(), rule.text().clone()));
            let rank = |liftable: bool, by: DecidedBy| (!liftable, by == DecidedBy::Rule);
            let new = (said.effect, rank(said.is_liftable, said.by));
            let old = (best.effect, rank(best.is_liftable, best.by));
            new > old
                || (new == old && said.by == DecidedBy::Rule && place(rule) < place(best.rule))
        });
        if !is_greater && self.steps.is_none() {
            return;
        }
        let reason = reason();
        if let Some(steps) = &mut self.steps {
            steps.push(TraceStep {
                step: said.step.into(),
                subject: said.subject.map(escaped),
                effect: Some(said.effect),
                rule: rule.map(|rule| Arc::clone(rule.text())),
                source: rule.map(|rule| rule.source().to_string().into()),
                reason: reason.to_string(),
            });
        }
        if is_greater {
            self.best = Some(Best {
                effect: said.effect,
                by: said.by,
                rule,
                reason,
                is_liftable: said.is_liftable,
            });
        }
    }

    /// The decision: a hook's consent lifts an ask that nothing but the mode made, and what
    /// would be asked is denied where nobody is to be asked.
    pub(crate) fn finish(mut self, mode: Mode, hooks: &[HookAnswer]) -> (Decision, Vec<TraceStep>) {
        let is_liftable = self
            .best
            .as_ref()
            .is_some_and(|best| best.effect == Verdict::Ask && best.is_liftable);
        if is_liftable && hooks.contains(&HookAnswer::Allow) {
            // What is lifted is taken back before the hook's word is joined.
            self.best = None;
            self.add(Said::new(Verdict::Allow, DecidedBy::Hook, "hook"), &|| {
                "a hook has nothing against it".into()
            });
        }
        let is_asked = self
            .best
            .as_ref()
            .is_none_or(|best| best.effect == Verdict::Ask);
        if mode == Mode::DontAsk && is_asked {
            let why = self
                .best
                .as_ref()
                .map_or(Cow::Borrowed("nothing allows it"), |best| {
                    best.reason.clone()
                });
            let said = Said::new(Verdict::Deny, DecidedBy::Mode, "mode");
            self.add(said, &|| {
                format!("mode `dont-ask` denies what would be asked: {why}").into()
            });
        }
        let steps = self.steps.unwrap_or_default();
        let Some(best) = self.best else {
            // Nothing said anything, which is no consent.
            return (
                Decision::new(Verdict::Ask, DecidedBy::Mode, "no rule is about it"),
                steps,
            );
        };
        let mut decision = Decision::new(best.effect, best.by, best.reason);
        if let Some(rule) = best.rule {
            decision = decision.with_rule(Arc::clone(rule.text()), rule.source().to_string());
        }
        if best.is_liftable {
            decision = decision.liftable();
        }
        (decision, steps)
    }
}
