//! `Bash`: runs a command line in a shell, and answers with what it printed.
//!
//! The shell is `bash` without start-up files, in the root, with nothing on stdin and a clean
//! environment: no secrets, nothing that makes a program run another first, no pagers and no
//! prompts. Standard output and standard error come back as one text in the order in which they
//! were written, with the exit code where it is not 0: that is an answer, not an error. Each call
//! has a shell of its own, so a `cd` or a variable does not outlive it.
//!
//! `timeout` is in milliseconds, 120,000 when left out and 600,000 at most. A command that takes
//! longer is ended with all that it started, also what left its process group. The call ends when
//! the shell does; what still holds its output then is ended too.
//!
//! What a command may do is read from its text: one that only looks may run beside others.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use tokio::time::Instant;
use toolpost_core::{
    Access, Content, Context, Effects, Facts, Footprint, Scope, Subject, Tool, ToolError,
    ToolLimits,
};
use toolpost_policy::shell::{Analysis, NoShellFacts, ShellFacts, analyse};

use crate::command::process::{self, Ended, Streams};
use crate::command::{CALL_MARK, Environment, mark};
use crate::failure;
use crate::place::Home;

#[cfg(test)]
mod tests;

const DEFAULT_MS: u64 = 120_000;
const MOST_MS: u64 = 600_000;
const RESULT_CHARS: usize = 30_000;

/// Variables that change what the shell or git does with the text, besides those that no command
/// is given.
const UNSET: [&str; 8] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "CDPATH",
    "GLOBIGNORE",
    "IFS",
    "PS4",
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
    #[serde(skip)]
    #[schemars(skip)]
    text: String,
}

impl Tool for Bash {
    type Input = BashInput;
    type Output = BashOutput;

    fn name(&self) -> &str {
        "Bash"
    }

    fn description(&self) -> &str {
        "Run a command line with bash in the root and answer with what it printed and its exit \
         code. Nothing is on stdin, and each call has a new shell. Prefer Read, Grep and Glob to \
         cat, grep and find."
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
        let scope = |path: &Path, deep: bool| {
            let path = facts.resolve(path);
            if deep || path.is_dir() {
                Scope::tree(&path)
            } else {
                Scope::file(&path)
            }
        };
        // The shell looks at the folder that it stands in; a `cd` ends with it.
        let mut footprint = Footprint::nothing().reading(Scope::node("shell/cwd"));
        for used in analysis.reads() {
            let Some(path) = &used.path else {
                return Footprint::Everything;
            };
            footprint = footprint.reading(scope(path, used.deep));
        }
        for used in analysis.writes() {
            let Some(path) = &used.path else {
                return Footprint::Everything;
            };
            footprint = footprint.writing(scope(path, used.deep));
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

    async fn call(&self, input: BashInput, cx: &Context) -> Result<BashOutput, ToolError> {
        let ms = input.timeout.unwrap_or(DEFAULT_MS).min(MOST_MS);
        let limit = Duration::from_millis(ms);
        let mut command = Command::new("bash");
        command
            .args(["--norc", "--noprofile", "-c"])
            .arg(&input.command)
            .current_dir(cx.facts().working_folder())
            .env_clear()
            .envs(environment(cx));
        let start = Instant::now();
        let deadline = Some(start + limit);
        let ended = process::run(command, Streams::Merged, deadline, cx.cancel()).await;
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
            }) => Ok(output(status, &out, out_left_out, start.elapsed())),
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
    let mut text = printable(out);
    let mut note = |line: String| {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&line);
    };
    if left_out > 0 {
        note(format!("[{left_out} more bytes were printed and not kept]"));
    }
    match (status.code(), status.signal()) {
        (Some(0), _) => {}
        (Some(code), _) => note(format!("[exit code {code}]")),
        (None, Some(signal)) => note(format!("[ended by signal {signal}]")),
        (None, None) => note("[ended without an exit code]".to_owned()),
    }
    if text.is_empty() {
        text.push_str("(no output)");
    }
    BashOutput {
        exit_code: status.code(),
        signal: status.signal(),
        ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        left_out,
        text,
    }
}

/// What a shell knows of the machine, from the facts of the session.
struct Known<'a>(&'a Facts);

impl ShellFacts for Known<'_> {
    fn home(&self) -> Option<&Path> {
        self.0.state().get::<Home>().map(|home| home.0.as_path())
    }
}

fn analysed(input: &BashInput, facts: &Facts) -> Analysis {
    analyse(&input.command, facts.working_folder(), &Known(facts))
}

fn environment(cx: &Context) -> Vec<(OsString, OsString)> {
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
    let mark = (OsString::from(CALL_MARK), OsString::from(mark(cx.id())));
    kept.chain(set).chain([mark]).collect()
}

/// The output as text: without the codes that colour it, with what a bar of progress showed last.
fn printable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let plain = without_codes(&text);
    let mut lines = String::with_capacity(plain.len());
    for line in plain.split_inclusive('\n') {
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => (body.strip_suffix('\r').unwrap_or(body), "\n"),
            None => (line, ""),
        };
        lines.push_str(
            body.rsplit('\r')
                .find(|part| !part.is_empty())
                .unwrap_or(""),
        );
        lines.push_str(end);
    }
    lines
}

/// Takes out the escape sequences of terminals: `ESC [ … letter` and `ESC ] … BEL`.
fn without_codes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c != '\u{1b}' {
            plain.push(c);
            continue;
        }
        match letters.next() {
            Some('[') => while letters.next().is_some_and(|c| !('@'..='~').contains(&c)) {},
            Some(']') => {
                while let Some(c) = letters.next() {
                    let ends =
                        c == '\u{7}' || (c == '\u{1b}' && letters.next_if_eq(&'\\').is_some());
                    if ends {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    plain
}
