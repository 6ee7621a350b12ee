//! From a prepared question to a verdict.
//!
//! The verdict is the maximum of deny > ask > allow over every part of the call and all that is
//! said of each part. A part that no rule is about is left to the mode. Then hooks, settings that
//! did not load and the mode's own last word are joined. Nothing here depends on the order of
//! rules.

use std::borrow::Cow;

use toolpost_core::{Access, DecidedBy, Decision, TraceStep, Verdict};

use crate::forms::Forms;
use crate::hook::HookAnswer;
use crate::mcp::McpTool;
use crate::mode::Mode;
use crate::prepared::Prepared;
use crate::protect::Protected;
use crate::question::{Body, is_tool_name, known_read_only};
use crate::rule::{Family, Rule};
use crate::rules::Rules;

mod bash;
mod cover;
mod join;
mod web;

pub(crate) use join::Join;
use join::Said;

/// What a decision rests on besides the question.
#[derive(Debug, Clone, Copy)]
pub struct Circumstances<'a> {
    /// The rules that count.
    pub rules: &'a Rules,
    /// The mode that holds.
    pub mode: Mode,
    /// Paths that are not written without asking.
    pub protected: &'a Protected,
    /// What of the settings did not load.
    pub load_errors: &'a [String],
    /// What hooks answered.
    pub hooks: &'a [HookAnswer],
}

/// Decides.
pub fn decide(prepared: &Prepared<'_>, on: &Circumstances<'_>) -> Decision {
    judge(prepared, on, Join::new()).0
}

/// Decides, with every step on the way.
pub fn trace(prepared: &Prepared<'_>, on: &Circumstances<'_>) -> (Decision, Vec<TraceStep>) {
    judge(prepared, on, Join::traced())
}

fn judge<'r>(
    prepared: &Prepared<'_>,
    on: &Circumstances<'r>,
    join: Join<'r>,
) -> (Decision, Vec<TraceStep>) {
    let mut judge = Judge { prepared, on, join };
    judge.parts();
    judge.hooks_and_settings();
    judge.join.finish(on.mode, on.hooks)
}

struct Judge<'q, 'p, 'r> {
    prepared: &'q Prepared<'p>,
    on: &'q Circumstances<'r>,
    join: Join<'r>,
}

/// A sentence that is only written when it is needed.
type Reason<'f> = &'f dyn Fn() -> Cow<'static, str>;

impl<'r> Judge<'_, '_, 'r> {
    fn name(&self) -> &str {
        self.prepared.question.name
    }

    fn parts(&mut self) {
        let question = &self.prepared.question;
        let name = question.name;
        if !is_tool_name(name) {
            let said = Said::new(Verdict::Deny, DecidedBy::Tool, "name");
            return self
                .join
                .add(said, &|| "its name is none that a tool can have".into());
        }
        if let Body::Invalid(reason) = &question.body {
            let said = Said::new(Verdict::Deny, DecidedBy::Tool, "input");
            return self.join.add(said, &|| reason.clone().into());
        }
        let mcp = match question.mcp {
            Some(tool) => Some(tool.clone()),
            None => McpTool::of_name(name),
        };
        if name.starts_with("mcp__") || question.mcp.is_some() {
            return self.mcp(mcp.as_ref());
        }
        let is_ruled = self.broad_tool_rules();
        match &question.body {
            Body::Command(_) => self.bash(is_ruled),
            Body::Url(url) => self.web(url, is_ruled),
            Body::Things {
                hosts, commands, ..
            } => self.things(hosts, commands, is_ruled),
            Body::Invalid(_) => {}
        }
    }

    /// Joins the deny and ask rules about all calls of the tool or of its family. Says whether
    /// there was one.
    fn broad_tool_rules(&mut self) -> bool {
        let name = self.prepared.question.name;
        let head = Family::of(name)
            .map(Family::head)
            .filter(|head| *head != name);
        let mut is_ruled = false;
        for name in std::iter::once(name).chain(head) {
            for rule in self.on.rules.of_tool(name).filter(|rule| rule.is_broad()) {
                is_ruled = true;
                self.join
                    .rule(rule, name, &|| "it is about every call of the tool".into());
            }
        }
        is_ruled
    }

