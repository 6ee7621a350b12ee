//! Hooks that are commands: JSON on stdin, JSON on stdout, within a time limit.
//!
//! Before permission a command is given
//! `{"v":1,"event":"before","id","name","input","description","effects","root"}` and may answer
//! `{"decision":"allow"|"ask"|"deny","reason":"…"}` or `{"input":{…}}`, or nothing. After an
//! outcome it is given `{"v":1,"event":"after","root","outcome"}`, and what it prints is not read.
//!
//! `"allow"` beside an `input` is of no account: the hook is asked about its own input again. A
//! `"deny"` beside one denies. Another exit code than 0, an answer of another shape, and no answer in time are no consent: a
//! person is asked then. A hook runs in the root, with the environment that commands are given.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::Instant;
use toolpost_core::{BoxFuture, CancellationToken, Facts, Outcome, ValidatedCall};
use toolpost_run::{Hook, HookAnswer};

use crate::command::process::{self, Ended, Streams};
use crate::command::{Environment, located};

/// What a hook has when nothing else is said.
const LIMIT: Duration = Duration::from_secs(10);
/// Besides its limit: for ending what it started.
const GRACE: Duration = Duration::from_secs(5);

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Before permission.
    Before,
    /// After the outcome.
    After,
}

/// A hook that is a command.
pub struct CommandHook {
    moment: Moment,
    tools: Vec<String>,
    command: Vec<String>,
    folder: Option<PathBuf>,
    limit: Duration,
    place: String,
    environment: Environment,
    report: Arc<dyn Fn(&str) + Send + Sync>,
}

impl CommandHook {
    /// A hook that runs this program with its arguments. `place` says where it was set up, for
    /// those who read of it.
    pub fn new(moment: Moment, command: Vec<String>, place: impl Into<String>) -> Self {
        Self {
            moment,
            tools: Vec::new(),
            command,
            folder: None,
            limit: LIMIT,
            place: place.into(),
            environment: Environment::of_host(),
            report: Arc::new(|_| {}),
        }
    }

    /// Only for these tools; `mcp__files__*` stands for all that begin so. For all when empty.
    #[must_use]
    pub fn tools(mut self, tools: Vec<String>) -> Self {
        self.tools = tools;
        self
    }

    /// The folder that a program written with `./` or `../` lies in.
    #[must_use]
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// The longest that it may take; 10 seconds when left out.
    #[must_use]
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Who is told what went wrong, in words for the operator.
    #[must_use]
    pub fn report(mut self, report: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.report = Arc::new(report);
        self
    }

