//! Command tools: an entry of a tool file as a tool.
//!
//! The command gets the input as JSON on its stdin. What it writes to stdout is the result: JSON
//! where the entry has an output schema, text otherwise. An exit code that is not 0 is a failure,
//! and stderr says why. It runs in the session's root, without a shell. A program that begins with
//! `./` or `../` is taken from the folder of the tool file, one without a slash is looked for in
//! `PATH`; arguments are handed on as they are. It is given the host's [`Environment`] without
//! secrets. When it ends, or is stopped, all of its process group is ended with it.

mod environment;
mod family;
pub(crate) mod process;
mod runs;

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;

use serde_json::Value;
use tokio::process::Command;
use toolpost_core::{
    Content, Context, DynamicTool, NO_COMMAND, Tool, ToolError, Toolbox, ToolboxError,
};

pub use environment::Environment;
pub use family::{CALL_MARK, Orphans};
pub use process::Printed;
use process::{Ended, Streams};

use crate::failure;
use crate::tool_file::ToolFileEntry;

/// Makes a tool of an entry. Where the state has no [`Environment`], its command is given the
/// host's as it is now.
pub fn command_tool(entry: ToolFileEntry) -> impl Tool<Printed, Input = Value, Output = Value> {
    command_tool_in(entry, Arc::new(Environment::of_host()))
}

fn command_tool_in(
    entry: ToolFileEntry,
    of_host: Arc<Environment>,
) -> impl Tool<Printed, Input = Value, Output = Value> {
    let entry = Arc::new(entry);
    let (claims, same) = (Arc::clone(&entry), Arc::clone(&entry));
    let effects = entry.effects;
    let described = entry.name.clone();
    let mut builder = DynamicTool::define(
        entry.name.clone(),
        entry.description.clone(),
        entry.input_schema.clone(),
    )
    .describe(move |_| format!("Run {described}"))
    .origin(origin(&entry))
    .exposure(entry.exposure)
    .effects(move |_| effects)
    .footprint(move |input, facts| claims.claims.footprint(input, facts))
    .subjects(move |input, _| same.claims.subjects(input));
    if let Some(hint) = &entry.search_hint {
        builder = builder.search_hint(hint.clone());
    }
    if let Some(timeout) = entry.timeout {
        builder = builder.timeout(timeout);
    }
    if let Some(schema) = &entry.output_schema {
        builder = builder.output_schema(schema.clone());
    }
    builder
        .call(move |input: Value, cx: Context<Printed>| {
            let (entry, of_host) = (Arc::clone(&entry), Arc::clone(&of_host));
            async move {
                let environment = cx.state().unwrap_or(&*of_host);
                run(&entry, &input, environment, &cx).await
            }
        })
        .render(|output| match output {
            Value::String(text) if text.is_empty() => vec![Content::text("(no output)")],
            Value::String(text) => vec![Content::text(text)],
            other => vec![Content::text(other.to_string())],
        })
}

/// What an approval of this tool is bound to besides its definition.
fn origin(entry: &ToolFileEntry) -> String {
    let words = entry.command.as_deref().and_then(<[String]>::split_first);
    let program = words.map(|(program, _)| located(program, entry.folder.as_deref()));
    format!("command {program:?} {:?}", words.map(|(_, rest)| rest))
}

/// Adds the tools of a tool file to a toolbox.
///
/// # Errors
///
/// When a name is taken or cannot be one, or a schema does not compile.
pub fn add_commands(
    toolbox: &mut Toolbox,
    entries: impl IntoIterator<Item = ToolFileEntry>,
) -> Result<(), ToolboxError> {
    let of_host = Arc::new(Environment::of_host());
    for entry in entries {
        toolbox.add_checked(command_tool_in(entry, Arc::clone(&of_host)))?;
    }
    Ok(())
}

async fn run(
    entry: &ToolFileEntry,
    input: &Value,
    environment: &Environment,
    cx: &Context<Printed>,
) -> Result<Value, ToolError> {
    let Some((program, arguments)) = entry.command.as_ref().and_then(|words| words.split_first())
    else {
        let message = format!(
            "`{}` is a definition without a command, so it cannot run here",
            entry.name
        );
        return Err(ToolError::new(NO_COMMAND, message));
    };
    let mut command = Command::new(located(program, entry.folder.as_deref()));
    command
        .args(arguments)
        .current_dir(cx.root())
        .env_clear()
        .envs(
            environment
                .variables()
                .iter()
                .map(|(name, value)| (name, value)),
        );
    let ended = {
        let input = input.to_string();
        let streams = Streams::Apart(input.as_bytes());
        process::run(command, streams, None, cx.cancel(), |printed| {
            cx.report(printed)
        })
        .await
    };
    match ended {
        // There is no deadline here: the driver has it.
        Ok(Ended::Cancelled | Ended::TimedOut { .. }) => Err(failure::cancelled()),
        Ok(Ended::Exited {
            status,
            out,
            out_left_out,
            err,
            err_left_out,
        }) => {
            if !status.success() {
                return Err(failed(status, &err, err_left_out, &out));
            }
            result(entry, out, out_left_out > 0)
        }
        Err(error) => {
            let message = format!("cannot start `{program}`, the program of `{}`", entry.name);
            Err(ToolError::new("cannot_start", message).with_operator_text(error.to_string()))
        }
    }
}

pub(crate) fn located(program: &str, folder: Option<&Path>) -> PathBuf {
    let is_beside = program.starts_with("./") || program.starts_with("../");
    match folder {
        Some(folder) if is_beside => folder.join(program),
        _ => PathBuf::from(program),
    }
}

fn result(entry: &ToolFileEntry, out: Vec<u8>, is_cut: bool) -> Result<Value, ToolError> {
    let mut text = match String::from_utf8(out) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    };
    if entry.output_schema.is_some() && !is_cut {
        // What is no JSON stays text, which the output schema then refuses.
        return Ok(serde_json::from_str(&text).unwrap_or(Value::String(text)));
    }
    if entry.output_schema.is_some() {
        let message = format!(
            "`{}` wrote more than can be taken as one result; ask it for less",
            entry.name
        );
        return Err(ToolError::new("too_large", message));
    }
    if text.ends_with('\n') {
        text.pop();
    }
    if is_cut {
        text.push_str("\n[the rest of the output was left out]");
    }
    Ok(Value::String(text))
}

/// The failure of a command in its own words, where it has some.
fn failed(status: ExitStatus, err: &[u8], left_out: u64, out: &[u8]) -> ToolError {
    use std::os::unix::process::ExitStatusExt;
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "failed".to_owned(),
    };
    let words = String::from_utf8_lossy(if err.trim_ascii().is_empty() {
        tail(out)
    } else {
        err
    });
    let words = words.trim();
    let message = match (words.is_empty(), left_out) {
        (true, _) => format!("{how}, without a word of why"),
        (false, 0) => format!("{how}: {words}"),
        (false, count) => format!("{how}: [{count} bytes left out] … {words}"),
    };
    ToolError::new("command_failed", message)
}

fn tail(bytes: &[u8]) -> &[u8] {
    bytes
        .get(bytes.len().saturating_sub(4096)..)
        .unwrap_or(bytes)
}
