//! The command line: flags and their meaning. Names are a contract.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{Parser, Subcommand, ValueEnum};
use toolpost_wire::{Dialect, Format};

/// Tools for LLM agents: every call is validated, permitted, run and answered.
#[derive(Debug, Parser)]
#[command(
    name = "toolpost",
    version,
    disable_help_subcommand = true,
    infer_long_args = false
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What every command takes.
#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// Folder that the calls are about; the working folder when left out.
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// How permission is given where no rule matches.
    #[arg(long, global = true, value_name = "MODE", default_value = "default")]
    pub(crate) mode: Mode,
    /// Allow all calls of this tool (repeatable).
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) allow: Vec<String>,
    /// Use only these built-in tools, separated by commas; an empty list for none.
    #[arg(long, global = true, value_name = "NAMES")]
    pub(crate) tools: Option<String>,
    /// Bring in the tools of this file (repeatable).
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) tool_file: Vec<PathBuf>,
    /// How many calls may run at a time.
    #[arg(long, global = true, value_name = "N", default_value = "10")]
    pub(crate) max_parallel: std::num::NonZeroUsize,
    /// The longest that a call may run, such as `30s`.
    #[arg(long, global = true, value_name = "DUR", value_parser = duration)]
    pub(crate) timeout: Option<Duration>,
    /// The longest that a call may run without a report of progress.
    #[arg(long, global = true, value_name = "DUR", value_parser = duration)]
    pub(crate) idle_timeout: Option<Duration>,
    /// Take arguments as they are; mend nothing.
    #[arg(long, global = true)]
    pub(crate) no_repair: bool,
    /// Print JSON, a line each.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say nothing on stderr but errors.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Say more on stderr: what only the operator may read.
    #[arg(long, short, global = true)]
    pub(crate) verbose: bool,
}

/// How permission is given where no rule matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// Reading inside the root is allowed; all else is asked.
    Default,
    /// Everything is allowed.
    Bypass,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tool calls: JSON lines in, outcomes out, in order.
    ///
    /// Exit codes: 0 all done, 2 usage, 10 some call failed, 11 some call denied, 13 some call
    /// invalid, 130 interrupted; with several, the first of 11, 13 and 10.
    Run(Run),
    /// Tell what would be decided about one call, and why. Nothing runs.
    Explain(Explain),
    /// List, show or check the tools.
    Tools(Tools),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// File of calls, a JSON message a line; `-` or nothing for stdin.
    pub(crate) file: Option<PathBuf>,
    /// Form of the messages: auto, native, anthropic, openai, openai-responses, gemini or mcp.
    #[arg(long, value_name = "FORM", default_value = "auto")]
    pub(crate) format: Form,
    /// Answer in the form that a message came in.
    #[arg(long)]
    pub(crate) reply: bool,
    /// Validate, decide and plan; run nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Explain {
    /// The tool's name; `-` reads native calls from stdin, one a line.
    pub(crate) name: String,
    /// The arguments as JSON.
    pub(crate) input: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Tools {
    #[command(subcommand)]
    pub(crate) action: Option<ToolsAction>,
    /// Form of the definitions: native, anthropic, openai, openai-strict, gemini or mcp.
    #[arg(long, global = true, value_name = "DIALECT", default_value = "native")]
    pub(crate) dialect: DialectName,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsAction {
    /// List the tools.
    List,
    /// Show one tool: its page and its schema.
    Show {
        /// The tool's name.
        name: String,
    },
    /// Check the definitions.
    Lint,
}

/// A wire form, or whichever the message's shape tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form(pub(crate) Option<Format>);

impl FromStr for Form {
    type Err = toolpost_wire::UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name == "auto" {
            Ok(Self(None))
        } else {
            name.parse().map(|format| Self(Some(format)))
        }
    }
}

/// The form of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DialectName(pub(crate) Dialect);

impl FromStr for DialectName {
    type Err = toolpost_wire::UnknownDialect;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        name.parse().map(Self)
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write it as `30s`, `500ms` or `2m`"))?;
    if duration.is_zero() {
        Err("a limit of nothing lets nothing run".to_owned())
    } else {
        Ok(duration)
    }
}
