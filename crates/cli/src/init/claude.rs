//! From `.claude/settings.json` to ours, as far as the two say the same.

use std::path::Path;

use serde_json::Value;
use toolpost_core::Verdict;
use toolpost_policy::{Layer, Rule, Source};

use super::{Draft, list, read};
use crate::exit::usage;

/// Each file of theirs with ours, and whose settings they are.
const FILES: [(&str, &str, Layer); 2] = [
    (".claude/settings.json", "toolpost.toml", Layer::Project),
    (
        ".claude/settings.local.json",
        ".toolpost/local.toml",
        Layer::Local,
    ),
];

/// Tools that have another name here.
const NAMES: [(&str, &str); 3] = [("LS", "Ls"), ("KillBash", "KillShell"), ("Task", "Agent")];

/// The files to write, and what could not be carried over.
pub(super) fn drafts(root: &Path) -> anyhow::Result<(Vec<Draft>, Vec<String>)> {
    let (mut drafts, mut not_carried) = (Vec::new(), Vec::new());
    for (theirs, ours, layer) in FILES {
        let Some(text) = read(&root.join(theirs))? else {
            continue;
        };
        let text = text.trim_start_matches('\u{feff}');
        let settings: Value = serde_json::from_str(text)
            .map_err(|error| usage(format!("`{theirs}` is no JSON: {error}")))?;
        let mut reader = Reader {
            file: theirs,
            layer,
            not_carried: Vec::new(),
        };
        drafts.push(Draft {
            name: ours,
            layer,
            text: reader.text(&settings)?,
        });
        not_carried.append(&mut reader.not_carried);
    }
    if drafts.is_empty() {
        return Err(usage(
            "there is no `.claude/settings.json` here; give the folder with `--root`",
        ));
    }
    Ok((drafts, not_carried))
}

struct Reader {
    file: &'static str,
    layer: Layer,
    not_carried: Vec<String>,
}

impl Reader {
    fn text(&mut self, settings: &Value) -> anyhow::Result<String> {
        let Some(settings) = settings.as_object() else {
            return Err(usage(format!("`{}` is no JSON object", self.file)));
        };
        for key in settings
            .keys()
            .filter(|key| !["permissions", "$schema"].contains(&key.as_str()))
        {
            self.leave(format!("`{key}`"));
        }
        let nothing = serde_json::Map::new();
        let permissions = match settings.get("permissions") {
            None => &nothing,
            Some(Value::Object(permissions)) => permissions,
            Some(_) => {
                return Err(usage(format!(
                    "`permissions` in `{}` is no object",
                    self.file
                )));
            }
        };
        let mut text = format!("# From {}.\n\n[permissions]\n", self.file);
        if let Some(mode) = self.mode(permissions.get("defaultMode")) {
            text.push_str(&format!("mode = \"{mode}\"\n"));
        }
        for (key, effect) in [
            ("allow", Verdict::Allow),
            ("ask", Verdict::Ask),
            ("deny", Verdict::Deny),
        ] {
            let rules = self.texts(permissions.get(key), key);
            let rules: Vec<String> = rules
                .iter()
                .flat_map(|rule| self.rules(rule, effect))
                .collect();
            if !rules.is_empty() {
                text.push_str(&list(key, &rules, "  "));
            }
        }
        let folders = self.texts(
            permissions.get("additionalDirectories"),
            "additionalDirectories",
        );
        if !folders.is_empty() {
            text.push_str(&list("roots", &folders, "  "));
        }
        const KNOWN: [&str; 5] = [
            "allow",
            "ask",
            "deny",
            "defaultMode",
            "additionalDirectories",
        ];
        for key in permissions
            .keys()
            .filter(|key| !KNOWN.contains(&key.as_str()))
        {
            self.leave(format!("`permissions.{key}`"));
        }
        Ok(text)
    }

    fn leave(&mut self, what: impl std::fmt::Display) {
        self.not_carried.push(format!("{}: {what}", self.file));
    }

