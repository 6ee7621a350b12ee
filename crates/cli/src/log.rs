//! `toolpost log`: the calls that the journal keeps.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::time::{Duration, SystemTime};

use serde::Serialize;
use serde_json::Value;
use toolpost_run::journal::{Filter, Journal, LoggedCall, SessionName};

use crate::args::{Common, Log, Which};
use crate::exit::{self, unknown, usage};
use crate::keeping;
use crate::printer::exact;

/// How often the journal is looked at while it is followed.
const LOOK: Duration = Duration::from_millis(200);

const STATUSES: [&str; 12] = [
    "admitted",
    "started",
    "done",
    "planned",
    "failed",
    "invalid",
    "denied",
    "pending",
    "cancelled",
    "skipped",
    "timed_out",
    "unknown",
];

pub(crate) fn log(common: &Common, log: &Log) -> anyhow::Result<u8> {
    let filter = filter(common, &log.which)?;
    let Some(journal) = keeping::existing(common)? else {
        if log.follow {
            return Err(usage(
                "there is no journal yet, so there is nothing to follow",
            ));
        }
        if !common.json && !common.quiet {
            eprintln!("toolpost: there is no journal yet");
        }
        return Ok(exit::DONE);
    };
    if log.follow {
        return follow(common, &journal, &filter);
    }
    for call in journal.calls(&filter)? {
        print(common, &call)?;
    }
    Ok(exit::DONE)
}

/// The filter of the flags.
pub(crate) fn filter(common: &Common, which: &Which) -> anyhow::Result<Filter> {
    let status = match which.status.as_deref() {
        Some(status) if !STATUSES.contains(&status) => {
            let message = format!("--status: there is no status `{status}`");
            return Err(unknown(message, status, STATUSES));
        }
        status => status.map(str::to_owned),
    };
    let session = match common.session.as_deref() {
        None => None,
        Some(name) => Some(match name.strip_prefix('#') {
            Some(number) => SessionName::Number(number.parse().map_err(|_| {
                usage("--session: after `#` comes a session's number, such as `#12`")
            })?),
            None => SessionName::Named(name.to_owned()),
        }),
    };
    Ok(Filter {
        session,
        tool: which.tool.clone(),
        status,
        since: which.since,
        limit: which.limit,
        ..Filter::default()
    })
}

/// Shows what is there, then each call when it has ended, until it is interrupted.
fn follow(common: &Common, journal: &Journal, filter: &Filter) -> anyhow::Result<u8> {
    // A call may have the wanted status only once it has ended.
    let mut filter = filter.clone();
    let status = filter.status.take();
    let mut open = BTreeSet::new();
    let mut is_first = true;
    loop {
        let mut calls = journal.calls(&filter)?;
        filter.after = calls.iter().map(|call| call.id).max().or(filter.after);
        filter.limit = None;
        if !open.is_empty() {
            journal.close_dead()?;
            let only = Some(open.iter().copied().collect());
            let again = Filter {
                only,
                ..Filter::default()
            };
            calls.extend(journal.calls(&again)?);
            calls.sort_by_key(|call| call.ended);
        }
        for call in calls {
            let is_wanted = status.as_ref().is_none_or(|status| *status == call.status);
            if call.is_open() {
                // One that was open from the start is shown as it stands, once.
                if open.insert(call.id) && is_first && is_wanted {
                    print(common, &call)?;
                }
            } else {
                open.remove(&call.id);
                if is_wanted {
                    print(common, &call)?;
                }
            }
        }
        is_first = false;
        std::thread::sleep(LOOK);
    }
}

/// A call as it is printed.
#[derive(Serialize)]
struct Line<'c> {
    v: u8,
    session: String,
    id: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<&'c str>,
    name: &'c str,
    arguments: &'c str,
    masked: bool,
    status: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Fault<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_by: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repairs: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    effects: Option<Value>,
    root: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<&'c str>,
    digests: Digests<'c>,
    time: Times,
}

#[derive(Serialize)]
struct Fault<'c> {
    kind: &'c str,
    message: &'c str,
}

#[derive(Serialize)]
struct Digests<'c> {
    input: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<&'c str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<&'c str>,
}

