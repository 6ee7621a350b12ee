//! The command line: flags and their meaning. Names are a contract.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use clap::{Parser, Subcommand, ValueEnum};
use toolpost_policy::Mode;
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
    /// Read these settings instead of the user's and the workspace's.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
    /// How permission is given where no rule matches: default, accept-edits, plan, dont-ask or
    /// bypass.
    #[arg(long, global = true, value_name = "MODE")]
    pub(crate) mode: Option<Mode>,
    /// Allow what this rule is about, such as `Write` or `Bash(cargo test:*)` (repeatable).
    #[arg(long, global = true, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
    /// Ask about what this rule is about (repeatable).
    #[arg(long, global = true, value_name = "RULE")]
    pub(crate) ask: Vec<String>,
    /// Deny what this rule is about (repeatable).
    #[arg(long, global = true, value_name = "RULE")]
    pub(crate) deny: Vec<String>,
    /// What happens to a call that must be asked about; left out, prompt where stdin is a terminal
    /// and the calls come from a file, and deny elsewhere.
    #[arg(long, global = true, value_name = "HOW")]
    pub(crate) on_ask: Option<OnAsk>,
    /// File that keeps every call and the questions of `--on-ask queue`; `none` for none. In the
    /// state folder when left out.
    #[arg(long, global = true, value_name = "FILE|none")]
    pub(crate) journal: Option<PathBuf>,
    /// Go on with the session of this name: what was read, the shell's folder, its approvals.
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) session: Option<String>,
    /// Trust the workspace's own settings for this run.
    #[arg(long, global = true)]
    pub(crate) trust: bool,
    /// Use only these built-in tools, separated by commas; an empty list for none.
    #[arg(long, global = true, value_name = "NAMES")]
    pub(crate) tools: Option<String>,
    /// Bring in the tools of this file (repeatable).
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) tool_file: Vec<PathBuf>,
    /// How many calls may run at a time; 10 when left out.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) max_parallel: Option<std::num::NonZeroUsize>,
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

/// What happens to a call that must be asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnAsk {
    /// The person at the terminal is asked.
    Prompt,
    /// It is denied, and the denial says that nobody could be asked.
    Deny,
    /// The question is kept in the journal and the call ends pending; `toolpost approvals` answers
    /// it, and the same call picks the answer up.
    Queue,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run tool calls: JSON lines in, outcomes out, in order.
    ///
    /// Exit codes: 0 all done, 2 usage, 10 some call failed, 11 some call denied, 12 some call waits
    /// for an approval, 13 some call invalid, 130 interrupted; with several, the first of 11, 12, 13
    /// and 10.
    Run(Run),
    /// Tell what would be decided about one call, and why. Nothing runs.
    Explain(Explain),
    /// List, show or check the tools.
    Tools(Tools),
    /// Check the settings, test them, compare them.
    Policy(Policy),
    /// Trust a workspace's own allow rules, modes, hooks, tools and servers.
    Trust {
        /// The workspace; the root when left out.
        dir: Option<PathBuf>,
    },
    /// Write settings to begin with, for the project that is found here.
    Init(Init),
    /// Tell what works here and what does not, each with what to do.
    ///
    /// Exit codes: 0 nothing is wrong, 1 something is.
    Doctor,
    /// Answer questions that wait in the journal.
    Approvals(Approvals),
    /// Show the calls that the journal keeps.
    Log(Log),
    /// Tell which calls of the journal would now be decided otherwise, with `--settings FILE` by
    /// those settings.
    Replay(Replay),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Init {
    /// Take the rules from another tool's settings: claude for `.claude/settings.json`.
    #[arg(long, value_name = "TOOL")]
    pub(crate) from: Option<From>,
    /// Print what would be written, and write nothing.
    #[arg(long)]
    pub(crate) print: bool,
}

/// Whose settings are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Claude Code.
    Claude,
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

#[derive(Debug, clap::Args)]
pub(crate) struct Policy {
    #[command(subcommand)]
    pub(crate) action: Option<PolicyAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyAction {
    /// Load the settings, run their tests, and tell what is odd about their rules.
    Check,
    /// Hold the policy to cases, a JSON object a line; the last line counts them.
    Test {
        /// File of cases; `-` for stdin.
        file: PathBuf,
    },
    /// Tell what one file of settings lets through or holds back that another does not.
    Diff {
        /// The old settings.
        old: PathBuf,
        /// The new settings.
        new: PathBuf,
        /// Compare over these native calls, a line each, instead of calls that the rules are about;
        /// `journal` for those that the journal keeps of this root.
        #[arg(long, value_name = "FILE")]
        calls: Option<PathBuf>,
    },
}

#[derive(Debug, clap::Args)]
pub(crate) struct Approvals {
    #[command(subcommand)]
    pub(crate) action: Option<ApprovalsAction>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsAction {
    /// Show the questions that wait, and the answers that no call has taken up yet.
    List,
    /// Let the calls that wait for this answer run, each once.
    Allow {
        /// The question's number.
        id: i64,
    },
    /// Say no, or take back a yes that no call has taken up yet.
    Deny {
        /// The question's number.
        id: i64,
        /// Words for the model.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
}

/// Which calls of the journal are meant.
#[derive(Debug, clap::Args)]
pub(crate) struct Which {
    /// Only of this tool.
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only with this status, such as `done` or `unknown`; `admitted` and `started` are open.
    #[arg(long, value_name = "STATUS")]
    pub(crate) status: Option<String>,
    /// Only from this time on: how long ago (`2h`), or when (`2026-01-31`, `2026-01-31T12:00:00Z`).
    #[arg(long, value_name = "DUR|TIME", value_parser = since)]
    pub(crate) since: Option<SystemTime>,
    /// Only so many, the newest.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Log {
    #[command(flatten)]
    pub(crate) which: Which,
    /// Go on, and show each further call when it has ended.
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    pub(crate) which: Which,
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

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text)
        .map_err(|error| format!("{error}; write it as `30s`, `500ms` or `2m`"))?;
    if duration.is_zero() {
        Err("a limit of nothing lets nothing run".to_owned())
    } else {
        Ok(duration)
    }
}

/// A time, or how long ago it was.
fn since(text: &str) -> Result<SystemTime, String> {
    if let Ok(ago) = humantime::parse_duration(text) {
        return Ok(SystemTime::now()
            .checked_sub(ago)
            .unwrap_or(SystemTime::UNIX_EPOCH));
    }
    let day = format!("{text}T00:00:00Z");
    humantime::parse_rfc3339_weak(text)
        .or_else(|_| humantime::parse_rfc3339_weak(&day))
        .map_err(|_| {
            "neither how long ago nor a time; write it as `2h`, `2026-01-31` or \
             `2026-01-31T12:00:00Z`"
                .to_owned()
        })
}
