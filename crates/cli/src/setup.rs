//! From flags to a toolbox and a session.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use toolpost_core::{EventSink, Facts, Policy, ReadOptions, SimplePolicy, State, Toolbox};
use toolpost_run::{Budget, Deadlines, Session};
use toolpost_tools::{DiskLinks, Environment, FileState, Home, ToolFileEntry, UserIgnores};

use crate::args::{Common, Mode};
use crate::exit::usage;

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
pub(crate) fn tools(common: &Common) -> anyhow::Result<Toolbox> {
    let mut toolbox = builtins(common)?;
    for (path, entry) in entries(common)? {
        toolbox
            .add_checked(toolpost_tools::command_tool(entry))
            .map_err(|error| usage(format!("{}: {error}", path.display())))?;
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
            let near = toolpost_core::contract::nearest(name, toolbox.names());
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(usage(format!(
                "--tools: there is no built-in tool `{name}`{hint}"
            )));
        }
    }
    toolbox.retain(|name| wanted.contains(name));
    Ok(())
}

/// The policy of the flags.
pub(crate) fn policy(common: &Common) -> impl Policy + 'static {
    let policy = common
        .allow
        .iter()
        .fold(SimplePolicy::new(), |policy, name| policy.allow(name));
    match common.mode {
        Mode::Default => policy,
        Mode::Bypass => policy.bypass(),
    }
}

/// The facts that checks look at, for commands that run nothing.
pub(crate) fn facts(common: &Common) -> anyhow::Result<Facts> {
    let mut state = State::new();
    state.insert(FileState::default());
    if let Some(home) = folder_of("HOME") {
        state.insert(Home(home));
    }
    Ok(Facts::new(root(common)?)
        .with_links(Arc::new(DiskLinks))
        .with_state(state))
}

pub(crate) fn read_options(common: &Common) -> ReadOptions {
    ReadOptions {
        repair: !common.no_repair,
        ..ReadOptions::default()
    }
}

/// A session of all that.
pub(crate) fn session(
    common: &Common,
    events: impl EventSink + 'static,
) -> anyhow::Result<Session> {
    let toolbox = tools(common)?;
    let known: HashSet<&str> = toolbox.names().collect();
    for name in &common.allow {
        if !known.contains(name.as_str()) {
            let near = toolpost_core::contract::nearest(name, known.iter().copied());
            let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            return Err(usage(format!("--allow: there is no tool `{name}`{hint}")));
        }
    }
    let deadlines = Deadlines {
        absolute: common.timeout,
        idle: common.idle_timeout,
        ..Deadlines::default()
    };
    let mut builder = Session::builder(toolbox, root(common)?)
        .links(DiskLinks)
        .state(FileState::default())
        .state(Environment::of_host());
    if let Some(home) = folder_of("HOME") {
        builder = builder.state(Home(home));
    }
    if let Some(ignores) = UserIgnores::of_host() {
        builder = builder.state(ignores);
    }
    builder
        .policy(policy(common))
        .read_options(read_options(common))
        .deadlines(deadlines)
        .budget(Budget::new(spill_folder()))
        .max_parallel(common.max_parallel.get())
        .events(events)
        .build()
        .context("cannot open a session")
}

/// Results that are too long go to the state folder, never into the user's tree.
fn spill_folder() -> Option<PathBuf> {
    let home = || folder_of("HOME").map(|home| home.join(".local/state"));
    let state = folder_of("XDG_STATE_HOME").or_else(home)?;
    Some(state.join("toolpost").join("spill"))
}

/// A folder that the environment names; relative ones do not count.
fn folder_of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable)
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
}
