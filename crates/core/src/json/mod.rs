//! Strict, bounded JSON, read into a borrowed tree.
//!
//! Arguments of a call come from a model as text. This module turns that text into a tree that
//! borrows from it ([`parse`]), lets the schema validator look at the tree without a copy
//! ([`Tree`]), and lets serde read it ([`NodeDeserializer`]). It knows no schema and no tool.
//!
//! Stricter than JSON has to be: a member given twice, a lone surrogate, a number that is no
//! finite double, too deep and too large texts are refused. The tree lives in an arena that is
//! kept from call to call ([`Scratch`]), so a call costs no allocation for it.

mod deserialize;
mod deserialize_enum;
mod deserialize_key;
mod error;
mod lexer;
mod number;
mod parser;
mod path;
mod scratch;
mod string;
mod tree;
mod trouble;
mod validate;

pub use deserialize::NodeDeserializer;
pub use error::{SyntaxError, SyntaxFault};
pub use number::Number;
pub use parser::parse;
pub use path::{Path, Segment};
pub use scratch::{Scratch, Stacks, with_scratch};
pub use tree::Node;
pub use trouble::{Told, Trouble, Untold};
pub use validate::Tree;

/// How large and how deep a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Objects and arrays inside one another; 96 when nothing else is said, never more than
    /// [`Limits::MAX_DEPTH`], because every reader of the tree goes down it by recursion.
    pub depth: usize,
    /// Bytes of the whole text; 4 MiB when nothing else is said.
    pub bytes: usize,
}

impl Limits {
    /// The depth that no setting can raise.
    pub const MAX_DEPTH: usize = 128;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 96,
            bytes: 4 << 20,
        }
    }
}

#[cfg(test)]
mod tests;