    fn mode(&mut self, mode: Option<&Value>) -> Option<&'static str> {
        match mode?.as_str() {
            Some("default") => Some("default"),
            Some("acceptEdits") => Some("accept-edits"),
            Some("plan") => Some("plan"),
            Some("dontAsk") => Some("dont-ask"),
            Some("bypassPermissions") => {
                self.leave("mode `bypassPermissions`: a workspace's own file cannot set it; use `--mode bypass`");
                None
            }
            other => {
                self.leave(format!("mode `{}`", other.unwrap_or("that is no text")));
                None
            }
        }
    }

    fn texts(&mut self, value: Option<&Value>, key: &str) -> Vec<String> {
        match value {
            None => Vec::new(),
            Some(Value::Array(items)) => {
                let mut texts = Vec::new();
                for item in items {
                    match item.as_str() {
                        Some(text) => texts.push(text.to_owned()),
                        None => {
                            self.leave(format!("an entry of `permissions.{key}` that is no text"))
                        }
                    }
                }
                texts
            }
            Some(_) => {
                self.leave(format!("`permissions.{key}`, which is no list"));
                Vec::new()
            }
        }
    }

    /// A rule of theirs as ours; several where one of ours says less.
    fn rules(&mut self, theirs: &str, effect: Verdict) -> Vec<String> {
        let ours = match translated(theirs, effect) {
            Ok(ours) => ours,
            Err(why) => {
                self.leave(format!("rule `{}`: {why}", theirs.escape_debug()));
                return Vec::new();
            }
        };
        let source = || Source::new(self.layer, self.file, 0);
        let wrong = ours
            .iter()
            .find_map(|rule| Rule::parse(rule, effect, source()).err());
        match wrong {
            None => ours,
            Some(error) => {
                self.leave(format!(
                    "rule `{}`: {}",
                    theirs.escape_debug(),
                    error.problem
                ));
                Vec::new()
            }
        }
    }
}

/// Their rule as ours, or why there is none.
fn translated(theirs: &str, effect: Verdict) -> Result<Vec<String>, &'static str> {
    let (tool, pattern) = match theirs
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
    {
        Some((tool, pattern)) => (tool, Some(pattern)),
        None => (theirs, None),
    };
    let tool = NAMES
        .iter()
        .find_map(|(name, ours)| (*name == tool).then_some(*ours))
        .unwrap_or(tool);
    let Some(pattern) = pattern.filter(|pattern| *pattern != "*") else {
        // A server's tools one and all are named by the server alone.
        let tool = tool
            .strip_suffix("__*")
            .filter(|name| name.starts_with("mcp__"))
            .unwrap_or(tool);
        return Ok(vec![tool.to_owned()]);
    };
    let is_of_paths = matches!(
        tool,
        "Read" | "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "Glob" | "Grep" | "Ls"
    );
    if !is_of_paths {
        return Ok(vec![format!("{tool}({pattern})")]);
    }
    if pattern.starts_with('!') {
        return Err("here no rule takes back what another says; name what is meant");
    }
    if pattern.contains(['?', '[', '\\']) {
        return Err("`?`, `[` and `\\` mean themselves here; write it with `*`");
    }
    let path = path(pattern);
    // Their patterns are those of git: a name stands for a folder with all in it too. What is only
    // allowed is not widened by that.
    let is_name = !path.contains(['/', '*']) && effect != Verdict::Allow;
    let folder = is_name.then(|| format!("{tool}(**/{path}/**)"));
    Ok(std::iter::once(format!("{tool}({path})"))
        .chain(folder)
        .collect())
}

/// Theirs: `//p` absolute, `/p` from the root, a slash at the end for a folder, and without another
/// slash at any depth. Ours: `/p` absolute, `./p` from the root.
fn path(theirs: &str) -> String {
    let path = match (theirs.strip_prefix("//"), theirs.strip_prefix('/')) {
        (Some(rest), _) => format!("/{rest}"),
        (None, Some(rest)) => format!("./{rest}"),
        (None, None) => theirs.to_owned(),
    };
    match path.strip_suffix('/') {
        Some("" | "." | "~") => format!("{path}**"),
        Some(folder) if folder.contains('/') => format!("{folder}/**"),
        Some(folder) => format!("**/{folder}/**"),
        None => path,
    }
}
