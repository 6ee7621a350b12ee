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
    let known: Vec<String> = toolbox
        .names()
        .chain(NAMES_TO_COME)
        .map(str::to_owned)
        .collect();
    for file in loaded.trusted_files() {
        let moments = [
            (Moment::Before, &file.hooks.before),
            (Moment::After, &file.hooks.after),
        ];
        for (moment, hooks) in moments {
            for hook in hooks {
                check_names(hook, &known)?;
                let mut command =
                    CommandHook::new(moment, hook.command.clone(), hook.source.to_string())
                        .tools(hook.tools.clone())
                        .folder(folder(file, root))
                        .report(say(progress));
                if let Some(text) = &hook.timeout {
                    let limit = args::duration(text)
                        .map_err(|error| usage(format!("{}: timeout: {error}", hook.source)))?;
                    command = command.limit(limit);
                }
                builder = builder.hook(command);
            }
        }
    }
    Ok(builder)
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
fn folder(file: &Settings, root: &Path) -> PathBuf {
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
