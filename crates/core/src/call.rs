//! The stages of a call, as types.
//!
//! ```text
//! RawCall ──validate──▶ ValidatedCall ──decide──▶ PermittedCall ──start──▶ RunningCall ──▶ Outcome
//!                                          │ ask
//!                                          └────▶ AskedCall ──answer──▶ PermittedCall
//! ```
//!
//! Each stage owns the one before it and has one way in, which does the check. So running a call
//! that was not permitted, making a permit by hand, running one twice, or changing an input after
//! permission does not compile. From every stage there is a way to an [`Outcome`](crate::Outcome).

mod asked;
mod permitted;
mod raw;
mod validated;

pub use asked::{Answer, Answered, AskedCall};
pub use permitted::{Abandon, PermittedCall, RunningCall};
pub use raw::RawCall;
pub use validated::{Decided, ValidatedCall};
