//! Passes a call's events on, and remembers when its tool was last heard of.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;
use toolpost_core::{Event, EventSink};

use crate::events::EventQueue;

/// Watches one call.
pub(crate) struct Watch {
    queue: EventQueue,
    session: Option<Arc<dyn EventSink>>,
    started: Arc<AtomicBool>,
    heard: Mutex<Option<Instant>>,
}

impl Watch {
    pub(crate) fn new(queue: EventQueue, session: Option<Arc<dyn EventSink>>) -> Self {
        Self {
            queue,
            session,
            started: Arc::default(),
            heard: Mutex::default(),
        }
    }

    /// Set when the tool has begun.
    pub(crate) fn started(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.started)
    }

    pub(crate) fn start(&self) {
        self.started.store(true, Ordering::Release);
    }

    /// When the tool last reported progress.
    pub(crate) fn last_heard(&self) -> Option<Instant> {
        *self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Watch {
    fn send(&self, call: &Arc<str>, event: Event) {
        if matches!(event, Event::Progress(_)) {
            let now = Some(Instant::now());
            *self.heard.lock().unwrap_or_else(PoisonError::into_inner) = now;
        }
        if let Some(session) = &self.session {
            session.send(call, event.clone());
        }
        self.queue.push(event);
    }
}
