//! What is odd about rules: those that can never match, never decide, or name no tool.
//!
//! None of it is a mistake that stops anything, but a rule that does nothing is one that somebody
//! relies on.

use std::collections::HashMap;

use toolpost_core::Verdict;
use toolpost_core::contract::nearest;

use crate::layer::Source;
use crate::rule::path::{PathGlob, Segment};
use crate::rule::{Family, HostPattern, Matcher, NamePattern, Rule};
use crate::rules::Rules;

#[cfg(test)]
mod tests;

/// Something odd about one rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The rule as it is written.
    pub rule: String,
    /// Where it stands.
    pub source: Source,
    /// What is odd and what would be right.
    pub problem: String,
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: rule `{}`: {}", self.source, self.rule, self.problem)
    }
}

/// Looks at rules. `tools` are the names of all tools there are, `servers` those of MCP servers.
pub fn check(rules: &Rules, tools: &[&str], servers: &[&str]) -> Vec<Warning> {
    let shadows = Shadows::of(rules);
    rules
        .iter()
        .enumerate()
        .flat_map(|(at, rule)| {
            let never = never_matches(rule).or_else(|| names_nobody(rule, tools, servers));
            let problem = never.or_else(|| shadows.over(rules, at, rule));
            problem.map(|problem| Warning {
                rule: rule.text().to_string(),
                source: rule.source().clone(),
                problem,
            })
        })
        .collect()
}

fn never_matches(rule: &Rule) -> Option<String> {
    match &rule.matcher {
        Matcher::Command(pattern) => pattern.separator().map(|separator| {
            format!("it never matches, since commands are matched one by one; write a rule for each side of `{separator}`")
        }),
        Matcher::Path { tool, pattern } => {
            if Family::of(tool).is_none() && crate::question::known_read_only(tool).is_some() {
                return Some(format!("it never matches, since calls of `{tool}` name no path; write `{tool}`"));
            }
            let odd = pattern.spelled().find_map(|name| name.chars().find(|c| matches!(c, '?' | '[' | '{')))?;
            Some(format!("`{odd}` means itself here; only `*` and `**` stand for something else"))
        }
        _ => None,
    }
}

fn names_nobody(rule: &Rule, tools: &[&str], servers: &[&str]) -> Option<String> {
    let hint = |near: Option<&str>| {
        near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
    };
    match &rule.matcher {
        Matcher::Server(server) => (!servers.contains(&server.as_str())).then(|| {
            format!(
                "there is no server `{server}`{}",
                hint(nearest(server, servers.iter().copied()))
            )
        }),
        Matcher::McpTool(name) => {
            let rest = name.strip_prefix("mcp__").unwrap_or(name);
            let is_known = servers.iter().any(|server| {
                rest.strip_prefix(server)
                    .is_some_and(|tool| tool.starts_with("__"))
            });
            let server = rest.split("__").next().unwrap_or(rest);
            (!is_known).then(|| {
                format!(
                    "there is no server `{server}`{}",
                    hint(nearest(server, servers.iter().copied()))
                )
            })
        }
        Matcher::Tool(NamePattern::Wild(_)) => None,
        _ => {
            let tool = rule.tool()?;
            (!tools.contains(&tool)).then(|| {
                format!(
                    "there is no tool `{tool}`{}",
                    hint(nearest(tool, tools.iter().copied()))
                )
            })
        }
    }
}

/// Rules by what they surely cover, so that each rule is held against a few others only.
#[derive(Default)]
struct Shadows<'r> {
    texts: HashMap<&'r str, Vec<usize>>,
    tools: HashMap<&'r str, Vec<usize>>,
    /// Prefix patterns by their words.
    commands: HashMap<String, Vec<usize>>,
    /// `…/**` by tool and folder.
    folders: HashMap<(String, String), Vec<usize>>,
    domains: HashMap<&'r str, Vec<usize>>,
}

