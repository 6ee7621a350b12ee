//! Blocking work for an async call: off the runtime's threads, stopped soon, effects at one point.
//!
//! A call may be cancelled, or its future may just be dropped. Either way the work must end soon
//! and must not change anything afterwards. So the work asks [`Stop::check`] between its steps,
//! and makes its one lasting effect inside [`Stop::commit`], which shuts out the drop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(feature = "media")]
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
#[cfg(feature = "media")]
use std::time::{Duration, Instant};

use toolpost_core::{CancellationToken, Context, ToolError};

use crate::failure;

/// Tells work to stop, and keeps its effects from coming after it was given up.
#[derive(Clone)]
pub(crate) struct Stop {
    given_up: Arc<GivenUp>,
    cancel: CancellationToken,
    /// After so many checks the work is stopped, to try every place where it could be.
    #[cfg(test)]
    checks_left: Option<Arc<std::sync::atomic::AtomicUsize>>,
}

#[derive(Default)]
struct GivenUp {
    flag: AtomicBool,
    /// Held while a lasting effect is made.
    gate: Mutex<()>,
}

impl Stop {
    pub(crate) fn new(cancel: CancellationToken) -> Self {
        Self {
            given_up: Arc::default(),
            cancel,
            #[cfg(test)]
            checks_left: None,
        }
    }

    /// Stops the work at its check of this number.
    #[cfg(test)]
    pub(crate) fn after_checks(count: usize) -> Self {
        let checks_left = Some(Arc::new(std::sync::atomic::AtomicUsize::new(count)));
        Self {
            checks_left,
            ..Self::new(CancellationToken::new())
        }
    }

    /// Whether the work is to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.given_up.flag.load(Ordering::Acquire) || self.cancel.is_cancelled()
    }

    /// An error once the work is to stop, for `?` between steps.
    pub(crate) fn check(&self) -> Result<(), ToolError> {
        #[cfg(test)]
        if let Some(left) = &self.checks_left
            && left
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(1)
                })
                .is_err()
        {
            return Err(failure::cancelled());
        }
        if self.is_stopped() {
            Err(failure::cancelled())
        } else {
            Ok(())
        }
    }

    /// Makes a lasting effect, unless the work is to stop. Whoever gives the work up meanwhile
    /// waits until the effect is whole.
    pub(crate) fn commit<T>(
        &self,
        effect: impl FnOnce() -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        let _gate = self
            .given_up
            .gate
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.check()?;
        effect()
    }
}

/// Why guarded work gave nothing back.
#[cfg(feature = "media")]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    Panicked,
    TimedOut,
    Stopped,
}

/// Runs the code of others on foreign bytes: on a thread with room for deep nesting, where it may
/// panic, and no longer than `time`. What does not end by itself is left behind, since a thread
/// cannot be ended.
#[cfg(feature = "media")]
pub(crate) fn guarded<T: Send + 'static>(
    time: Duration,
    stop: &Stop,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Broken> {
    const STACK: usize = 64 << 20;
    const STEP: Duration = Duration::from_millis(20);
    let (sender, receiver) = mpsc::channel();
    let work = move || {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        // Nobody listens any more when the time was up.
        let _ = sender.send(result);
    };
    let thread = std::thread::Builder::new()
        .name("toolpost-guarded".to_owned())
        .stack_size(STACK);
    thread.spawn(work).map_err(|_| Broken::TimedOut)?;
    let until = Instant::now() + time;
    loop {
        match receiver.recv_timeout(STEP) {
            Ok(result) => return result.map_err(|_| Broken::Panicked),
            Err(RecvTimeoutError::Disconnected) => return Err(Broken::Panicked),
            Err(RecvTimeoutError::Timeout) if stop.is_stopped() => return Err(Broken::Stopped),
            Err(RecvTimeoutError::Timeout) if Instant::now() > until => {
                return Err(Broken::TimedOut);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Gives the work up when it is dropped.
struct GiveUp(Arc<GivenUp>);

impl Drop for GiveUp {
    fn drop(&mut self) {
        self.0.flag.store(true, Ordering::Release);
        // An effect that has begun is let finish: half a file is worse than a short wait.
        drop(self.0.gate.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Runs blocking work off the runtime's threads; dropping the future gives it up.
pub(crate) async fn blocking<P, T: Send + 'static>(
    cx: &Context<P>,
    work: impl FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let stop = Stop::new(cx.cancel().clone());
    let _give_up = GiveUp(Arc::clone(&stop.given_up));
    match tokio::task::spawn_blocking(move || work(&stop)).await {
        Ok(result) => result,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        Err(_) => Err(failure::cancelled()),
    }
}
