//! The events of one call as a stream.
//!
//! The queue cannot grow: a call has a handful of events besides progress, and a report of
//! progress that nobody has read yet is replaced by the next.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_core::Stream;
use toolpost_core::Event;

#[derive(Default)]
struct Queue {
    events: VecDeque<Event>,
    is_closed: bool,
    reader: Option<Waker>,
}

/// Where the driver puts the events of one call.
#[derive(Clone, Default)]
pub(crate) struct EventQueue(Arc<Mutex<Queue>>);

impl EventQueue {
    pub(crate) fn push(&self, event: Event) {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let (Event::Progress(_), Some(last @ Event::Progress(_))) =
            (&event, queue.events.back_mut())
        {
            *last = event;
        } else {
            queue.is_closed = matches!(event, Event::Ended);
            queue.events.push_back(event);
        }
        if let Some(reader) = queue.reader.take() {
            reader.wake();
        }
    }

    pub(crate) fn reader(&self) -> CallEvents {
        CallEvents(self.clone())
    }
}

/// The events of one call, up to [`Event::Ended`]. Progress that was not read in time is skipped,
/// never the newest.
pub struct CallEvents(EventQueue);

impl CallEvents {
    /// The next event; none after the end.
    pub async fn next(&mut self) -> Option<Event> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

impl Stream for CallEvents {
    type Item = Event;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut queue = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        match queue.events.pop_front() {
            Some(event) => Poll::Ready(Some(event)),
            None if queue.is_closed => Poll::Ready(None),
            None => {
                queue.reader = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl std::fmt::Debug for CallEvents {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallEvents")
    }
}