impl<'r> Shadows<'r> {
    fn of(rules: &'r Rules) -> Self {
        let mut out = Self::default();
        for (at, rule) in rules.iter().enumerate() {
            out.texts.entry(rule.text()).or_default().push(at);
            match &rule.matcher {
                Matcher::Tool(NamePattern::Exact(tool)) => {
                    out.tools.entry(tool).or_default().push(at)
                }
                Matcher::Command(pattern) => {
                    if let Some(words) = pattern.prefix_words() {
                        out.commands.entry(words).or_default().push(at);
                    }
                }
                Matcher::Path { tool, .. } => {
                    if let Some(folder) = rules.glob_at(at).and_then(whole_folder) {
                        out.folders
                            .entry((tool.clone(), folder))
                            .or_default()
                            .push(at);
                    }
                }
                Matcher::Host {
                    pattern: HostPattern::Below(domain),
                    ..
                } => {
                    out.domains.entry(domain).or_default().push(at);
                }
                _ => {}
            }
        }
        out
    }

    /// What another rule makes of this one.
    fn over(&self, rules: &Rules, at: usize, rule: &Rule) -> Option<String> {
        let mut above: Vec<usize> = Vec::new();
        above.extend(self.texts.get(&**rule.text()).into_iter().flatten());
        if let (Some(tool), false) = (rule.tool(), matches!(rule.matcher, Matcher::Tool(_))) {
            above.extend(self.tools.get(tool).into_iter().flatten());
        }
        match &rule.matcher {
            Matcher::Command(pattern) => {
                for words in pattern.shorter_prefixes() {
                    above.extend(self.commands.get(&words).into_iter().flatten());
                }
            }
            Matcher::Path { tool, .. } => {
                let prefix = rules.glob_at(at).map(PathGlob::prefix);
                for folder in prefix.iter().flat_map(|prefix| prefix.ancestors()) {
                    let key = (tool.clone(), folder.to_string_lossy().into_owned());
                    above.extend(self.folders.get(&key).into_iter().flatten());
                }
            }
            Matcher::Host {
                pattern: HostPattern::Exact(host),
                ..
            } => {
                let domains = host
                    .match_indices('.')
                    .filter_map(|(dot, _)| host.get(dot + 1..));
                for domain in domains {
                    above.extend(self.domains.get(domain).into_iter().flatten());
                }
            }
            _ => {}
        }
        above
            .into_iter()
            .filter(|other| *other != at)
            .filter_map(|other| Some((other, rules.at(other)?)))
            .filter(|(other, by)| by.effect() > rule.effect() || (by.effect() == rule.effect() && (*other < at || by.text() != rule.text())))
            .filter(|(_, by)| by.effect() != rule.effect() || is_needless(rule, by))
            // Each of two that cover one another would be blamed on the other.
            .max_by_key(|(_, by)| by.effect())
            .map(|(_, by)| {
                let (text, source) = (by.text(), by.source());
                match by.effect() {
                    same if same == rule.effect() => format!("`{text}` ({source}) covers it already"),
                    Verdict::Deny => format!("it never decides, since `{text}` ({source}) denies all that it is about"),
                    _ => format!("it never decides, since `{text}` ({source}) asks about all that it is about"),
                }
            })
    }
}

/// Whether a rule adds nothing to another of the same effect that covers it. One that allows may
/// spell what the wider one leaves out: an option that writes, a protected folder.
fn is_needless(rule: &Rule, by: &Rule) -> bool {
    let may_add = match &rule.matcher {
        Matcher::Command(_) => true,
        Matcher::Path { tool, .. } => Family::of(tool) == Some(Family::Edit),
        _ => false,
    };
    rule.is_broad() || !may_add || rule.text() == by.text()
}

/// The folder, if the pattern is all of one.
fn whole_folder(glob: &PathGlob) -> Option<String> {
    let (last, names) = glob.segments.split_last()?;
    let is_whole = *last == Segment::Deep
        && names
            .iter()
            .all(|segment| matches!(segment, Segment::Name(_)));
    is_whole.then(|| glob.prefix().to_string_lossy().into_owned())
}
