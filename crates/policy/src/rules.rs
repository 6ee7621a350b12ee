//! All rules that count, arranged so that one that cannot match costs nothing.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use toolpost_core::Access;

use crate::forms::{Forms, LOOSE, key_of};
use crate::mcp::McpTool;
use crate::rule::command::{Argv, Fit, basename};
use crate::rule::path::{PathGlob, Segment, fold};
use crate::rule::{Family, HostPattern, Matcher, NamePattern, Rule};

mod commands;
mod paths;

use commands::CommandIndex;
use paths::PathIndex;

/// A rule's place in the list.
pub(crate) type Id = u32;

/// The rules of all layers, indexed for one root and one home.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    all: Vec<Rule>,
    /// The pattern of each path rule from `/` on.
    globs: HashMap<Id, PathGlob>,
    tools: HashMap<String, Vec<Id>>,
    wild_tools: Vec<Id>,
    servers: HashMap<String, Vec<Id>>,
    mcp_tools: HashMap<String, Vec<Id>>,
    hosts: HashMap<String, Vec<Id>>,
    any_host: Vec<Id>,
    commands: CommandIndex,
    paths: PathIndex,
}

impl Rules {
    /// Arranges rules for calls about this root. A rule under a home that is not known never
    /// matches.
    pub fn new(rules: impl IntoIterator<Item = Rule>, root: &Path, home: Option<&Path>) -> Self {
        let mut out = Self::default();
        for rule in rules {
            out.add(rule, root, home);
        }
        out
    }

    fn add(&mut self, rule: Rule, root: &Path, home: Option<&Path>) {
        let Ok(id) = Id::try_from(self.all.len()) else {
            return;
        };
        match &rule.matcher {
            Matcher::Tool(NamePattern::Exact(name)) => {
                self.tools.entry(name.clone()).or_default().push(id);
            }
            Matcher::Tool(NamePattern::Wild(_)) => self.wild_tools.push(id),
            Matcher::Server(server) => self.servers.entry(server.clone()).or_default().push(id),
            Matcher::McpTool(name) => self.mcp_tools.entry(name.clone()).or_default().push(id),
            Matcher::Host { pattern, .. } => match pattern {
                HostPattern::Any => self.any_host.push(id),
                HostPattern::Exact(host) | HostPattern::Below(host) => {
                    self.hosts.entry(host.clone()).or_default().push(id);
                }
            },
            Matcher::Command(pattern) => self.commands.add(id, pattern, rule.is_broad()),
            Matcher::Path { tool, pattern } => {
                if let Some(glob) = pattern.placed(root, home, rule.is_broad()) {
                    self.paths.add(id, tool, &glob, rule.is_broad());
                    self.globs.insert(id, glob);
                }
            }
        }
        self.all.push(rule);
    }

    /// All of them, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The rule at this place of the list.
    pub(crate) fn at(&self, place: usize) -> Option<&Rule> {
        self.all.get(place)
    }

    /// The pattern from `/` on of the path rule at this place of the list.
    pub(crate) fn glob_at(&self, place: usize) -> Option<&PathGlob> {
        self.globs.get(&Id::try_from(place).ok()?)
    }

    fn get(&self, id: Id) -> Option<&Rule> {
        self.all.get(id as usize)
    }

    fn of<'r>(&'r self, ids: Option<&'r Vec<Id>>) -> impl Iterator<Item = &'r Rule> {
        ids.into_iter().flatten().filter_map(|id| self.get(*id))
    }

