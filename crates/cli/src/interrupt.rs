//! Signals that ask a run to end.

use std::fs;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for signals that ask this process to end.
pub(crate) struct Interrupts(Vec<Signal>);

impl Interrupts {
    /// Listens from now on. A hang-up that this process was started to ignore, as `nohup` does, stays
    /// ignored. The others do not: a shell has what it starts in the background ignore interrupts.
    pub(crate) fn listen() -> Self {
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        if !is_ignored(SignalKind::hangup()) {
            kinds.push(SignalKind::hangup());
        }
        let signals = kinds.into_iter().filter_map(|kind| signal(kind).ok());
        Self(signals.collect())
    }

    /// Ends with the next one.
    pub(crate) async fn next(&mut self) {
        std::future::poll_fn(|cx| {
            let mut come = self.0.iter_mut().map(|signal| signal.poll_recv(cx));
            if come.any(|poll| matches!(poll, std::task::Poll::Ready(Some(())))) {
                std::task::Poll::Ready(())
            } else {
                std::task::Poll::Pending
            }
        })
        .await;
    }
}

/// Whether this process ignores a signal; not where that cannot be told.
fn is_ignored(kind: SignalKind) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    // The first signal is the lowest bit.
    mask.unwrap_or_default() >> (kind.as_raw_value() - 1) & 1 == 1
}
