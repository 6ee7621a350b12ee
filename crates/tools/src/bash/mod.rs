//! `Bash`: runs a command line in bash, and waits for it.
//!
//! The line is read before it runs: what it is made of decides whether it only looks, which rules
//! are about it and what it may run beside. It runs without start-up files, with stdin closed, in
//! a process group of its own that is killed when the time limit is met or the call is told to
//! stop. It is given the host's environment without secrets and without what would change how the
//! line is read. A line that ends with another code than 0 has still been run: the code is a part
//! of the answer, not a failure of the tool. Over 30,000 characters, the answer has head and tail,
//! and names the file with all of it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::sleep;
use toolpost_core::{
    Content, Context, Effects, Facts, Footprint, Scope, Subject, Tool, ToolError, ToolLimits,
};
use toolpost_policy::shell::{self, Analysis, NoShellFacts, PathUse, ShellFacts};

use crate::command::Environment;
use crate::command::process::{self, Ended};
use crate::place::{Home, escaped};

#[cfg(test)]
mod tests;

/// Milliseconds that a line may take where it does not say so.
const USUAL_TIMEOUT: u64 = 120_000;
/// Characters of the answer.
const MOST_CHARS: usize = 30_000;

/// Variables that would change how bash reads the line, or run something beside it.
const CLEARED: [&str; 7] = [
    "BASHOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "IFS",
    "PROMPT_COMMAND",
    "PS4",
    "SHELLOPTS",
];

/// The tool `Bash`.
#[derive(Debug, Clone)]
pub struct Bash {
    /// For sessions without an [`Environment`].
    of_host: Arc<Environment>,
}

impl Bash {
    /// The tool, which gives commands the host's environment as it is now.
    pub fn new() -> Self {
        Self {
            of_host: Arc::new(Environment::of_host()),
        }
    }
}

impl Default for Bash {
    fn default() -> Self {
        Self::new()
    }
}

/// The input of [`Bash`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct BashInput {
    /// The command line.
    pub command: String,
    /// Milliseconds that it may take; 120000 when left out.
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout: Option<u64>,
    /// What it does, in a few words, for the person who is asked about it.
    pub description: Option<String>,
}

/// What came of a command line.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BashResult {
    /// The code that it ended with; nothing when a signal ended it.
    pub exit_code: Option<i32>,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

impl Tool for Bash {
    type Input = BashInput;
    type Output = BashResult;

    fn name(&self) -> &str {
        "Bash"
    }

    fn description(&self) -> &str {
        "Run a command line in bash and wait for it. Each call starts in the root. For reading, \
         searching and changing files, use Read, Grep, Glob and Edit."
    }

    fn describe(&self, input: &BashInput) -> String {
        match &input.description {
            Some(description) => format!("{}: {}", escaped(description), escaped(&input.command)),
            None => escaped(&input.command),
        }
    }

    fn search_hint(&self) -> Option<&str> {
        Some("shell, terminal, run a program, command line")
    }

    fn effects(&self, input: &BashInput) -> Effects {
        // Without facts, what depends on the disk is not decided, so it counts as writing.
        let analysis = shell::analyse(&input.command, Path::new("/"), &NoShellFacts);
        if analysis.is_read_only() {
            Effects::READ_ONLY
        } else {
            Effects::UNKNOWN.and_destroys()
        }
    }

    fn footprint(&self, input: &BashInput, facts: &Facts) -> Footprint {
        let analysis = analysis(input, facts);
        if !analysis.is_fully_known() {
            return Footprint::Everything;
        }
        let mut footprint = Footprint::nothing().reading(Scope::node("shell/cwd"));
        if analysis.changes_folder {
            footprint = footprint.writing(Scope::node("shell/cwd"));
        }
        for used in analysis.reads() {
            footprint = match &used.path {
                Some(path) => footprint.reading(scope(&facts.resolve(path), used)),
                None => return Footprint::Everything,
            };
        }
        footprint
    }

