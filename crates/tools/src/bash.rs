//! `Bash`: runs a command line in a shell, and answers with what it printed.
//!
//! The shell is `bash` without start-up files, in the root, with nothing on stdin and a clean
//! environment: no secrets, nothing that makes a program run another first, no pagers and no
//! prompts. Standard output and standard error come back as one text in the order in which they
//! were written, with the exit code where it is not 0: that is an answer, not an error.
//!
//! Each call has a shell of its own, so a variable does not outlive it, but the next call begins in
//! the folder in which this one ended. A `cd` that leads out of the root is not kept, and the
//! answer says so. Where the folder is gone, the nearest one above it that is there is used, which
//! the answer says too.
//!
//! `timeout` is in milliseconds, 120,000 when left out and 600,000 at most. A command that takes
//! longer is ended with all that it started, also what left its process group. The call ends when
//! the shell does; what still holds its output then is ended too.
//!
//! What a command may do is read from its text: one that only looks may run beside others. One that
//! may move to another folder (`shell/cwd`) holds up those behind it, since their paths are taken
//! from there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::Instant;
use toolpost_core::{
    Access, Content, Context, Effects, Facts, Footprint, Scope, Subject, Tool, ToolError,
    ToolLimits, WorkingFolder,
};
use toolpost_policy::shell::{Analysis, NoShellFacts, PathUse, ShellFacts, analyse};

use crate::command::Environment;
use crate::command::process::{self, Ended, Printed, Streams};
use crate::failure;
use crate::place::Home;

mod folder;
#[cfg(test)]
mod tests;
mod text;

use folder::{Moves, Stand};
pub(crate) use text::printable;

const DEFAULT_MS: u64 = 120_000;
const MOST_MS: u64 = 600_000;
const RESULT_CHARS: usize = 30_000;

/// Variables that change what the shell or git does with the text, besides those that no command
/// is given.
const UNSET: [&str; 10] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "IFS",
    "OLDPWD",
    "PS4",
    "PWD",
];
/// Names that begin so go too.
const UNSET_PREFIXES: [&str; 2] = ["GIT_", "BASH_FUNC_"];
/// Nothing waits for a person or for a page to be turned.
const SET: [(&str, &str); 6] = [
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("TERM", "dumb"),
];

/// The tool `Bash`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bash;

/// The input of [`Bash`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct BashInput {
    /// The command line to run, as bash reads it.
    #[schemars(length(min = 1))]
    pub command: String,
    /// Milliseconds after which it is ended; 120,000 when left out.
    #[schemars(range(min = 1, max = 600_000))]
    pub timeout: Option<u64>,
    /// What it is for, in a few words for the person who watches.
    pub description: Option<String>,
}

/// What came of a command.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct BashOutput {
    /// The exit code, where the shell ended by itself.
    pub exit_code: Option<i32>,
    /// The signal that ended it, where one did.
    pub signal: Option<i32>,
    /// Milliseconds that it took.
    pub ms: u64,
    /// Bytes of output that were not kept, beyond the first 16 MiB.
    pub left_out: u64,
    /// The folder that the shell stands in now, where the command changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    #[serde(skip)]
    #[schemars(skip)]
    text: String,
}

impl Tool<Printed> for Bash {
    type Input = BashInput;
    type Output = BashOutput;

    fn name(&self) -> &str {
        "Bash"
    }

    fn description(&self) -> &str {
        "Run a command line with bash and answer with what it printed and its exit code. Nothing \
         is on stdin. Each call has a new shell, which begins in the folder where the last one \
         ended; the first begins in the root. Prefer Read, Grep and Glob to cat, grep and find."
    }

    fn describe(&self, input: &BashInput) -> String {
        // Never the model's own words for it: a person must see what will run.
        format!("Run {}", input.command)
    }

    fn search_hint(&self) -> Option<&str> {
        Some("run a shell command, terminal, script")
    }

