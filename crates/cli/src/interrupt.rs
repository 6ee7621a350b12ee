//! Signals that ask a run to end.

use std::fs;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Waits for signals that ask this process to end.
pub(crate) struct Interrupts(Vec<Signal>);

impl Interrupts {
    /// Listens from now on. Signals that this process was started to ignore, as `nohup` does, stay
    /// ignored.
    pub(crate) fn listen() -> Self {
        let kinds = [
            SignalKind::interrupt(),
            SignalKind::terminate(),
            SignalKind::hangup(),
        ];
        let ignored = ignored();
        let wanted = kinds
            .into_iter()
            .filter(|kind| ignored >> (kind.as_raw_value() - 1) & 1 == 0);
        Self(wanted.filter_map(|kind| signal(kind).ok()).collect())
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

/// The signals that are ignored, the first in the lowest bit; none where that cannot be told.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or_default()
}
