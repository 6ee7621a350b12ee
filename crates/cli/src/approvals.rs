//! `toolpost approvals`: the questions that wait in the journal, and answering them.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;
use toolpost_core::Effects;
use toolpost_run::journal::{Journal, JournalError, KeptQuestion, Settled};

use crate::args::{Approvals, ApprovalsAction, Common};
use crate::exit::{self, usage};
use crate::keeping;
use crate::log::{ago, from_now, session_word, time};
use crate::marked;
use crate::printer::exact;

pub(crate) fn approvals(common: &Common, approvals: &Approvals) -> anyhow::Result<u8> {
    match &approvals.action {
        None | Some(ApprovalsAction::List) => list(common),
        Some(ApprovalsAction::Allow { id }) => answer(common, *id, "allowed", |journal| {
            marked::refuse_calls(&journal.processes()?, "approve another")?;
            Ok(journal.allow(*id, &person())?)
        }),
        Some(ApprovalsAction::Deny { id, reason }) => answer(common, *id, "denied", |journal| {
            let mask = keeping::masks(common)?;
            let masked = reason.as_deref().and_then(|words| mask.text(words));
            let words = masked.as_deref().or(reason.as_deref());
            Ok(journal.deny(*id, &person(), words)?)
        }),
    }
}

/// A question as it is printed.
#[derive(Serialize)]
struct Line<'q> {
    v: u8,
    id: i64,
    state: &'static str,
    call: &'q str,
    name: &'q str,
    arguments: &'q str,
    masked: bool,
    description: &'q str,
    effects: Effects,
    decision: Value,
    session: String,
    pid: u32,
    root: &'q str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<&'q str>,
    asked: String,
    expires: String,
    calls: u64,
}

impl<'q> Line<'q> {
    fn of(question: &'q KeptQuestion) -> Self {
        Self {
            v: 1,
            id: question.id,
            state: match question.answer {
                None => "waiting",
                Some(true) => "allowed",
                Some(false) => "denied",
            },
            call: &question.call,
            name: &question.tool,
            arguments: &question.input,
            masked: question.is_masked,
            description: &question.description,
            effects: question.effects,
            decision: serde_json::from_str(&question.decision).unwrap_or_default(),
            session: session_word(question.session_name.as_deref(), question.session),
            pid: question.pid,
            root: &question.root,
            folder: question.folder.as_deref(),
            asked: time(question.asked),
            expires: time(question.expires),
            calls: question.calls,
        }
    }
}

fn list(common: &Common) -> anyhow::Result<u8> {
    let questions = match keeping::existing(common)? {
        Some(journal) => journal.questions()?,
        None => Vec::new(),
    };
    let mut out = io::stdout().lock();
    for question in &questions {
        if common.json {
            writeln!(out, "{}", serde_json::to_string(&Line::of(question))?)?;
        } else {
            out.write_all(for_a_person(question).as_bytes())?;
        }
    }
    if questions.is_empty() && !common.json && !common.quiet {
        eprintln!("toolpost: no question waits");
    }
    Ok(exit::DONE)
}

/// All that a person must know: exactly what will run, what it may do, and who asked.
fn for_a_person(question: &KeptQuestion) -> String {
    let line = Line::of(question);
    let mut text = format!("── {} {}: {}\n", line.id, line.name, line.state);
    text.push_str(&format!("   {}\n", exact(&question.input)));
    if question.is_masked {
        text.push_str("   [masked] stands for what the settings mask: it is not what will run\n");
    }
    text.push_str(&format!("   {}\n", exact(&question.description)));
    if let Some(folder) = &question.folder {
        text.push_str(&format!("   it runs in {}\n", exact(folder)));
    }
    if question.effects.destructive {
        text.push_str("   may destroy what cannot be had back\n");
    }
    if let Some(reason) = line.decision.get("reason").and_then(Value::as_str) {
        text.push_str(&format!("   asked because {}\n", exact(reason)));
    }
    text.push_str(&format!(
        "   asked {} by call {} of session {} (process {}) in {}\n",
        ago(question.asked),
        exact(&question.call),
        exact(&line.session),
        question.pid,
        exact(&question.root),
    ));
    let calls = match (question.calls, question.answer) {
        (1, None) => "1 call waits".to_owned(),
        (calls, None) => format!("{calls} calls wait, and the answer is for each of them"),
        (1, Some(_)) => "1 call may take the answer up".to_owned(),
        (calls, Some(_)) => format!("{calls} calls may take the answer up"),
    };
    text.push_str(&format!(
        "   {calls}; forgotten {}\n",
        from_now(question.expires)
    ));
    text
}

/// An answer as it is printed.
#[derive(Serialize)]
struct Answered<'s> {
    v: u8,
    id: i64,
    answer: &'s str,
    name: &'s str,
    arguments: &'s str,
    masked: bool,
    calls: u64,
}

fn answer(
    common: &Common,
    id: i64,
    word: &str,
    give: impl FnOnce(&Journal) -> anyhow::Result<Settled>,
) -> anyhow::Result<u8> {
    let none = || usage(JournalError::NoQuestion(id).to_string());
    let journal = keeping::existing(common)?.ok_or_else(none)?;
    let settled = give(&journal).map_err(|error| match error.downcast_ref() {
        Some(JournalError::NoQuestion(_)) => none(),
        _ => error,
    })?;
    let mut out = io::stdout().lock();
    if common.json {
        let line = Answered {
            v: 1,
            id,
            answer: word,
            name: &settled.tool,
            arguments: &settled.input,
            masked: settled.is_masked,
            calls: settled.calls,
        };
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
        return Ok(exit::DONE);
    }
    writeln!(
        out,
        "{word} {id}: {} {}, for {}",
        settled.tool,
        exact(&settled.input),
        match settled.calls {
            1 => "1 call".to_owned(),
            calls => format!("{calls} calls"),
        },
    )?;
    Ok(exit::DONE)
}

/// Who answers, as far as the environment tells.
fn person() -> String {
    let name = ["USER", "LOGNAME"]
        .into_iter()
        .find_map(|variable| std::env::var(variable).ok());
    name.unwrap_or_else(|| "somebody".to_owned())
}
