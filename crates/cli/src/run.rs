//! `toolpost run`: calls in, outcomes out, in order, as they come.

use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout_at};
use toolpost_core::{CancellationToken, Outcome};
use toolpost_run::{BatchBudget, CallHandle, Planner, Session};
use toolpost_tools::Orphans;
use toolpost_wire::{Format, Message};

use crate::args::{Common, OnAsk, Run};
use crate::exit::{self, Tally, usage};
use crate::input::{self, Line};
use crate::interrupt::Interrupts;
use crate::keeping::{Keeping, Purpose};
use crate::printer::{Printer, Style};
use crate::progress::Progress;
use crate::setup;

/// How many messages may be on their way between the reader and the printer.
const AHEAD: usize = 256;

/// What became of one line of the input, in the order of the input.
enum Item {
    /// A message whose calls were submitted.
    Message(Message, Vec<CallHandle>),
    /// A line that is no message.
    Bad(Box<Outcome>),
}

/// After a stop, so long a pause of the input is its end.
const LATE: Duration = Duration::from_millis(50);
/// And so long it may go on at most.
const MOST_LATE: Duration = Duration::from_secs(5);
/// After a second request to end, so long the outcomes have to leave.
const LAST: Duration = Duration::from_secs(2);

/// How a run is brought to its end early.
#[derive(Clone)]
struct Ending {
    /// No more calls are taken.
    stop: CancellationToken,
    is_interrupted: Arc<AtomicBool>,
    orphans: Arc<Orphans>,
}

type Lines = mpsc::Receiver<anyhow::Result<Line>>;

pub(crate) fn run(common: &Common, run: &Run) -> anyhow::Result<u8> {
    let input = input::open(run.file.as_deref())?;
    let progress = Progress::new(common.quiet);
    let purpose = if run.dry_run {
        Purpose::Plan
    } else {
        Purpose::Run
    };
    let on_ask = on_ask(common, run)?;
    let (session, keeping) = setup::session(common, &progress, (purpose, on_ask))?;
    let style = match (run.reply, common.json) {
        (true, _) => Style::Reply,
        (false, true) => Style::Json,
        (false, false) => Style::Text,
    };
    let printer = Printer::new(Arc::clone(&progress), style, common.verbose);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let orphans = Arc::new(Orphans::adopt());
    let code = runtime.block_on(async {
        let lines = input::lines(input);
        if run.dry_run {
            return plan(&session, lines, run.format.0, &printer).await;
        }
        tokio::spawn(progress.watch());
        let session = Arc::new(session);
        let ending = Ending {
            stop: CancellationToken::new(),
            is_interrupted: Arc::default(),
            orphans: Arc::clone(&orphans),
        };
        tokio::spawn(on_interrupt(Arc::clone(&session), ending.clone()));
        drive(session, lines, run.format.0, ending, (&printer, &keeping)).await
    });
    // What calls left running ends with their session.
    runtime.block_on(orphans.end());
    keeping.close();
    // A thread that waits for stdin would hold the runtime up.
    runtime.shutdown_background();
    code
}

/// Who is asked: the person at the terminal, unless the calls are typed there too.
fn on_ask(common: &Common, run: &Run) -> anyhow::Result<OnAsk> {
    let is_of_file = run
        .file
        .as_deref()
        .is_some_and(|file| file != Path::new("-"));
    let can_prompt = is_of_file && std::io::stdin().is_terminal();
    match common.on_ask {
        Some(OnAsk::Prompt) if !can_prompt => Err(usage(
            "`--on-ask prompt` needs a terminal on stdin and the calls in a file; without them use \
             `--on-ask queue`",
        )),
        Some(how) => Ok(how),
        None if can_prompt => Ok(OnAsk::Prompt),
        None => Ok(OnAsk::Deny),
    }
}

async fn drive(
    session: Arc<Session>,
    lines: Lines,
    format: Option<Format>,
    ending: Ending,
    (printer, keeping): (&Printer, &Keeping),
) -> anyhow::Result<u8> {
    let (items, queue) = mpsc::channel(AHEAD);
    let feeder = tokio::spawn(feed(
        Arc::clone(&session),
        lines,
        format,
        items,
        ending.stop.clone(),
    ));
    let printed = print(&session, queue, printer, keeping).await;
    if printed.is_err() {
        // Nobody reads the outcomes any more, so nothing more is begun.
        ending.stop.cancel();
        session.cancel();
    }
    let tally = printed?;
    feeder.await??;
    Ok(if ending.is_interrupted.load(Ordering::Acquire) {
        exit::INTERRUPTED
    } else {
        tally.code()
    })
}

