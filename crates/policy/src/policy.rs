//! The policy of layered settings, for one root.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolpost_core::{
    Access, DecidedBy, Decision, Explanation, Facts, Policy, ValidatedCall, Verdict,
};

use crate::binding::bind;
use crate::disk::Disk;
use crate::engine::{self, Circumstances};
use crate::explain;
use crate::forms::Forms;
use crate::hook::HookAnswer;
use crate::mcp::McpTool;
use crate::mode::Mode;
use crate::place::Place;
use crate::prepared::Prepared;
use crate::protect::Protected;
use crate::question::Question;
use crate::rule::Rule;
use crate::rules::Rules;

mod build;

pub use build::RulePolicyBuilder;
pub(crate) use build::word;

/// So many folders of deny and ask rules are looked up anew for each decision. Of more, the links
/// are those of when the policy was made, so that many rules do not make each decision slow.
const MOST_LOOKED_UP: usize = 64;

/// Decides by rules, mode and what the settings say else.
pub struct RulePolicy {
    root: PathBuf,
    disk: Arc<dyn Disk>,
    rules: Rules,
    /// Allow rules that do not count, since the workspace is not trusted.
    untrusted: Vec<Rule>,
    mode: Mode,
    protected: Protected,
    roots: Vec<PathBuf>,
    load_errors: Vec<String>,
    aliases: Vec<(PathBuf, PathBuf)>,
    mcp: HashMap<String, McpTool>,
}

impl RulePolicy {
    /// Begins a policy for calls about `root`.
    pub fn builder(root: impl Into<PathBuf>, disk: Arc<dyn Disk>) -> RulePolicyBuilder {
        RulePolicyBuilder::new(root.into(), disk)
    }

    /// The mode that holds.
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The rules that count.
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Allow rules of a workspace that is not trusted: they would count if it were.
    pub fn untrusted(&self) -> &[Rule] {
        &self.untrusted
    }

    /// All that is wrong with the settings, as `file:line: what`.
    pub fn load_errors(&self) -> &[String] {
        &self.load_errors
    }

    /// Further folders that count as inside, from the root.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// Says who the MCP tool with this joined name is.
    pub fn register_mcp(&mut self, name: impl Into<String>, tool: McpTool) {
        self.mcp.insert(name.into(), tool);
    }

    /// The same policy with more rules.
    #[must_use]
    pub fn with_rules(&self, more: impl IntoIterator<Item = Rule>) -> Self {
        let rules = self.rules.iter().cloned().chain(more);
        let mut policy = Self {
            rules: Rules::new(rules, &self.root, self.disk.home()),
            root: self.root.clone(),
            disk: Arc::clone(&self.disk),
            untrusted: self.untrusted.clone(),
            mode: self.mode,
            protected: self.protected.clone(),
            roots: self.roots.clone(),
            load_errors: self.load_errors.clone(),
            aliases: Vec::new(),
            mcp: self.mcp.clone(),
        };
        policy.look_up_aliases();
        policy
    }

    pub(crate) fn mcp(&self, name: &str) -> Option<&McpTool> {
        self.mcp.get(name)
    }

    /// Decides about a call with what hooks answered to it.
    pub fn decide_with_hooks(
        &self,
        call: &ValidatedCall,
        facts: &Facts,
        hooks: &[HookAnswer],
    ) -> Decision {
        let place = self.place(facts);
        let mcp = self.mcp.get(call.name());
        let prepared = Prepared::new(Question::of_call(call, facts, mcp), &place);
        self.decide_prepared(&prepared, facts, hooks)
    }

    /// Decides about a call that is not validated, of a tool that need not be there.
    pub fn decide_question(&self, question: Question<'_>, facts: &Facts) -> Decision {
        let place = self.place(facts);
        self.decide_prepared(&Prepared::new(question, &place), facts, &[])
    }

    /// What a search has to leave out of its results: whether a deny or ask rule is about reading
    /// a path, which must be resolved already. Nothing where no such rule is about any path.
    pub fn left_out_of_searches(
        self: &Arc<Self>,
        facts: &Facts,
    ) -> Option<impl Fn(&Path) -> bool + Send + Sync + 'static> {
        self.rules.any_broad_path(Access::Read)?;
        let policy = Arc::clone(self);
        let place = policy.place(facts).settled();
        Some(move |path: &Path| {
            let forms = Forms::new(place.spot_at(path), &place);
            let rules = policy.rules.of_path("Read", Access::Read, &forms);
            rules.into_iter().any(Rule::is_broad)
        })
    }

    fn decide_prepared(
        &self,
        prepared: &Prepared<'_>,
        facts: &Facts,
        hooks: &[HookAnswer],
    ) -> Decision {
        if let Some(decision) = self.for_another_root(facts) {
            return decision;
        }
        engine::decide(prepared, &self.circumstances(hooks)).bound(bind(prepared))
    }

    /// Rules are anchored at one root: about another nothing can be said.
    fn for_another_root(&self, facts: &Facts) -> Option<Decision> {
        (facts.root() != self.root).then(|| {
            let reason = "the policy was made for another root";
            Decision::new(Verdict::Deny, DecidedBy::SettingsError, reason)
        })
    }

    pub(crate) fn circumstances<'a>(&'a self, hooks: &'a [HookAnswer]) -> Circumstances<'a> {
        Circumstances {
            rules: &self.rules,
            mode: self.mode,
            protected: &self.protected,
            load_errors: &self.load_errors,
            hooks,
        }
    }

    pub(crate) fn place(&self, facts: &Facts) -> Place<'_> {
        let place = Place::new(facts.root(), &*self.disk)
            .with_roots(facts.roots().iter().chain(&self.roots).cloned())
            .with_working_folder(facts.working_folder())
            .with_aliases(&self.aliases);
        if self.rules.broad_prefixes().nth(MOST_LOOKED_UP).is_some() {
            return place;
        }
        place.with_prefixes(self.rules.broad_prefixes())
    }

    /// Where links on the way to what is guarded lead, as it is when the policy is made.
    fn look_up_aliases(&mut self) {
        let guarded = self.protected.prefixes();
        let prefixes = self
            .rules
            .broad_prefixes()
            .chain(guarded.iter().map(PathBuf::as_path));
        self.aliases = Place::new(&self.root, &*self.disk)
            .with_prefixes(prefixes)
            .into_aliases();
    }
}

impl Policy for RulePolicy {
    fn decide(&self, call: &ValidatedCall, facts: &Facts) -> Decision {
        self.decide_with_hooks(call, facts, &[])
    }

    fn explain(&self, call: &ValidatedCall, facts: &Facts) -> Explanation {
        if let Some(decision) = self.for_another_root(facts) {
            return Explanation::new(decision);
        }
        let place = self.place(facts);
        let mcp = self.mcp.get(call.name());
        let prepared = Prepared::new(Question::of_call(call, facts, mcp), &place);
        explain::explain(&prepared, &self.circumstances(&[]), &place, &self.untrusted)
    }
}

impl std::fmt::Debug for RulePolicy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RulePolicy")
            .field("root", &self.root)
            .field("rules", &self.rules.len())
            .field("mode", &self.mode)
            .field("load_errors", &self.load_errors)
            .finish_non_exhaustive()
    }
}
