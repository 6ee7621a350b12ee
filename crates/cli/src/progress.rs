//! What a person sees while calls run: a line per call that takes long, with a bar where the tool
//! says how far it is. Off a terminal there is nothing.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use toolpost_core::{Event, EventSink};

/// Calls that are over sooner are not worth a line.
const LONG: Duration = Duration::from_millis(300);

struct Line {
    description: String,
    since: Instant,
    bar: Option<ProgressBar>,
    fraction: Option<(u64, u64)>,
}

/// The lines on the terminal.
pub(crate) struct Progress {
    screen: Option<MultiProgress>,
    lines: Mutex<HashMap<Arc<str>, Line>>,
}

impl Progress {
    /// Lines on stderr, where that is a terminal and quiet was not asked for.
    pub(crate) fn new(quiet: bool) -> Arc<Self> {
        let shown = !quiet && std::io::stderr().is_terminal();
        let screen = shown.then(MultiProgress::new);
        Arc::new(Self {
            screen,
            lines: Mutex::default(),
        })
    }

    /// Runs something that writes to the terminal, with the lines out of its way.
    pub(crate) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        match &self.screen {
            Some(screen) => screen.suspend(write),
            None => write(),
        }
    }

    /// Shows the calls that have become long, for as long as the session lasts.
    pub(crate) async fn watch(self: Arc<Self>) {
        if self.screen.is_none() {
            return;
        }
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
            for line in lines
                .values_mut()
                .filter(|line| line.since.elapsed() >= LONG)
            {
                self.show(line);
            }
        }
    }

    fn show(&self, line: &mut Line) {
        let Some(screen) = &self.screen else { return };
        let bar = line.bar.get_or_insert_with(|| {
            // The style comes before the screen, or the first picture is a bar of nothing.
            let bar = ProgressBar::no_length()
                .with_style(style("{spinner} {msg} {elapsed}"))
                .with_message(line.description.clone());
            let bar = screen.add(bar);
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        if let Some((done, total)) = line.fraction {
            if bar.length() != Some(total) {
                bar.set_length(total);
                bar.set_style(style("{spinner} {msg} {bar:20} {pos}/{len} {elapsed}"));
            }
            bar.set_position(done);
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Takes the session's events for the lines.
pub(crate) struct Sink(pub(crate) Arc<Progress>);

impl EventSink for Sink {
    fn send(&self, call: &Arc<str>, event: Event) {
        if self.0.screen.is_none() {
            return;
        }
        let mut lines = self.0.lines.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Started { description } => {
                let description: String = description
                    .chars()
                    .map(|c| if c.is_control() { ' ' } else { c })
                    .take(60)
                    .collect();
                let line = Line {
                    description,
                    since: Instant::now(),
                    bar: None,
                    fraction: None,
                };
                lines.insert(Arc::clone(call), line);
            }
            Event::Progress(report) => {
                if let Some(line) = lines.get_mut(call) {
                    line.fraction = report.fraction();
                }
            }
            Event::Ended => {
                if let Some(bar) = lines.remove(call).and_then(|line| line.bar) {
                    bar.finish_and_clear();
                }
            }
            _ => {}
        }
    }
}