/// The first interrupt stops the calls, which still have their outcomes; the second ends at once what
/// they run, and does not wait for anything else.
async fn on_interrupt(session: Arc<Session>, ending: Ending) {
    let mut interrupts = Interrupts::listen();
    interrupts.next().await;
    ending.is_interrupted.store(true, Ordering::Release);
    ending.stop.cancel();
    session.cancel();
    interrupts.next().await;
    ending.orphans.kill();
    sleep(LAST).await;
    std::process::exit(exit::INTERRUPTED.into());
}

/// Submits the calls of each line as it comes.
async fn feed(
    session: Arc<Session>,
    mut lines: Lines,
    format: Option<Format>,
    items: mpsc::Sender<Item>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let mut end = None;
    loop {
        let line = tokio::select! {
            biased;
            // What was given before the stop has an outcome too.
            () = stop.cancelled() => {
                let end = *end.get_or_insert_with(|| Instant::now() + MOST_LATE);
                match timeout_at(end.min(Instant::now() + LATE), lines.recv()).await {
                    Ok(line) => line,
                    Err(_) => return Ok(()),
                }
            }
            line = lines.recv() => line,
        };
        let Some(line) = line else { return Ok(()) };
        let item = match message(line?, format) {
            Ok(message) => {
                let submit = |call: &toolpost_core::RawCall| session.submit(call.clone());
                let handles = message.calls.iter().map(submit).collect();
                Item::Message(message, handles)
            }
            Err(outcome) => Item::Bad(outcome),
        };
        if items.send(item).await.is_err() {
            return Ok(());
        }
    }
}

fn message(line: Line, format: Option<Format>) -> Result<Message, Box<Outcome>> {
    let number = line.number;
    let read = line.text.and_then(|text| {
        toolpost_wire::read(text.trim(), format, number).map_err(|error| error.to_string())
    });
    read.map_err(|error| {
        Box::new(Outcome::bad_line(
            number,
            format!("line {number} is {error}"),
        ))
    })
}

async fn print(
    session: &Session,
    mut queue: mpsc::Receiver<Item>,
    printer: &Printer,
    keeping: &Keeping,
) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    let mut budget = session.batch_budget();
    while let Some(item) = queue.recv().await {
        match item {
            Item::Message(message, handles) => {
                let mut outcomes = Vec::with_capacity(handles.len());
                for handle in handles {
                    let outcome = budget.fit(handle.outcome().await);
                    tally.count(outcome.status);
                    keeping.after(&outcome);
                    printer.outcome(&outcome)?;
                    outcomes.push(outcome);
                }
                printer.reply(&message, &outcomes)?;
            }
            Item::Bad(outcome) => {
                tally.count(outcome.status);
                printer.bad_line(&outcome)?;
            }
        }
        budget = next_batch(session, &queue, budget);
    }
    Ok(tally)
}

/// A batch is what came before all of the earlier calls were answered.
fn next_batch(session: &Session, queue: &mpsc::Receiver<Item>, budget: BatchBudget) -> BatchBudget {
    if queue.is_empty() {
        session.batch_budget()
    } else {
        budget
    }
}

async fn plan(
    session: &Session,
    mut lines: Lines,
    format: Option<Format>,
    printer: &Printer,
) -> anyhow::Result<u8> {
    let mut tally = Tally::default();
    let mut planner = Planner::new(session);
    while let Some(line) = lines.recv().await {
        match message(line?, format) {
            Ok(message) => {
                let plan = |call: &toolpost_core::RawCall| planner.plan(call.clone());
                let outcomes: Vec<Outcome> = message.calls.iter().map(plan).collect();
                for outcome in &outcomes {
                    tally.count(outcome.status);
                    printer.outcome(outcome)?;
                }
                printer.reply(&message, &outcomes)?;
            }
            Err(outcome) => {
                tally.count(outcome.status);
                printer.bad_line(&outcome)?;
            }
        }
    }
    Ok(tally.code())
}
