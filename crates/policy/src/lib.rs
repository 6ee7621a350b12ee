//! What a call may do: the rules of toolpost, and a shell that is understood.
//!
//! Nothing here reads a file, an environment variable or a clock, or starts a process: what must
//! be known of the machine comes in as an argument.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        clippy::disallowed_macros,
        reason = "the library itself is checked without its tests, which may look at a clock"
    )
)]

pub mod shell;

mod always;
mod binding;
mod case;
mod check;
mod diff;
mod disk;
mod engine;
mod explain;
mod forms;
mod hook;
mod layer;
mod mcp;
mod mode;
mod place;
mod policy;
mod prepared;
mod protect;
mod question;
mod rule;
mod rules;
mod settings;
mod web;

pub use always::Always;
pub use binding::{bind, digest, recheck};
pub use case::{Case, CaseContext, Lists};
pub use check::{Warning, check};
pub use diff::{Change, SampleCall, diff, samples};
pub use disk::{Disk, Folding, ToldDisk};
pub use engine::{Circumstances, decide, trace};
pub use hook::HookAnswer;
pub use layer::{Layer, Source};
pub use mcp::McpTool;
pub use mode::{Mode, Trust, UnknownMode};
pub use place::Place;
pub use policy::{RulePolicy, RulePolicyBuilder};
pub use prepared::Prepared;
pub use protect::Protected;
pub use question::Question;
pub use rule::{Rule, RuleError};
pub use rules::Rules;
pub use settings::{
    Hook, Hooks, Journal, Limits, Permissions, PolicyTest, Server, Settings, SettingsError,
};