    /// Rules about all calls of the tool with this name.
    pub(crate) fn of_tool<'r, 'n>(
        &'r self,
        name: &'n str,
    ) -> impl Iterator<Item = &'r Rule> + use<'r, 'n> {
        let wild = self.of(Some(&self.wild_tools)).filter(
            move |rule| matches!(&rule.matcher, Matcher::Tool(pattern) if pattern.matches(name)),
        );
        self.of(self.tools.get(name)).chain(wild)
    }

    /// The rule that allows all calls of the tool, if there is one.
    pub(crate) fn allows_tool(&self, name: &str) -> Option<&Rule> {
        self.of(self.tools.get(name)).find(|rule| !rule.is_broad())
    }

    /// Rules about an MCP tool: those for its server, and those for it alone.
    pub(crate) fn of_mcp<'r>(&'r self, called: &str, tool: &McpTool) -> Vec<&'r Rule> {
        let mut found: Vec<&Rule> = Vec::new();
        for server in tool.server_names() {
            let rules = self.of(self.servers.get(&server));
            found.extend(rules.filter(|rule| tool.is_of(&server, rule.is_broad())));
        }
        let plain = McpTool::new(&tool.server, &tool.tool).joined();
        let mut names = vec![called, plain.as_str()];
        names.dedup();
        for name in names {
            let rules = self.of(self.mcp_tools.get(name));
            found.extend(rules.filter(|rule| {
                if rule.is_broad() {
                    name == called || tool.is_broadly(name)
                } else {
                    tool.is_narrowly(name)
                }
            }));
        }
        let joined = tool.joined();
        found.extend(self.of(Some(&self.wild_tools)).filter(|rule| {
            matches!(&rule.matcher, Matcher::Tool(pattern) if pattern.matches(called) || pattern.matches(&joined))
        }));
        found
    }

    /// Rules about a host in its normal form, for this tool.
    pub(crate) fn of_host(&self, name: &str, host: &str) -> Vec<&Rule> {
        let above = host
            .match_indices('.')
            .filter_map(|(at, _)| host.get(at + 1..));
        std::iter::once(host)
            .chain(above)
            .filter_map(|domain| self.hosts.get(domain))
            .chain(std::iter::once(&self.any_host))
            .flat_map(|ids| self.of(Some(ids)))
            .filter(|rule| match &rule.matcher {
                Matcher::Host { tool, pattern } => {
                    let is_its_own = tool == name || (rule.is_broad() && tool == "WebFetch");
                    is_its_own && pattern.matches(host)
                }
                _ => false,
            })
            .collect()
    }

    /// Rules that fit a path which `tool` touches in this way: the broad ones and the narrow ones.
    pub(crate) fn of_path(&self, tool: &str, access: Access, forms: &Forms) -> Vec<&Rule> {
        self.paths
            .candidates(forms)
            .into_iter()
            .filter_map(|id| Some((self.get(id)?, self.globs.get(&id)?)))
            .filter(|(rule, glob)| self.path_fits(rule, glob, tool, access, forms))
            .map(|(rule, _)| rule)
            .collect()
    }

    fn path_fits(
        &self,
        rule: &Rule,
        glob: &PathGlob,
        tool: &str,
        access: Access,
        forms: &Forms,
    ) -> bool {
        let Matcher::Path { tool: own, .. } = &rule.matcher else {
            return false;
        };
        if !covers_tool(own, tool, access, rule.is_broad()) {
            return false;
        }
        if rule.is_broad() {
            let fits = |names: &[&str]| glob.matches(names, forms.folding, true);
            forms.broad.iter().any(|form| fits(&form.names()))
        } else {
            let exact = crate::disk::Folding::default();
            forms.narrow.iter().all(|group| {
                group
                    .iter()
                    .any(|form| glob.matches(&form.names(), exact, false))
            })
        }
    }

    /// Whether a deny or ask rule may be about something below this folder.
    pub(crate) fn may_deny_below(&self, access: Access, forms: &Forms) -> Option<&Rule> {
        self.paths
            .below(head_of(access), forms)
            .and_then(|id| self.get(id))
    }

    /// A deny or ask rule about paths that are accessed in this way, if there is one.
    pub(crate) fn any_broad_path(&self, access: Access) -> Option<&Rule> {
        let head = head_of(access);
        let bare = self.of_tool(head).find(|rule| rule.is_broad());
        bare.or_else(|| self.paths.any_broad(head).and_then(|id| self.get(id)))
    }

    /// Deny and ask rules that fit or may fit the words that a program gets.
    pub(crate) fn of_argv(&self, argv: &Argv<'_>, folds_case: bool) -> Vec<(&Rule, Fit)> {
        self.commands
            .broad(argv)
            .into_iter()
            .filter_map(|id| self.get(id))
            .filter_map(|rule| match &rule.matcher {
                Matcher::Command(pattern) => Some((rule, pattern.matches_broad(argv, folds_case))),
                _ => None,
            })
            .filter(|(_, fit)| *fit != Fit::No)
            .collect()
    }

    /// Allow rules that fit the words of a command as they are typed.
    pub(crate) fn of_raw(
        &self,
        raw: &[String],
    ) -> impl Iterator<Item = (&Rule, &crate::rule::CommandPattern)> {
        self.commands
            .narrow(raw)
            .into_iter()
            .filter_map(|id| self.get(id))
            .filter_map(|rule| match &rule.matcher {
                Matcher::Command(pattern) => Some((rule, pattern)),
                _ => None,
            })
            .filter(|(_, pattern)| pattern.matches_narrow(raw))
    }

    /// A deny or ask rule about commands, if there is one.
    pub(crate) fn any_broad_command(&self) -> Option<&Rule> {
        self.commands.any_broad().and_then(|id| self.get(id))
    }

    /// A deny or ask rule that is about the program with this name.
    pub(crate) fn broad_program(&self, word: &str) -> Option<&Rule> {
        self.commands
            .broad_program(basename(word))
            .and_then(|id| self.get(id))
    }

    /// Where the patterns of deny and ask rules surely begin.
    pub(crate) fn broad_prefixes(&self) -> impl Iterator<Item = &Path> {
        self.paths.broad_prefixes()
    }
}

fn head_of(access: Access) -> &'static str {
    match access {
        Access::Read => Family::Read.head(),
        Access::Write => Family::Edit.head(),
    }
}

/// Whether path rules of the tool `own` cover what `tool` does to a path.
fn covers_tool(own: &str, tool: &str, access: Access, is_broad: bool) -> bool {
    if own == tool {
        return true;
    }
    match Family::of(tool) {
        Some(family) => own == family.head(),
        // A tool of unknown kind is only held back by the families' rules, never let through.
        None => own == head_of(access) && (is_broad || tool == "Bash"),
    }
}