    /// The rule that allows every call of the tool or of its family.
    fn allowed_tool(&self, name: &str) -> Option<&'r Rule> {
        let rules = self.on.rules;
        let head = Family::of(name).map(Family::head);
        rules.allows_tool(name).or_else(|| rules.allows_tool(head?))
    }

    fn things(&mut self, hosts: &[String], commands: &[String], is_ruled: bool) {
        let prepared = self.prepared;
        let name = prepared.question.name;
        let only_looks = self.only_looks();
        self.plan_ceiling(only_looks, "");
        let allowed = self.allowed_tool(name);
        for (forms, access) in &prepared.paths {
            let Ruled { is_broad, narrow } = self.path_rules(name, *access, forms, false);
            if is_broad || is_ruled {
                continue;
            }
            match narrow.or(allowed) {
                Some(rule) => self
                    .join
                    .rule(rule, &forms.shown, &|| touches(*access, &forms.shown)),
                None => self.path_by_mode(*access, forms, only_looks),
            }
        }
        for host in hosts {
            self.host_rules(host, allowed, is_ruled);
        }
        if is_ruled {
            return;
        }
        if let (Some(rule), true) = (allowed, prepared.paths.is_empty() && hosts.is_empty()) {
            return self
                .join
                .rule(rule, name, &|| "it is about every call of the tool".into());
        }
        if !commands.is_empty() && allowed.is_none() {
            let said = Said::by_mode(Verdict::Ask, name);
            self.by_default(said, &|| "it runs a command".into());
        } else if prepared.paths.is_empty() && hosts.is_empty() {
            self.pathless_by_mode(only_looks);
        }
    }

    /// Whether the call is known to change nothing.
    fn only_looks(&self) -> bool {
        let question = &self.prepared.question;
        match (question.effects, known_read_only(question.name)) {
            (Some(effects), _) => effects.read_only,
            (None, known) => known == Some(true),
        }
    }

    fn pathless_by_mode(&mut self, only_looks: bool) {
        // What belongs to the session alone may be used without asking.
        const OF_THE_SESSION: [&str; 4] = ["TodoWrite", "ToolSearch", "BashOutput", "KillShell"];
        let question = &self.prepared.question;
        let name = question.name;
        let reaches_out = question.effects.is_some_and(|effects| effects.open_world);
        let said = |effect| Said::by_mode(effect, name);
        if OF_THE_SESSION.contains(&name) {
            self.join.add(said(Verdict::Allow), &|| {
                "it is about the session alone".into()
            });
        } else if only_looks && !reaches_out {
            self.join.add(said(Verdict::Allow), &|| {
                "it only looks, inside the root".into()
            });
        } else {
            let why = if only_looks {
                "reaches outside this machine"
            } else {
                "may change something"
            };
            self.by_default(said(Verdict::Ask), &|| {
                format!("`{name}` {why}, and no rule allows it").into()
            });
        }
    }

    fn path_by_mode(&mut self, access: Access, forms: &Forms, only_looks: bool) {
        let name = self.prepared.question.name;
        let effects = self.prepared.question.effects;
        let said = |effect| Said::by_mode(effect, &forms.shown);
        let shown = &forms.shown;
        if !forms.is_inside {
            return self.by_default(said(Verdict::Ask), &|| {
                format!("`{shown}` is outside the root, and no rule allows it").into()
            });
        }
        if access == Access::Read {
            let reaches_out = effects.is_some_and(|effects| effects.open_world);
            return if only_looks && !reaches_out {
                self.join.add(said(Verdict::Allow), &|| {
                    "it only looks, inside the root".into()
                });
            } else {
                let why =
                    format!("`{name}` does more than look at `{shown}`, and no rule allows it");
                self.by_default(said(Verdict::Ask), &|| why.clone().into());
            };
        }
        let destroys = effects.is_some_and(|effects| effects.destructive);
        if self.on.mode == Mode::AcceptEdits && Family::of(name) == Some(Family::Edit) && !destroys
        {
            self.join.add(said(Verdict::Allow), &|| {
                "mode `accept-edits` lets it write inside the root".into()
            });
        } else {
            self.by_default(said(Verdict::Ask), &|| {
                format!("it writes `{shown}`, and no rule allows it").into()
            });
        }
    }

    /// Joins what deny and ask rules and protection say of a path, and finds an allow rule.
    fn path_rules(
        &mut self,
        tool: &str,
        access: Access,
        forms: &Forms,
        is_deep: bool,
    ) -> Ruled<'r> {
        let found = self.on.rules.of_path(tool, access, forms);
        let mut is_broad = false;
        for rule in found.iter().filter(|rule| rule.is_broad()) {
            is_broad = true;
            self.join
                .rule(rule, &forms.shown, &|| touches(access, &forms.shown));
        }
        let narrow: Vec<&Rule> = found.into_iter().filter(|rule| !rule.is_broad()).collect();
        if access == Access::Write
            && let Some(pattern) = self.on.protected.guards(forms, is_deep, &narrow)
        {
            is_broad = true;
            let said = Said::by_mode(Verdict::Ask, &forms.shown).firm("protected");
            self.join.add(said, &|| {
                let shown = &forms.shown;
                format!("`{shown}` is protected (`{pattern}`), and no allow rule names that").into()
            });
        }
        Ruled {
            is_broad,
            narrow: narrow.first().copied(),
        }
    }

    fn mcp(&mut self, tool: Option<&McpTool>) {
        let prepared = self.prepared;
        let question = &prepared.question;
        let name = question.name;
        let may_look = question.effects.is_some_and(|effects| effects.read_only);
        let only_looks = tool.is_some_and(|tool| tool.annotations_are_trusted) && may_look;
        self.plan_ceiling(only_looks, " on the word of anyone who is trusted");
        let rules = match tool {
            Some(tool) => self.on.rules.of_mcp(name, tool),
            // Which server is meant is not clear, so only what may deny counts.
            None => {
                let named = McpTool {
                    server: String::new(),
                    tool: name.to_owned(),
                    ..McpTool::default()
                };
                self.on
                    .rules
                    .of_mcp(name, &named)
                    .into_iter()
                    .filter(|rule| rule.is_broad())
                    .collect()
            }
        };
        for rule in &rules {
            self.join
                .rule(rule, name, &|| "it is about this tool".into());
        }
        if tool.is_some_and(McpTool::has_changed) {
            let said = Said::by_mode(Verdict::Ask, name).firm("definition");
            self.join.add(said, &|| {
                "its definition is another than the one that was approved".into()
            });
        } else if rules.is_empty() && only_looks {
            self.join.add(Said::by_mode(Verdict::Allow, name), &|| {
                "a server that is trusted says that it only looks".into()
            });
        } else if rules.is_empty() {
            self.by_default(Said::by_mode(Verdict::Ask, name), &|| {
                format!("`{name}` is a tool of another server, and no rule allows it").into()
            });
        }
    }

    /// In mode `plan`, what does not only look is denied.
    fn plan_ceiling(&mut self, only_looks: bool, on_whose_word: &str) {
        if self.on.mode == Mode::Plan && !only_looks {
            let name = self.name().to_owned();
            let said = Said::by_mode(Verdict::Deny, &name);
            self.join.add(said, &|| {
                format!(
                    "mode `plan` only looks, and `{name}` is not known to only look{on_whose_word}"
                )
                .into()
            });
        }
    }

    /// What the mode says of a part that no rule is about.
    fn by_default(&mut self, said: Said<'_>, reason: Reason<'_>) {
        if self.on.mode == Mode::Bypass {
            let said = said.allowing();
            return self
                .join
                .add(said, &|| "mode `bypass` asks only where a rule does".into());
        }
        self.join.add(said.liftable(), reason);
    }

    fn hooks_and_settings(&mut self) {
        for hook in self.on.hooks {
            let (effect, reason) = match hook {
                HookAnswer::Allow => continue,
                HookAnswer::Ask => (Verdict::Ask, "a hook wants a person to be asked"),
                HookAnswer::Deny => (Verdict::Deny, "a hook denies it"),
                HookAnswer::Error => (Verdict::Ask, "a hook broke, which is no consent"),
            };
            self.join
                .add(Said::new(effect, DecidedBy::Hook, "hook"), &|| {
                    reason.into()
                });
        }
        if let Some(error) = self.on.load_errors.first() {
            let said = Said::new(Verdict::Ask, DecidedBy::SettingsError, "settings");
            self.join
                .add(said, &|| format!("settings did not load ({error})").into());
        }
    }
}

/// What rules say of one path.
struct Ruled<'r> {
    /// Whether something denies or asks.
    is_broad: bool,
    /// An allow rule that fits.
    narrow: Option<&'r Rule>,
}

fn touches(access: Access, shown: &str) -> Cow<'static, str> {
    match access {
        Access::Read => format!("it reads `{shown}`").into(),
        Access::Write => format!("it writes `{shown}`").into(),
    }
}
