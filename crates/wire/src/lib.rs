//! Tool calls in, answers out, in the form of each provider. Pure conversions: no I/O, no state.
//!
//! [`read`] takes one JSON message apart into calls and keeps what is needed to answer it;
//! [`Message::reply`] writes the outcomes in the form that the message came in. A wire form is
//! one file in `message/`, with the reading and the writing side by side. [`Dialect`] is the same for
//! definitions, and [`lint`] checks them.

mod dialect;
mod format;
mod lint;
mod message;
mod names;

pub use dialect::{Dialect, Loss, Lowered, UnknownDialect};
pub use format::{Format, UnknownFormat};
pub use lint::{Finding, lint};
pub use message::{Message, Misshapen, read};
