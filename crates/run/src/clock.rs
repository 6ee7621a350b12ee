//! Milliseconds since the session began.

use tokio::time::Instant;

/// The session's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    /// Milliseconds, to the microsecond.
    pub(crate) fn ms(self) -> f64 {
        (self.0.elapsed().as_secs_f64() * 1_000_000.0).round() / 1_000.0
    }
}