    fn effects(&self, input: &BashInput) -> Effects {
        let analysis = analyse(&input.command, Path::new("/"), &NoShellFacts);
        // What is not known to look only may destroy as well.
        if analysis.is_read_only() {
            Effects::READ_ONLY
        } else {
            Effects::UNKNOWN.and_destroys()
        }
    }

    fn footprint(&self, input: &BashInput, facts: &Facts) -> Footprint {
        let analysis = analysed(input, facts);
        if !analysis.is_fully_known() {
            return Footprint::Everything;
        }
        let scope = |path: &PathBuf, deep: bool| {
            if deep || path.is_dir() {
                Scope::tree(path)
            } else {
                Scope::file(path)
            }
        };
        // All that a path may mean; nothing where that is not known, or means something else in
        // another process.
        let objects = |used: &PathUse| {
            let walked = used.walked.as_ref().or(used.path.as_ref())?;
            let is_of_process = ["/proc", "/dev/fd", "/dev/stdin"]
                .iter()
                .any(|folder| walked.starts_with(folder));
            (!is_of_process).then(|| facts.resolved(walked))
        };
        // Where it stands decides what its paths mean.
        let cwd = || Scope::node(WorkingFolder::NODE);
        let mut footprint = Footprint::nothing().resting_on(cwd());
        if analysis.changes_folder {
            footprint = footprint.writing(cwd());
        }
        for used in analysis.reads() {
            let Some(paths) = objects(used) else {
                return Footprint::Everything;
            };
            for path in paths {
                footprint = footprint.reading(scope(&path, used.deep));
            }
        }
        for used in analysis.writes() {
            let are_files = |paths: &Vec<PathBuf>| paths.iter().all(|path| is_file(path));
            let Some(paths) = objects(used).filter(are_files) else {
                return Footprint::Everything;
            };
            for path in paths {
                footprint = footprint.writing(scope(&path, used.deep));
            }
        }
        footprint
    }

    fn subjects(&self, input: &BashInput, facts: &Facts) -> Vec<Subject> {
        let analysis = analysed(input, facts);
        let paths = |access| {
            let used: Vec<_> = match access {
                Access::Read => analysis.reads().collect(),
                Access::Write => analysis.writes().collect(),
            };
            used.into_iter()
                .filter_map(|used| used.path.clone())
                .map(move |path| Subject::Path { path, access })
        };
        let mut subjects = vec![Subject::Command(input.command.clone())];
        subjects.extend(paths(Access::Read));
        subjects.extend(paths(Access::Write));
        let hosts = analysis
            .commands
            .iter()
            .flat_map(|command| command.hosts.iter().cloned());
        subjects.extend(hosts.map(Subject::Host));
        subjects
    }

    fn limits(&self) -> ToolLimits {
        // The tool's own limit comes first; this one is for a shell that cannot be ended.
        let timeout = Some(Duration::from_millis(MOST_MS + 10_000));
        ToolLimits {
            timeout,
            result_chars: Some(RESULT_CHARS),
            ..ToolLimits::default()
        }
    }

    fn render(&self, output: &BashOutput) -> Option<Vec<Content>> {
        Some(vec![Content::text(&output.text)])
    }

