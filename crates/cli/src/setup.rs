//! From flags to a toolbox and a session.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use toolpost_core::{Facts, ReadOptions, State, Toolbox};
use toolpost_policy::RulePolicy;
use toolpost_run::{Budget, Deadlines, Session};
use toolpost_tools::{
    DiskLinks, Environment, FileState, Home, ReadGuard, ToolFileEntry, UserIgnores,
};

use crate::args::{self, Common, OnAsk};
use crate::exit::{unknown, usage};
use crate::hooks;
use crate::keeping::{Keeping, Purpose};
use crate::live::LivePolicy;
use crate::progress::{Progress, Sink};
use crate::prompt::{self, Allowed, Prompt, RuleFile};
use crate::settings::{self, Loaded};

/// The folder that the calls are about.
pub(crate) fn root(common: &Common) -> anyhow::Result<PathBuf> {
    let given = common.root.as_deref().unwrap_or(Path::new("."));
    let root = given.canonicalize().map_err(|error| {
        usage(format!(
            "cannot use `{}` as the root: {error}",
            given.display()
        ))
    })?;
    if root.is_dir() {
        Ok(root)
    } else {
        Err(usage(format!(
            "the root `{}` is not a folder",
            given.display()
        )))
    }
}

/// The built-in tools that were asked for.
pub(crate) fn builtins(common: &Common) -> anyhow::Result<Toolbox> {
    let mut toolbox = Toolbox::new();
    toolpost_tools::add_builtins(&mut toolbox)?;
    if let Some(names) = &common.tools {
        choose(&mut toolbox, names)?;
    }
    Ok(toolbox)
}

/// Names of built-in tools that are not there yet, but that rules may be about.
pub(crate) const NAMES_TO_COME: [&str; 6] = [
    "BashOutput",
    "KillShell",
    "WebFetch",
    "TodoWrite",
    "ToolSearch",
    "Agent",
];

/// The tools of the settings that are trusted, each with its place.
fn settings_entries(loaded: &Loaded) -> anyhow::Result<Vec<(String, ToolFileEntry)>> {
    let mut entries = Vec::new();
    for file in loaded.trusted_files() {
        for (value, source) in &file.tools {
            let path = Path::new(&*file.file);
            let entry = ToolFileEntry::from_value(value.clone(), path)
                .map_err(|(_, problem)| usage(format!("{source}: {problem}")))?;
            entries.push((source.to_string(), entry));
        }
    }
    Ok(entries)
}

/// The tools of the tool files, each with the file that it is from.
pub(crate) fn entries(common: &Common) -> anyhow::Result<Vec<(&Path, ToolFileEntry)>> {
    let mut entries = Vec::new();
    for path in &common.tool_file {
        let file =
            toolpost_tools::tool_file::load(path).map_err(|error| usage(error.to_string()))?;
        entries.extend(file.into_iter().map(|entry| (path.as_path(), entry)));
    }
    Ok(entries)
}

/// The built-in tools that were asked for and those of the tool files.
pub(crate) fn tools(common: &Common, loaded: &Loaded) -> anyhow::Result<Toolbox> {
    let mut toolbox = builtins(common)?;
    let files = entries(common)?.into_iter();
    let files = files.map(|(path, entry)| (path.display().to_string(), entry));
    for (place, entry) in settings_entries(loaded)?.into_iter().chain(files) {
        toolbox
            .add_checked(toolpost_tools::command_tool(entry))
            .map_err(|error| usage(format!("{place}: {error}")))?;
    }
    Ok(toolbox)
}

fn choose(toolbox: &mut Toolbox, names: &str) -> anyhow::Result<()> {
    let wanted: HashSet<&str> = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .collect();
    for name in &wanted {
        if !toolbox.has(name) {
            let message = format!("--tools: there is no built-in tool `{name}`");
            return Err(unknown(message, name, toolbox.names()));
        }
    }
    toolbox.retain(|name| wanted.contains(name));
    Ok(())
}

/// The policy of the settings and the flags, with what is wrong said on stderr.
pub(crate) fn policy(
    common: &Common,
    loaded: &Loaded,
    toolbox: &Toolbox,
) -> anyhow::Result<RulePolicy> {
    check_flags(common, toolbox)?;
    let policy = loaded.policy(common)?;
    settings::report(&policy, common);
    // A rule that is about nothing, such as one with a slip in its name, guards nothing.
    let known: Vec<&str> = toolbox.names().chain(NAMES_TO_COME).collect();
    let servers = loaded.files.iter().flat_map(|file| &file.servers);
    let servers: Vec<&str> = servers.map(|server| server.name.as_str()).collect();
    let warnings = toolpost_policy::check(policy.rules(), &known, &servers);
    if let (Some(first), false) = (warnings.first(), common.quiet) {
        let more = match warnings.len() - 1 {
            0 => String::new(),
            more => format!(" ({more} more)"),
        };
        eprintln!("toolpost: settings: {first}{more}; see `toolpost policy check`");
    }
    Ok(policy)
}

/// A rule of a flag that is about no tool is a mistake in the usage.
pub(crate) fn check_flags(common: &Common, toolbox: &Toolbox) -> anyhow::Result<()> {
    let known: Vec<&str> = toolbox.names().chain(NAMES_TO_COME).collect();
    for rule in settings::flags(common)? {
        if let Some(name) = rule.tool().filter(|name| !known.contains(name)) {
            let message = format!("rule `{rule}`: there is no tool `{name}`");
            return Err(unknown(message, name, known.iter().copied()));
        }
    }
    Ok(())
}

