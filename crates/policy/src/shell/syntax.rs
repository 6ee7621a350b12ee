//! The syntax of a command line: a tree that keeps quoting, and a parser that makes it.
//!
//! This is not all of bash. What the parser does not know it refuses, and what it knows to be
//! beyond any parser (arithmetic over variables, `${x@P}`, indirection) it notes as undecidable
//! and goes on, so that a deny rule still sees the rest.

use std::cell::OnceCell;
use std::rc::Rc;

mod compound;
mod condition;
mod cursor;
mod dollar;
mod grammar;
mod heredoc;
mod parameter;
mod redirect;
mod simple;
mod word;

#[cfg(test)]
mod tests;

pub(super) use cursor::{is_name, parse};

/// How deep constructs may nest, substitutions and nested shells included.
pub(super) const MAX_DEPTH: usize = 64;

/// Commands one after the other.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) items: Vec<Item>,
}

/// One entry of a script: pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) first: Pipeline,
    pub(super) rest: Vec<(Join, Pipeline)>,
    pub(super) in_background: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
}

#[derive(Debug)]
pub(super) struct Pipeline {
    pub(super) negated: bool,
    pub(super) stages: Vec<Stage>,
}

/// One command with its redirections.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) body: Body,
    pub(super) redirects: Vec<Redirect>,
}

#[derive(Debug)]
pub(super) enum Body {
    Simple {
        assigns: Vec<Assign>,
        words: Vec<RawWord>,
    },
    Group(Script),
    Subshell(Script),
    If {
        arms: Vec<(Script, Script)>,
        otherwise: Option<Script>,
    },
    For {
        name: String,
        words: Option<Vec<RawWord>>,
        body: Script,
    },
    ArithmeticFor {
        head: Vec<Part>,
        body: Script,
    },
    While {
        test: Script,
        body: Script,
    },
    Case {
        subject: RawWord,
        arms: Vec<(Vec<RawWord>, Script)>,
    },
    Function {
        name: String,
        body: Box<Stage>,
    },
    Condition(Vec<CondToken>),
    Arithmetic(Vec<Part>),
    Coprocess(Box<Stage>),
}

/// A piece of `[[ … ]]`.
#[derive(Debug)]
pub(super) enum CondToken {
    Word(RawWord),
    /// `&&`, `||`, `!`, `(`, `)`, `<`, `>`.
    Operator(&'static str),
}

/// `name=value`, `name+=value`, `name[index]=value` or `name=(…)`.
#[derive(Debug)]
pub(super) struct Assign {
    pub(super) name: String,
    pub(super) raw: String,
    pub(super) is_append: bool,
    pub(super) has_index: bool,
    pub(super) value: AssignValue,
}

#[derive(Debug)]
pub(super) enum AssignValue {
    Word(RawWord),
    Array(Vec<RawWord>),
}

/// A word as it stands in the text.
#[derive(Debug, Clone)]
pub(super) struct RawWord {
    pub(super) raw: String,
    pub(super) parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Whether quotes keep it from being split and matched against file names.
    pub(super) quoted: bool,
    pub(super) kind: PartKind,
}

#[derive(Debug, Clone)]
pub(super) enum PartKind {
    Text(String),
    Parameter(Parameter),
    Substitution(Rc<Script>),
    Process { script: Rc<Script> },
    Arithmetic(Vec<Part>),
}

/// `$name` or `${name…}`.
#[derive(Debug, Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) has_index: bool,
    /// The operator after the name: `:-`, `#`, `//`, …; empty if there is none.
    pub(super) operator: String,
    /// What follows the operator.
    pub(super) operand: Vec<Part>,
}

#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) raw: String,
    pub(super) kind: RedirectKind,
}

#[derive(Debug)]
pub(super) enum RedirectKind {
    /// `<`
    Read(RawWord),
    /// `>`, `>>`, `>|`, `&>`, `&>>`, and `>&` with a name
    Write(RawWord),
    /// `<>`
    ReadWrite(RawWord),
    /// `<&` and `>&` with a number or `-`
    Copy,
    /// `>&` or `<&` with something that is only known later
    UnknownCopy(RawWord),
    /// `<<<`
    HereString(RawWord),
    /// `<<`: filled when the parser comes to the lines.
    HereDocument(Rc<OnceCell<Vec<Part>>>),
}

/// Why the parser stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) reason: String,
}

impl Refusal {
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self {
            reason: reason.into(),
        }
    }
}
