//! The layered settings files, and what of a workspace's own may count.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolpost_core::Verdict;
use toolpost_policy::{Layer, Rule, RulePolicy, Settings, Source};
use toolpost_tools::HostDisk;

use crate::args::Common;
use crate::exit::usage;
use crate::{setup, trust};

/// The administrator's settings.
pub(crate) const MANAGED: &str = "/etc/toolpost/settings.toml";

/// All settings of one run.
pub(crate) struct Loaded {
    pub(crate) files: Vec<Settings>,
    pub(crate) is_trusted: bool,
    root: PathBuf,
}

impl Loaded {
    /// Reads the files of all layers; those that are not there say nothing.
    pub(crate) fn of(common: &Common) -> anyhow::Result<Self> {
        let root = setup::root(common)?;
        let mut files = Vec::new();
        files.extend(read(Path::new(MANAGED), Layer::Managed));
        match &common.settings {
            Some(path) => match read(path, Layer::Cli) {
                Some(settings) => files.push(settings),
                None => {
                    return Err(usage(format!(
                        "--settings: there is no file `{}`",
                        path.display()
                    )));
                }
            },
            None => {
                files.extend(user_file().and_then(|path| read(&path, Layer::User)));
                files.extend(of_workspace(&root));
            }
        }
        Ok(Self {
            files,
            is_trusted: common.trust || trust::is_trusted(&root),
            root,
        })
    }

    /// The files whose own tools, servers, hooks and limits count.
    pub(crate) fn trusted_files(&self) -> impl Iterator<Item = &Settings> {
        self.files
            .iter()
            .filter(|file| self.is_trusted || !file.layer.is_of_workspace())
    }

    /// The policy of the files and the flags.
    pub(crate) fn policy(&self, common: &Common) -> anyhow::Result<RulePolicy> {
        self.policy_about(common, &self.root)
    }

    /// The same, about another root.
    pub(crate) fn policy_about(&self, common: &Common, root: &Path) -> anyhow::Result<RulePolicy> {
        let disk = Arc::new(HostDisk::new(root, setup::folder_of("HOME")));
        let mut builder = RulePolicy::builder(root, disk)
            .mode(common.mode)
            .trusted(self.is_trusted);
        for settings in &self.files {
            builder = builder.settings(settings.clone());
        }
        for rule in flags(common)? {
            builder = builder.rule(rule);
        }
        Ok(builder.build())
    }
}

/// The rules of the flags. A mistake in one is a mistake in the usage.
pub(crate) fn flags(common: &Common) -> anyhow::Result<Vec<Rule>> {
    let lists = [
        ("--allow", Verdict::Allow, &common.allow),
        ("--ask", Verdict::Ask, &common.ask),
        ("--deny", Verdict::Deny, &common.deny),
    ];
    let mut rules = Vec::new();
    for (flag, effect, texts) in lists {
        for text in texts {
            let rule = Rule::parse(text, effect, Source::command_line())
                .map_err(|error| usage(format!("{flag} `{text}`: {}", error.problem)))?;
            rules.push(rule);
        }
    }
    Ok(rules)
}

/// Settings that do not load ask about everything, so nothing can be told from comparing them.
pub(crate) fn loads(policy: &RulePolicy) -> anyhow::Result<()> {
    match policy.load_errors() {
        [] => Ok(()),
        errors => Err(usage(format!(
            "these settings do not load, so nothing can be held to them: {}",
            errors.join("; ")
        ))),
    }
}

/// Says on stderr what is wrong with the settings and what does not count.
pub(crate) fn report(policy: &RulePolicy, common: &Common) {
    for error in policy.load_errors() {
        eprintln!("toolpost: settings: {error}");
    }
    if !policy.load_errors().is_empty() {
        eprintln!("toolpost: nothing is allowed without asking until the settings are mended");
    }
    report_untrusted(policy, common);
}

impl Loaded {
    /// Says on stderr what of the workspace would run a command, and does not.
    pub(crate) fn report_idle(&self, common: &Common) {
        let idle = self
            .files
            .iter()
            .filter(|file| !self.is_trusted && file.layer.is_of_workspace());
        let hooks: usize = idle
            .map(|file| file.hooks.before.len() + file.hooks.after.len())
            .sum();
        if hooks > 0 && !common.quiet {
            eprintln!(
                "toolpost: {hooks} {} of this workspace do not run until `toolpost trust`",
                if hooks == 1 { "hook" } else { "hooks" },
            );
        }
    }
}

/// Says on stderr which rules of the workspace do not count.
pub(crate) fn report_untrusted(policy: &RulePolicy, common: &Common) {
    let untrusted = policy.untrusted().len();
    if untrusted > 0 && !common.quiet {
        eprintln!(
            "toolpost: {untrusted} allow {} of this workspace do not count until `toolpost trust`",
            if untrusted == 1 { "rule" } else { "rules" },
        );
    }
}

/// The workspace's own files, named from its root.
pub(crate) fn of_workspace(root: &Path) -> Vec<Settings> {
    let files = [
        ("toolpost.toml", Layer::Project),
        (".toolpost/local.toml", Layer::Local),
    ];
    files
        .into_iter()
        .filter_map(|(name, layer)| read_as(name, &root.join(name), layer))
        .collect()
}

/// Reads one file; nothing if it is not there.
pub(crate) fn read(path: &Path, layer: Layer) -> Option<Settings> {
    read_as(&path.display().to_string(), path, layer)
}

fn read_as(name: &str, path: &Path, layer: Layer) -> Option<Settings> {
    match std::fs::read(path) {
        Ok(bytes) => Some(match String::from_utf8(bytes) {
            Ok(text) => Settings::parse(&text, name, layer),
            Err(_) => Settings::unreadable(layer, name, "the file is not UTF-8"),
        }),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            None
        }
        Err(error) => Some(Settings::unreadable(
            layer,
            name,
            format!("cannot be read: {error}"),
        )),
    }
}

pub(crate) fn user_file() -> Option<PathBuf> {
    let home = || setup::folder_of("HOME").map(|home| home.join(".config"));
    let folder = setup::folder_of("XDG_CONFIG_HOME").or_else(home)?;
    Some(folder.join("toolpost/settings.toml"))
}