    fn subjects(&self, input: &BashInput, facts: &Facts) -> Vec<Subject> {
        let analysis = analysis(input, facts);
        let reads = analysis.reads().filter_map(|used| used.path.as_ref());
        let writes = analysis.writes().filter_map(|used| used.path.as_ref());
        std::iter::once(Subject::Command(input.command.clone()))
            .chain(reads.map(Subject::reads))
            .chain(writes.map(Subject::writes))
            .collect()
    }

    fn limits(&self) -> ToolLimits {
        ToolLimits {
            result_chars: Some(MOST_CHARS),
            ..ToolLimits::default()
        }
    }

    async fn call(&self, input: BashInput, cx: &Context) -> Result<BashResult, ToolError> {
        let environment = cx.state().unwrap_or(&*self.of_host);
        let limit = Duration::from_millis(input.timeout.unwrap_or(USUAL_TIMEOUT));
        let command = command(&input.command, cx.facts().working_folder(), environment);
        // Its own token, so that the time limit stops this command and no other call.
        let stop = cx.cancel().child_token();
        let mut run = std::pin::pin!(process::run(command, b"", &stop));
        let ended = tokio::select! {
            ended = &mut run => ended,
            () = sleep(limit) => {
                stop.cancel();
                run.await
            }
        };
        match ended {
            Ok(Ended::Exited {
                status,
                out,
                is_out_cut,
                err,
                ..
            }) => {
                let mut stdout = text(&out);
                if is_out_cut {
                    stdout.push_str("\n(more was written than is kept)");
                }
                Ok(BashResult {
                    exit_code: status.code(),
                    stdout,
                    stderr: text(&err),
                })
            }
            Ok(Ended::Cancelled) if cx.cancel().is_cancelled() => Err(ToolError::new(
                "cancelled",
                "it was told to stop, and all that it had started was ended; part of it may be done",
            )),
            Ok(Ended::Cancelled) => Err(ToolError::new(
                "timed_out",
                format!(
                    "it took longer than {} ms, and all that it had started was ended; part of it \
                     may be done; give a longer `timeout` (up to 600000) or less work",
                    limit.as_millis()
                ),
            )),
            Err(error) => Err(ToolError::new("no_shell", "bash cannot be started here")
                .with_operator_text(error.to_string())),
        }
    }

    fn render(&self, output: &BashResult) -> Option<Vec<Content>> {
        let mut parts: Vec<String> = [&output.stdout, &output.stderr]
            .into_iter()
            .map(|text| text.trim_end_matches('\n').to_owned())
            .filter(|text| !text.is_empty())
            .collect();
        match output.exit_code {
            Some(0) if parts.is_empty() => parts.push("(no output)".to_owned()),
            Some(0) => {}
            Some(code) => parts.push(format!("(exit code {code})")),
            None => parts.push("(ended by a signal)".to_owned()),
        }
        Some(vec![Content::text(parts.join("\n"))])
    }
}

/// The home folder is all that the analysis is told of the machine here: what matches a pattern
/// may be another thing by the time the line runs.
struct KnownHome<'f>(Option<&'f Home>);

impl ShellFacts for KnownHome<'_> {
    fn home(&self) -> Option<&Path> {
        self.0.map(|home| home.0.as_path())
    }
}

fn analysis(input: &BashInput, facts: &Facts) -> Analysis {
    let home = KnownHome(facts.state().get::<Home>());
    shell::analyse(&input.command, facts.working_folder(), &home)
}

fn scope(path: &Path, used: &PathUse) -> Scope {
    if used.deep {
        Scope::tree(path)
    } else {
        Scope::file(path)
    }
}

fn command(line: &str, folder: &Path, environment: &Environment) -> Command {
    let mut command = Command::new("bash");
    let given = environment.variables().iter().filter(|(name, _)| {
        let name = name.to_string_lossy();
        !CLEARED.contains(&&*name) && !name.starts_with("GIT_")
    });
    command
        .args(["--norc", "--noprofile", "-c", line])
        .current_dir(folder)
        .env_clear()
        .envs(given.map(|(name, value)| (name, value)))
        .envs([
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_PAGER", "cat"),
            ("PAGER", "cat"),
            ("GIT_SEQUENCE_EDITOR", "false"),
            ("DEBIAN_FRONTEND", "noninteractive"),
        ]);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
