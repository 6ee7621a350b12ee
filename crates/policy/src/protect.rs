//! Paths that are never written without asking, whatever allow rules say.

use std::collections::HashSet;
use std::path::Path;

use toolpost_core::Verdict;

use crate::forms::{Form, Forms, LOOSE};
use crate::rule::path::{PathGlob, PathPattern, Segment, fold};
use crate::rule::{Matcher, Rule};

/// Below the root, at any depth.
const IN_THE_ROOT: [&str; 8] = [
    ".git/**",
    ".toolpost/**",
    "toolpost.toml",
    ".claude/**",
    ".agent/**",
    ".vscode/**",
    ".idea/**",
    ".mcp.json",
];

/// In the home folder: what a shell reads when it starts, and keys.
const IN_THE_HOME: [&str; 13] = [
    "~/.ssh/**",
    "~/.bashrc",
    "~/.bash_profile",
    "~/.bash_login",
    "~/.bash_logout",
    "~/.bash_aliases",
    "~/.profile",
    "~/.zshrc",
    "~/.zshenv",
    "~/.zprofile",
    "~/.zlogin",
    "~/.zlogout",
    "~/.config/fish/**",
];

/// The protected paths, for one root and one home.
#[derive(Debug, Clone, Default)]
pub struct Protected {
    paths: Vec<ProtectedPath>,
    /// A name of each pattern, folded: a path without any of them is not looked at further.
    names: HashSet<String>,
    /// Whether some pattern has no name, so that every path is looked at.
    is_open: bool,
}

#[derive(Debug, Clone)]
struct ProtectedPath {
    text: String,
    glob: PathGlob,
    /// The names that an allow rule must spell to reach it.
    names: Vec<String>,
}

impl Protected {
    /// The built-in ones.
    pub fn builtin(root: &Path, home: Option<&Path>) -> Self {
        let mut out = Self::default();
        for text in IN_THE_ROOT.iter().chain(&IN_THE_HOME) {
            // The built-in patterns are patterns; a test reads each.
            let _ = out.add(text, root, home);
        }
        out
    }

    /// Protects what fits this pattern too, at any depth below the root unless it begins with
    /// `/` or `~`.
    ///
    /// # Errors
    ///
    /// When the text is no pattern.
    pub fn add(&mut self, text: &str, root: &Path, home: Option<&Path>) -> Result<(), String> {
        let inner = text.strip_prefix("./").unwrap_or(text);
        let is_placed = text.starts_with(['/', '~']);
        let deep = if is_placed {
            text.to_owned()
        } else {
            format!("./**/{inner}")
        };
        let pattern = PathPattern::parse(&deep, Verdict::Deny)?;
        let names: Vec<String> = pattern.spelled().map(str::to_owned).collect();
        let Some(glob) = pattern.placed(root, home, true) else {
            return Ok(());
        };
        match names.last() {
            Some(name) => {
                self.names.insert(fold(name, LOOSE));
            }
            None => self.is_open = true,
        }
        self.paths.push(ProtectedPath {
            text: text.to_owned(),
            glob,
            names,
        });
        Ok(())
    }

    /// The patterns as they are written.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(|path| path.text.as_str())
    }

    /// Where patterns surely begin, so that links on the way are known.
    pub(crate) fn prefixes(&self) -> Vec<std::path::PathBuf> {
        self.paths.iter().map(|path| path.glob.prefix()).collect()
    }

    /// The pattern that protects a path from being written, unless one of `allowing` names what
    /// is protected by its own words.
    pub(crate) fn guards(&self, forms: &Forms, is_deep: bool, allowing: &[&Rule]) -> Option<&str> {
        let has_name = |form: &Form| form.folded.iter().any(|name| self.names.contains(name));
        if !self.is_open && !is_deep && !forms.broad.iter().any(has_name) {
            return None;
        }
        self.paths
            .iter()
            .filter(|path| path.is_hit(forms, is_deep))
            .find(|path| !allowing.iter().any(|rule| path.is_spelled_by(rule)))
            .map(|path| path.text.as_str())
    }
}

impl ProtectedPath {
    fn is_hit(&self, forms: &Forms, is_deep: bool) -> bool {
        forms.broad.iter().any(|form| {
            let names = form.names();
            self.glob.matches(&names, forms.folding, true) || (is_deep && self.stands_in(&names))
        })
    }

    /// Whether the first place that the pattern stands for lies below this folder: nearer ones
    /// may, and are not known.
    fn stands_in(&self, folder: &[&str]) -> bool {
        let names: Vec<&str> = self
            .glob
            .segments
            .iter()
            .filter_map(|segment| match segment {
                Segment::Name(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        names.starts_with(folder)
    }

    fn is_spelled_by(&self, rule: &Rule) -> bool {
        let Matcher::Path { pattern, .. } = &rule.matcher else {
            return false;
        };
        let spelled: Vec<&str> = pattern.spelled().collect();
        self.names
            .iter()
            .all(|name| spelled.contains(&name.as_str()))
    }
}