    async fn call(&self, input: BashInput, cx: &Context<Printed>) -> Result<BashOutput, ToolError> {
        let ms = input.timeout.unwrap_or(DEFAULT_MS).min(MOST_MS);
        let limit = Duration::from_millis(ms);
        let stand = Stand::of(cx.facts());
        let may_move = !stands_still(&input, cx.facts());
        let moves = if may_move { Moves::watch() } else { None };
        let mut command = Command::new("bash");
        command
            .args(["--norc", "--noprofile", "-c"])
            .arg(moves.as_ref().map_or_else(
                || input.command.clone(),
                |moves| moves.reported_by(&input.command),
            ))
            .current_dir(&stand.folder)
            .env_clear()
            .envs(environment(cx));
        let start = Instant::now();
        let deadline = Some(start + limit);
        let ended = {
            let heard = |printed| cx.report(printed);
            process::run(command, Streams::Merged, deadline, cx.cancel(), heard).await
        };
        match ended {
            Err(error) => Err(
                ToolError::new("cannot_start", "`bash` cannot be started here")
                    .with_operator_text(error.to_string()),
            ),
            Ok(Ended::Cancelled) => Err(failure::cancelled()),
            Ok(Ended::TimedOut { out }) => {
                let text = printable(&out);
                let tail: String = text
                    .chars()
                    .rev()
                    .take(4_000)
                    .collect::<Vec<_>>()
                    .into_iter()
                    .rev()
                    .collect();
                let message = format!(
                    "the command took longer than {ms} ms and was ended with all that it started; \
                     give a longer `timeout` or do less. What it printed last:\n{tail}"
                );
                Err(ToolError::new("timed_out", message))
            }
            Ok(Ended::Exited {
                status,
                out,
                out_left_out,
                ..
            }) => {
                let mut output = output(status, &out, out_left_out, start.elapsed());
                stand.told(&mut output);
                let end = moves.and_then(Moves::end);
                folder::keep(end, &stand, cx.facts(), &mut output);
                Ok(output)
            }
        }
    }
}

fn output(
    status: std::process::ExitStatus,
    out: &[u8],
    left_out: u64,
    took: Duration,
) -> BashOutput {
    use std::os::unix::process::ExitStatusExt;
    let mut output = BashOutput {
        exit_code: status.code(),
        signal: status.signal(),
        ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        left_out,
        folder: None,
        text: printable(out),
    };
    if left_out > 0 {
        output.note(&format!("{left_out} more bytes were printed and not kept"));
    }
    match (status.code(), status.signal()) {
        (Some(0), _) => {}
        (Some(code), _) => output.note(&format!("exit code {code}")),
        (None, Some(signal)) => output.note(&format!("ended by signal {signal}")),
        (None, None) => output.note("ended without an exit code"),
    }
    if output.text.is_empty() {
        output.text.push_str("(no output)");
    }
    output
}

impl BashOutput {
    /// Adds a line of our own to what was printed.
    fn note(&mut self, line: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(&format!("[{line}]"));
    }
}

/// What a shell knows of the machine, from the facts of the session.
struct Known<'a>(&'a Facts);

impl ShellFacts for Known<'_> {
    fn home(&self) -> Option<&Path> {
        self.0.state().get::<Home>().map(|home| home.0.as_path())
    }
}

/// Whether what is written here stays here: a file, or none yet. A device or a pipe leads elsewhere,
/// and a file of the kernel's is a command to it.
fn is_file(path: &Path) -> bool {
    let is_kernels = ["/dev", "/proc", "/sys"]
        .iter()
        .any(|folder| path.starts_with(folder));
    !is_kernels && path.metadata().map_or(true, |found| found.is_file())
}

fn analysed(input: &BashInput, facts: &Facts) -> Analysis {
    analyse(&input.command, &facts.working_folder(), &Known(facts))
}

/// Whether the shell surely ends in the folder in which it began.
fn stands_still(input: &BashInput, facts: &Facts) -> bool {
    let analysis = analysed(input, facts);
    !analysis.changes_folder && analysis.undecidable.is_empty()
}

fn environment(cx: &Context<Printed>) -> Vec<(OsString, OsString)> {
    let given = cx.state::<Environment>().cloned().unwrap_or_else(|| {
        Environment::new([("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())])
    });
    let is_kept = |name: &OsString| {
        let name = name.to_string_lossy();
        !UNSET.contains(&&*name) && !UNSET_PREFIXES.iter().any(|start| name.starts_with(start))
    };
    let kept = given
        .variables()
        .iter()
        .filter(|(name, _)| is_kept(name))
        .cloned();
    let set = SET
        .iter()
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    kept.chain(set).collect()
}