/// Limits of the flags, and of the settings where no flag says so.
pub(crate) struct Limits {
    timeout: Option<Duration>,
    idle_timeout: Option<Duration>,
    max_parallel: usize,
}

impl Limits {
    pub(crate) fn of(common: &Common, loaded: &Loaded) -> anyhow::Result<Self> {
        let mut files: Vec<_> = loaded.trusted_files().collect();
        files.sort_by_key(|file| file.layer);
        let duration = |key: &str, of: fn(&toolpost_policy::Limits) -> Option<&String>| {
            let found = files
                .iter()
                .find_map(|file| Some((file, of(&file.limits)?)));
            found
                .map(|(file, text)| {
                    let wrong = |error| usage(format!("{}: limits.{key}: {error}", file.file));
                    args::duration(text).map_err(wrong)
                })
                .transpose()
        };
        let timeout = duration("timeout", |limits| limits.timeout.as_ref())?;
        let idle_timeout = duration("idle_timeout", |limits| limits.idle_timeout.as_ref())?;
        let max_parallel = files.iter().find_map(|file| file.limits.max_parallel);
        Ok(Self {
            timeout: common.timeout.or(timeout),
            idle_timeout: common.idle_timeout.or(idle_timeout),
            max_parallel: common
                .max_parallel
                .map_or(max_parallel.unwrap_or(10), std::num::NonZeroUsize::get),
        })
    }
}

/// The facts that checks look at, for commands that run nothing.
pub(crate) fn facts(common: &Common, roots: &[PathBuf]) -> anyhow::Result<Facts> {
    let mut state = State::new();
    state.insert(FileState::default());
    if let Some(home) = folder_of("HOME") {
        state.insert(Home(home));
    }
    Ok(Facts::new(root(common)?)
        .with_roots(roots.to_vec())
        .with_links(Arc::new(DiskLinks))
        .with_state(state))
}

pub(crate) fn read_options(common: &Common) -> ReadOptions {
    ReadOptions {
        repair: !common.no_repair,
        ..ReadOptions::default()
    }
}

/// A session of all that, and what is kept of it.
pub(crate) fn session(
    common: &Common,
    progress: &Arc<Progress>,
    (purpose, on_ask): (Purpose, OnAsk),
) -> anyhow::Result<(Session, Keeping)> {
    let loaded = Loaded::of(common)?;
    let toolbox = Arc::new(tools(common, &loaded)?);
    let policy = policy(common, &loaded, &toolbox)?;
    loaded.report_idle(common);
    let limits = Limits::of(common, &loaded)?;
    let deadlines = Deadlines {
        absolute: limits.timeout,
        idle: limits.idle_timeout,
        ..Deadlines::default()
    };
    let root = root(common)?;
    let mut keeping = Keeping::begin(common, &loaded, &toolbox, purpose)?;
    let seen = FileState::default();
    let builder = Session::builder(Arc::clone(&toolbox), &root);
    let mut builder = hooks::add(builder, &loaded, &root, &toolbox, progress)?
        .links(DiskLinks)
        .state(seen.clone())
        .state(Environment::of_host());
    if let Some(home) = folder_of("HOME") {
        builder = builder.state(Home(home));
    }
    if let Some(ignores) = UserIgnores::of_host() {
        builder = builder.state(ignores);
    }
    let policy = Arc::new(policy);
    let facts = facts(common, policy.roots())?;
    if let Some(hides) = policy.left_out_of_searches(&facts) {
        builder = builder.state(ReadGuard::new(hides));
    }
    let roots = policy.roots().to_vec();
    let policy = LivePolicy::new(policy);
    let mut builder = keeping.attach(builder, on_ask);
    let allowed = Allowed::new(Arc::clone(&toolbox));
    let prompt = (purpose == Purpose::Run && on_ask == OnAsk::Prompt).then(|| {
        // A rule for always is put where it counts, or nowhere.
        let rules = loaded.is_trusted.then(|| RuleFile::of(&root));
        Arc::new(Prompt::new(
            prompt::terminal(progress),
            policy.clone(),
            rules,
            allowed.clone(),
        ))
    });
    if let Some(prompt) = &prompt {
        builder = builder.approver(Arc::clone(prompt));
    }
    let session = builder
        .roots(roots)
        .policy(policy)
        .read_options(read_options(common))
        .deadlines(deadlines)
        .budget(Budget::new(spill_folder()))
        .max_parallel(limits.max_parallel)
        .events(Sink(Arc::clone(progress)))
        .build()
        .context("cannot open a session")?;
    if let Some(prompt) = &prompt {
        prompt.begin(session.facts().clone());
    }
    keeping.go_on(&session, &seen, prompt.map(|_| allowed))?;
    Ok((session, keeping))
}

/// Results that are too long go to the state folder, never into the user's tree.
fn spill_folder() -> Option<PathBuf> {
    Some(state_folder()?.join("spill"))
}

/// Where toolpost keeps what it must remember.
pub(crate) fn state_folder() -> Option<PathBuf> {
    let home = || folder_of("HOME").map(|home| home.join(".local/state"));
    let state = folder_of("XDG_STATE_HOME").or_else(home)?;
    Some(state.join("toolpost"))
}

/// A folder that the environment names; relative ones do not count.
pub(crate) fn folder_of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
