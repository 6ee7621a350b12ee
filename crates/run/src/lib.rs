//! The driver: a [`Session`] takes calls and gives exactly one outcome for each.
//!
//! The core decides; this crate has the clock, the tasks and the folder that long results go to.
//! A call that is admitted is driven to its end in a task of its own, in the order that the core's
//! ledger allows. What the driver does not do: touch files or processes on a model's behalf.

mod approve;
mod asking;
mod budget;
mod clock;
mod drive;
mod events;
mod handle;
mod hook;
#[cfg(feature = "journal")]
pub mod journal;
mod limits;
mod nested;
mod permit;
mod plan;
mod record;
mod session;
#[cfg(feature = "journal")]
pub mod session_file;
mod store;
mod turns;
mod watch;

pub use approve::{Approver, Nobody, OnceEach};
pub use budget::{BatchBudget, Budget};
pub use events::CallEvents;
pub use handle::CallHandle;
pub use hook::{Hook, HookAnswer};
pub use plan::Planner;
pub use session::{Deadlines, Session, SessionBuilder};
pub use store::{CallKey, CallStore, NotedCall, StoreError};
