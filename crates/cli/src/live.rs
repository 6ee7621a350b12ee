//! The policy of a run: that of the settings, with what a person has allowed for always meanwhile.

use std::sync::{Arc, PoisonError, RwLock};

use toolpost_core::{Decision, Explanation, Facts, Policy, ValidatedCall};
use toolpost_policy::{Rule, RulePolicy};

/// A policy to which rules can be added while calls run.
#[derive(Clone)]
pub(crate) struct LivePolicy(Arc<RwLock<Arc<RulePolicy>>>);

impl LivePolicy {
    pub(crate) fn new(policy: Arc<RulePolicy>) -> Self {
        Self(Arc::new(RwLock::new(policy)))
    }

    /// The policy as it is now.
    pub(crate) fn now(&self) -> Arc<RulePolicy> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds rules, for the calls from here on.
    pub(crate) fn add(&self, rules: impl IntoIterator<Item = Rule>) {
        let mut policy = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *policy = Arc::new(policy.with_rules(rules));
    }
}

impl Policy for LivePolicy {
    fn decide(&self, call: &ValidatedCall, facts: &Facts) -> Decision {
        self.now().decide(call, facts)
    }

    fn explain(&self, call: &ValidatedCall, facts: &Facts) -> Explanation {
        self.now().explain(call, facts)
    }
}