    fn is_about(&self, moment: Moment, name: &str) -> bool {
        let fits = |tool: &String| match tool.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => tool == name,
        };
        self.moment == moment && (self.tools.is_empty() || self.tools.iter().any(fits))
    }

    /// What it printed; an error in words when it did not end well.
    async fn run(&self, told: &Value, facts: &Facts) -> Result<Vec<u8>, String> {
        let Some((program, arguments)) = self.command.split_first() else {
            return Err("has no command".to_owned());
        };
        let mut command = Command::new(located(program, self.folder.as_deref()));
        command
            .args(arguments)
            .current_dir(facts.root())
            .env_clear()
            .envs(self.environment.variables().iter().cloned());
        let input = told.to_string();
        let streams = Streams::Apart(input.as_bytes());
        let deadline = Some(Instant::now() + self.limit);
        let never = CancellationToken::new();
        match process::run(command, streams, deadline, &never, |_| {}).await {
            Err(error) => Err(format!("cannot be started: {error}")),
            Ok(Ended::Cancelled | Ended::TimedOut { .. }) => {
                Err(format!("took longer than {:?}", self.limit))
            }
            Ok(Ended::Exited {
                status,
                out,
                out_left_out,
                err,
                ..
            }) => {
                if status.success() && out_left_out > 0 {
                    return Err("printed more than anybody reads".to_owned());
                }
                if status.success() {
                    return Ok(out);
                }
                let words = String::from_utf8_lossy(&err);
                Err(format!("ended with {status}: {}", words.trim()))
            }
        }
    }

    fn told(&self, problem: &str) {
        (self.report)(&format!("the hook at {} {problem}", self.place));
    }

    async fn ask(&self, call: &ValidatedCall, facts: &Facts) -> HookAnswer {
        let input: Value = serde_json::from_str(call.input()).unwrap_or(Value::Null);
        let told = json!({
            "v": 1,
            "event": "before",
            "id": &**call.id(),
            "name": call.name(),
            "input": input,
            "description": call.describe(),
            "effects": call.effects(),
            "root": facts.root(),
        });
        let answer = self.run(&told, facts).await.and_then(|out| read(&out));
        match answer {
            Ok(answer) => self.answer(answer),
            Err(problem) => {
                self.told(&problem);
                // The words of a program that broke are the operator's, not the model's.
                HookAnswer::Ask(format!(
                    "the hook at {} gave no answer, which is no consent",
                    self.place
                ))
            }
        }
    }

    fn answer(&self, answer: Answer) -> HookAnswer {
        let reason = |does: &str| match &answer.reason {
            Some(reason) => format!("the hook at {} {does}: {reason}", self.place),
            None => format!("the hook at {} {does}", self.place),
        };
        match (answer.decision, answer.input) {
            (Some(Word::Deny), _) => HookAnswer::Deny(reason("denies it")),
            (Some(Word::Ask), _) => HookAnswer::Ask(reason("wants a person to be asked")),
            (None | Some(Word::Allow), Some(input)) => HookAnswer::Rewrite(input.to_string()),
            (Some(Word::Allow), None) => HookAnswer::Allow(reason("allows it")),
            (None, None) => HookAnswer::Pass,
        }
    }
}

impl Hook for CommandHook {
    fn before<'a>(
        &'a self,
        call: &'a ValidatedCall,
        facts: &'a Facts,
    ) -> BoxFuture<'a, HookAnswer> {
        Box::pin(async move {
            if self.is_about(Moment::Before, call.name()) {
                self.ask(call, facts).await
            } else {
                HookAnswer::Pass
            }
        })
    }

    fn after<'a>(&'a self, outcome: &'a Outcome, facts: &'a Facts) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            if !self.is_about(Moment::After, outcome.name.as_deref().unwrap_or_default()) {
                return;
            }
            let told =
                json!({ "v": 1, "event": "after", "root": facts.root(), "outcome": outcome });
            if let Err(problem) = self.run(&told, facts).await {
                self.told(&problem);
            }
        })
    }

    fn limit(&self) -> Duration {
        // It keeps its own limit, and ends what it started.
        self.limit.saturating_add(GRACE)
    }
}

impl std::fmt::Debug for CommandHook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommandHook")
            .field("moment", &self.moment)
            .field("command", &self.command)
            .finish_non_exhaustive()
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Answer {
    decision: Option<Word>,
    reason: Option<String>,
    input: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    Allow,
    Ask,
    Deny,
}

/// Nothing at all is an answer too: the hook has nothing to say.
fn read(out: &[u8]) -> Result<Answer, String> {
    if out.trim_ascii().is_empty() {
        return Ok(Answer::default());
    }
    let wrong = |error: serde_json::Error| format!("printed no answer ({error})");
    if !out.trim_ascii_start().starts_with(b"{") {
        // An array would be taken for the fields in their order.
        return Err("printed no answer (it is no object)".to_owned());
    }
    // A field that is given twice is an error here.
    let answer: Answer = serde_json::from_slice(out).map_err(wrong)?;
    if let (Some(Word::Ask), Some(_)) = (&answer.decision, &answer.input) {
        return Err(
            "wants a person to be asked and another input; it may say one of them".to_owned(),
        );
    }
    Ok(answer)
}
