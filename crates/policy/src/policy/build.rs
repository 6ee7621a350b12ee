//! From settings and flags to a policy.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use toolpost_core::{Facts, Verdict};

use super::RulePolicy;
use crate::disk::Disk;
use crate::layer::Layer;
use crate::mode::{Mode, Trust};
use crate::place::clean;
use crate::protect::Protected;
use crate::question::Question;
use crate::rule::Rule;
use crate::rules::Rules;
use crate::settings::{PolicyTest, Settings};

/// Gathers what a policy is made of.
pub struct RulePolicyBuilder {
    root: PathBuf,
    disk: Arc<dyn Disk>,
    settings: Vec<Settings>,
    rules: Vec<Rule>,
    mode: Option<Mode>,
    is_trusted: bool,
}

impl RulePolicyBuilder {
    pub(super) const fn new(root: PathBuf, disk: Arc<dyn Disk>) -> Self {
        Self {
            root,
            disk,
            settings: Vec::new(),
            rules: Vec::new(),
            mode: None,
            is_trusted: false,
        }
    }

    /// Adds a file's settings. The order does not matter.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings.push(settings);
        self
    }

    /// Adds a rule, as from the command line.
    #[must_use]
    pub fn rule(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The mode of the command line.
    #[must_use]
    pub const fn mode(mut self, mode: Option<Mode>) -> Self {
        self.mode = mode;
        self
    }

    /// Whether the workspace's own files may allow, set modes and widen.
    #[must_use]
    pub const fn trusted(mut self, is_trusted: bool) -> Self {
        self.is_trusted = is_trusted;
        self
    }

    /// Puts the policy together and runs the settings' own tests. What is wrong is in
    /// [`RulePolicy::load_errors`], and makes every verdict at least ask.
    pub fn build(self) -> RulePolicy {
        let mut policy = self.assemble(self.is_trusted, &self.rules);
        let tests: Vec<&PolicyTest> = self
            .settings
            .iter()
            .flat_map(|one| &one.permissions.tests)
            .collect();
        if !tests.is_empty() {
            // Tests are about the files, not about this run's flags or whether they are trusted.
            let tested = self.assemble(true, &[]);
            let failures = tests
                .into_iter()
                .filter_map(|test| failure(test, &tested, self.own_mode()));
            policy.load_errors.extend(failures);
        }
        policy
    }

    fn assemble(&self, is_trusted: bool, flags: &[Rule]) -> RulePolicy {
        let home = self.disk.home();
        let mut load_errors: Vec<String> = Vec::new();
        let mut protected = Protected::builtin(&self.root, home);
        let mut roots = Vec::new();
        let (mut rules, mut untrusted) = (flags.to_vec(), Vec::new());
        for settings in &self.settings {
            load_errors.extend(settings.errors.iter().map(ToString::to_string));
            let counts = is_trusted || !settings.layer.is_of_workspace();
            let permissions = &settings.permissions;
            for rule in &permissions.rules {
                if counts || rule.effect() != Verdict::Allow {
                    rules.push(rule.clone());
                } else {
                    untrusted.push(rule.clone());
                }
            }
            for (pattern, source) in &permissions.protected {
                if let Err(problem) = protected.add(pattern, &self.root, home) {
                    load_errors.push(format!("{source}: {problem}"));
                }
            }
            if counts {
                let folders = permissions.roots.iter();
                roots.extend(folders.map(|(folder, _)| self.folder(folder)));
            }
        }
        RulePolicy {
            rules: Rules::new(rules, &self.root, home),
            untrusted,
            mode: self.mode_of_layers(is_trusted, self.mode),
            protected,
            roots,
            load_errors,
            mcp: HashMap::new(),
            root: self.root.clone(),
            disk: Arc::clone(&self.disk),
        }
    }

    /// A folder of the settings: `~` is the home, relative is from the root.
    fn folder(&self, text: &str) -> PathBuf {
        let path = match (text.strip_prefix("~/"), self.disk.home()) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => self.root.join(text),
        };
        clean(&path)
    }

    /// The layer with the last word comes last.
    fn mode_of_layers(&self, is_trusted: bool, flag: Option<Mode>) -> Mode {
        let trust = Trust {
            workspace: is_trusted,
            bypass_is_disabled: self
                .settings
                .iter()
                .any(|one| one.layer == Layer::Managed && one.permissions.disable_bypass),
        };
        let mut wanted: Vec<(Layer, Mode)> = self
            .settings
            .iter()
            .filter_map(|one| Some((one.layer, one.permissions.mode.as_ref()?.0)))
            .chain(flag.map(|mode| (Layer::Cli, mode)))
            .collect();
        wanted.sort_by_key(|(layer, _)| std::cmp::Reverse(*layer));
        wanted
            .into_iter()
            .fold(Mode::Default, |mode, (layer, wanted)| {
                mode.requested(wanted, layer, trust)
            })
    }

    fn own_mode(&self) -> Mode {
        self.mode_of_layers(true, None)
    }
}

/// What is wrong, if the test fails.
fn failure(test: &PolicyTest, policy: &RulePolicy, own_mode: Mode) -> Option<String> {
    let facts = Facts::new(policy.root.clone());
    let place = policy.place(&facts);
    let question = Question::of_input(&test.name, &test.arguments);
    let prepared = crate::prepared::Prepared::new(question, &place);
    let on = crate::engine::Circumstances {
        mode: test.mode.unwrap_or(own_mode),
        load_errors: &[],
        ..policy.circumstances(&[])
    };
    let decision = crate::engine::decide(&prepared, &on);
    (decision.effect != test.expect).then(|| {
        format!(
            "{}: test of `{}`: the verdict is {}, not {}, because {}",
            test.source,
            test.name,
            word(decision.effect),
            word(test.expect),
            decision.reason
        )
    })
}

/// A verdict as it is written.
pub(crate) const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "allow",
        Verdict::Ask => "ask",
        Verdict::Deny => "deny",
    }
}