#[derive(Serialize)]
struct Times {
    admitted: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
}

impl<'c> Line<'c> {
    fn of(call: &'c LoggedCall) -> Self {
        let json = |text: &Option<String>| serde_json::from_str(text.as_deref()?).ok();
        Self {
            v: 1,
            session: session_word(call.session_name.as_deref(), call.session),
            id: &call.call,
            parent: call.parent.as_deref(),
            name: &call.tool,
            arguments: &call.input,
            masked: call.is_masked,
            status: &call.status,
            error: call
                .error
                .as_ref()
                .map(|(kind, message)| Fault { kind, message }),
            decision: json(&call.decision),
            question: call.question,
            answered_by: call.answered_by.as_deref(),
            repairs: json(&call.repairs),
            effects: json(&call.effects),
            root: &call.root,
            folder: call.folder.as_deref(),
            digests: Digests {
                input: &call.input_digest,
                definition: call.definition_digest.as_deref(),
                outcome: call.outcome_digest.as_deref(),
            },
            time: Times {
                admitted: time(call.admitted),
                started: call.started.map(time),
                ended: call.ended.map(time),
            },
        }
    }
}

fn print(common: &Common, call: &LoggedCall) -> io::Result<()> {
    let line = Line::of(call);
    let mut out = io::stdout().lock();
    if common.json {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    } else {
        out.write_all(for_a_person(call, &line).as_bytes())?;
    }
    out.flush()
}

/// One line for what happened, and one for why where it is not plain.
fn for_a_person(call: &LoggedCall, line: &Line<'_>) -> String {
    let mut text = format!(
        "{} {} {} {} {}: {}",
        line.time.admitted,
        exact(&line.session),
        exact(line.id),
        exact(line.name),
        in_short(&exact(line.arguments)),
        line.status.replace('_', " "),
    );
    if let (Some(started), Some(ended)) = (call.started, call.ended)
        && let Ok(took) = ended.duration_since(started)
    {
        text.push_str(&format!(
            ", {}",
            humantime::format_duration(Duration::from_micros(
                u64::try_from(took.as_micros()).unwrap_or_default()
            ))
        ));
    }
    text.push('\n');
    let decided = |key| line.decision.as_ref()?.get(key)?.as_str();
    if let (Some(by), Some(reason)) = (decided("by"), decided("reason")) {
        let rule = decided("rule").map_or_else(String::new, |rule| format!(" `{}`", exact(rule)));
        text.push_str(&format!("    {by}{rule}: {}\n", exact(reason)));
    }
    if let (Some(question), Some(by)) = (line.question, line.answered_by) {
        let by = exact(by);
        text.push_str(&format!("    question {question} was answered by {by}\n"));
    }
    if let Some(fault) = &line.error {
        text.push_str(&format!("    {}\n", in_short(&exact(fault.message))));
    }
    text
}

/// The head of a long text; `--json` has all of it.
fn in_short(text: &str) -> String {
    const LONGEST: usize = 400;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A session by its name or its number, as `--session` takes it.
pub(crate) fn session_word(name: Option<&str>, number: i64) -> String {
    name.map_or_else(|| format!("#{number}"), str::to_owned)
}

pub(crate) fn time(at: SystemTime) -> String {
    humantime::format_rfc3339_millis(at).to_string()
}

/// How long ago it was, in whole seconds.
pub(crate) fn ago(at: SystemTime) -> String {
    let since = SystemTime::now().duration_since(at).unwrap_or_default();
    match since.as_secs() {
        0..10 => "just now".to_owned(),
        seconds => format!("{} ago", whole(seconds)),
    }
}

/// How soon it will be, in whole seconds.
pub(crate) fn from_now(at: SystemTime) -> String {
    let until = at.duration_since(SystemTime::now()).unwrap_or_default();
    format!("in {}", whole(until.as_secs()))
}

/// A length of time to the two greatest units.
fn whole(seconds: u64) -> String {
    let long = humantime::format_duration(Duration::from_secs(seconds)).to_string();
    let units: Vec<&str> = long.split(' ').take(2).collect();
    units.join(" ")
}
