//! Asks the person at the terminal, one question at a time, in the order in which calls ask.
//!
//! What is shown is what will run, to the last byte, with what could play tricks on a terminal
//! escaped. No answer is preset: a line that is no answer is asked for again, and the end of the
//! input means that nobody is there.

mod allowed;
mod store;
mod words;

use std::io::BufRead;
use std::sync::{Arc, OnceLock};

use tokio::sync::{Mutex as AsyncMutex, mpsc};
use toolpost_core::{Answer, AskedCall, BoxFuture, Facts, Policy, Verdict};
use toolpost_policy::Always;
use toolpost_run::Approver;

use crate::live::LivePolicy;

pub(crate) use allowed::Allowed;
pub(crate) use store::RuleFile;
use words::Word;

/// Where questions go, and what comes back.
pub(crate) struct Console {
    /// Shows a text.
    pub(crate) say: Box<dyn Fn(&str) + Send + Sync>,
    /// The lines that are typed.
    pub(crate) lines: mpsc::UnboundedReceiver<String>,
}

/// The person at the terminal.
pub(crate) struct Prompt {
    console: AsyncMutex<Console>,
    policy: LivePolicy,
    /// Those of the session, which is made after this.
    facts: OnceLock<Facts>,
    /// Where rules for always are kept; nothing where they would not count.
    rules: Option<RuleFile>,
    for_session: Allowed,
}

impl Prompt {
    pub(crate) fn new(
        console: Console,
        policy: LivePolicy,
        rules: Option<RuleFile>,
        for_session: Allowed,
    ) -> Self {
        Self {
            console: AsyncMutex::new(console),
            policy,
            facts: OnceLock::new(),
            rules,
            for_session,
        }
    }

    /// The session is there: questions can be put.
    pub(crate) fn begin(&self, facts: Facts) {
        // A prompt is for one session, so there is nothing to replace.
        let _ = self.facts.set(facts);
    }

    async fn answer(&self, asked: &AskedCall) -> Answer {
        let Some(facts) = self.facts.get() else {
            return Answer::Nobody;
        };
        let call = asked.call();
        if self.is_allowed_now(asked, facts) {
            return Answer::Yes;
        }
        let mut console = self.console.lock().await;
        // The question before this one may have settled it.
        if self.is_allowed_now(asked, facts) {
            return Answer::Yes;
        }
        // What was typed before this was asked answers something else.
        while console.lines.try_recv().is_ok() {}
        let always = match &self.rules {
            Some(_) if asked.is_asked_by_hook() => {
                Err("a hook asks about it in any case".to_owned())
            }
            Some(_) => self.policy.now().always(call, facts),
            None => Err("trust this workspace first, with `toolpost trust`".to_owned()),
        };
        (console.say)(&words::question(asked, facts, &always, words::MOST_SHOWN));
        loop {
            (console.say)(words::ASK);
            let Some(line) = console.lines.recv().await else {
                return Answer::Nobody;
            };
            match Word::read(&line) {
                Some(Word::Yes) => return Answer::Yes,
                Some(Word::No(words)) => return Answer::No(words),
                Some(Word::Session) => {
                    self.for_session.insert(asked, facts);
                    return Answer::Yes;
                }
                Some(Word::Always) => match self.store(&always) {
                    Ok(()) => return Answer::Yes,
                    Err(problem) => (console.say)(&format!("{problem}\n")),
                },
                Some(Word::View) => {
                    (console.say)(&words::question(asked, facts, &always, usize::MAX));
                }
                Some(Word::Edit) => match edited(&mut console).await {
                    Some(input) => return Answer::Edit(input),
                    None => (console.say)("nothing was changed\n"),
                },
                None => (console.say)(words::HELP),
            }
        }
    }

    /// Whether an answer that was given meanwhile is one to this question too.
    fn is_allowed_now(&self, asked: &AskedCall, facts: &Facts) -> bool {
        let is_settled_by_rule =
            || self.policy.decide(asked.call(), facts).effect == Verdict::Allow;
        self.for_session.contains(asked, facts)
            || (!asked.is_asked_by_hook() && is_settled_by_rule())
    }

    fn store(&self, always: &Result<Always, String>) -> Result<(), String> {
        let (Some(file), Ok(always)) = (&self.rules, always) else {
            let why = always.as_ref().err().map_or("", String::as_str);
            return Err(format!("not for always: {why}"));
        };
        let rules = file.add(&always.rules)?;
        self.policy.add(rules);
        Ok(())
    }
}

impl Approver for Prompt {
    fn ask<'a>(&'a self, call: &'a AskedCall) -> BoxFuture<'a, Answer> {
        Box::pin(self.answer(call))
    }
}

/// One line of JSON in place of the input; nothing when it was left empty or is none.
async fn edited(console: &mut Console) -> Option<String> {
    (console.say)(words::EDIT);
    let line = console.lines.recv().await?;
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    match serde_json::from_str::<serde::de::IgnoredAny>(line) {
        Ok(_) => Some(line.to_owned()),
        Err(error) => {
            (console.say)(&format!("that is no JSON: {error}\n"));
            None
        }
    }
}

/// The terminal: questions on stderr, lines from stdin, read by a thread of their own.
pub(crate) fn terminal(progress: &Arc<crate::progress::Progress>) -> Console {
    let (sender, lines) = mpsc::unbounded_channel();
    // It waits for a line that may never come, so it is nobody's task.
    std::thread::spawn(move || {
        let mut stdin = std::io::stdin().lock();
        let mut line = Vec::new();
        while matches!(stdin.read_until(b'\n', &mut line), Ok(1..)) {
            // A line that is no text is no answer: it is taken for an empty one.
            let text = String::from_utf8(std::mem::take(&mut line)).unwrap_or_default();
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    let progress = Arc::clone(progress);
    Console {
        say: Box::new(move |text| progress.aside(|| eprint!("{text}"))),
        lines,
    }
}

#[cfg(test)]
mod tests;
