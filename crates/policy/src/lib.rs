//! What a call may do: the rules of toolpost, and a shell that is understood.
//!
//! Nothing here reads a file, an environment variable or a clock, or starts a process: what must
//! be known of the machine comes in as an argument.

pub mod shell;
