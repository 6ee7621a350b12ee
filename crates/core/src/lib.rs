//! The core of toolpost: what a tool is, and the stages that a call goes through.
//!
//! It decides and does nothing else. There is no I/O here, no runtime, no clock and no
//! environment; those come with the driver (`toolpost-run`) and the tools.

pub mod contract;
#[doc(hidden)]
pub mod json;
