//! The hooks of the settings that count, as commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolpost_core::Toolbox;
use toolpost_policy::{Hook, Settings};
use toolpost_run::SessionBuilder;
use toolpost_tools::CommandHook;
use toolpost_tools::hook::Moment;

use crate::args;
use crate::exit::{unknown, usage};
use crate::progress::Progress;
use crate::settings::Loaded;
use crate::setup::NAMES_TO_COME;

/// Adds the hooks of the files that are trusted, in the order of the files.
pub(crate) fn add(
    mut builder: SessionBuilder,
    loaded: &Loaded,
    root: &Path,
    toolbox: &Toolbox,
    progress: &Arc<Progress>,
) -> anyhow::Result<SessionBuilder> {
    for command in commands(loaded, root, toolbox) {
        builder = builder.hook(command?.report(say(progress)));
    }
    Ok(builder)
}

/// What is wrong with the hooks of the files that are trusted.
pub(crate) fn mistakes(loaded: &Loaded, root: &Path, toolbox: &Toolbox) -> Vec<String> {
    let mistakes = commands(loaded, root, toolbox).filter_map(Result::err);
    mistakes.map(|error| error.to_string()).collect()
}

fn commands<'l>(
    loaded: &'l Loaded,
    root: &'l Path,
    toolbox: &Toolbox,
) -> impl Iterator<Item = anyhow::Result<CommandHook>> + 'l {
    let known: Vec<String> = toolbox
        .names()
        .chain(NAMES_TO_COME)
        .map(str::to_owned)
        .collect();
    let hooks = loaded.trusted_files().flat_map(|file| {
        let before = file.hooks.before.iter().map(|hook| (Moment::Before, hook));
        let after = file.hooks.after.iter().map(|hook| (Moment::After, hook));
        before.chain(after).map(move |hook| (file, hook))
    });
    hooks.map(move |(file, (moment, hook))| {
        check_names(hook, &known)?;
        let command = CommandHook::new(moment, hook.command.clone(), hook.source.to_string())
            .tools(hook.tools.clone())
            .folder(folder(file, root));
        let Some(text) = &hook.timeout else {
            return Ok(command);
        };
        let limit = args::duration(text)
            .map_err(|error| usage(format!("{}: timeout: {error}", hook.source)))?;
        Ok(command.limit(limit))
    })
}

/// A hook for a tool that nobody knows would never run, and its author would never hear of it.
fn check_names(hook: &Hook, known: &[String]) -> anyhow::Result<()> {
    let is_known =
        |tool: &&String| tool.ends_with('*') || tool.starts_with("mcp__") || known.contains(tool);
    match hook.tools.iter().find(|tool| !is_known(tool)) {
        None => Ok(()),
        Some(tool) => {
            let message = format!("{}: there is no tool `{tool}`", hook.source);
            Err(unknown(message, tool, known.iter().map(String::as_str)))
        }
    }
}

/// Programs that are named by `./` lie in the workspace, or beside a file of the person's.
pub(crate) fn folder(file: &Settings, root: &Path) -> PathBuf {
    let beside = || Path::new(&*file.file).parent().map(Path::to_path_buf);
    if file.layer.is_of_workspace() {
        root.to_path_buf()
    } else {
        beside().unwrap_or_else(|| root.to_path_buf())
    }
}

fn say(progress: &Arc<Progress>) -> impl Fn(&str) + Send + Sync + 'static {
    let progress = Arc::clone(progress);
    move |problem| progress.aside(|| eprintln!("toolpost: {problem}"))
}
