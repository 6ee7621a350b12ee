//! The core of toolpost: what a tool is, and the stages that a call goes through.
//!
//! It decides and does nothing else. There is no I/O here, no runtime, no clock and no
//! environment; those come with the driver (`toolpost-run`) and the tools.
//!
//! Three files to read first: [`Tool`] (what a tool says of itself), [`call`] (the stages as
//! types), [`Policy`] (who may run what).

pub mod call;
pub mod contract;
#[doc(hidden)]
pub mod json;

mod builder;
mod cancel;
mod content;
mod context;
mod definition;
mod effects;
mod erased;
mod error;
mod event;
mod facts;
mod footprint;
mod ledger;
mod outcome;
mod policy;
mod state;
mod subject;
mod tool;
mod toolbox;
mod working_folder;

pub use builder::{BuiltTool, DynamicTool, ToolBuilder};
pub use call::{
    Abandon, Answer, Answered, AskedCall, Decided, PermittedCall, RawCall, RunningCall,
    ValidatedCall,
};
pub use cancel::CancellationToken;
pub use content::Content;
pub use context::{BoxFuture, Context, Dispatch, Surroundings};
pub use contract::{
    Contract, ContractError, Limits, OutputContract, Problem, ReadOptions, Refusal, Repair,
};
pub use definition::{Definition, Exposure, FailureReach, ToolLimits};
pub use effects::Effects;
pub use error::ToolError;
pub use event::{Event, EventSink, NoProgress, Progress, Report, Steps};
pub use facts::{Facts, Links, NoLinks};
pub use footprint::{Access, Claim, Footprint, Scope};
pub use ledger::{Ledger, Place};
pub use outcome::{ErrorKind, FormVersion, Outcome, OutcomeError, Status, Stop, Time, Wait};
pub use policy::{
    Binding, CommandStep, DecidedBy, Decision, Explanation, Policy, SimplePolicy, TraceStep,
    Verdict,
};
pub use state::{Needs, State};
pub use subject::Subject;
pub use tool::{Check, Tool};
pub use toolbox::{Toolbox, ToolboxError};
pub use working_folder::WorkingFolder;

/// The code of a tool error that says that the definition has no command to run.
pub const NO_COMMAND: &str = "no_command";

/// What `#[tool]` needs; not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use schemars;
    pub use serde;
}
