//! What serde says when it cannot read a tree, cheaply or in full.
//!
//! A validated tree is read with [`Untold`], which costs nothing. Only when that fails is the
//! tree read once more with [`Told`], which keeps serde's words and the way to the place.

use std::fmt;

use serde::de;

use super::{Path, Segment};

/// An error that may be told where it happened, on its way up.
pub trait Trouble: de::Error {
    /// It happened inside this member.
    #[must_use]
    fn in_member(self, name: &str) -> Self;
    /// It happened inside this item.
    #[must_use]
    fn in_item(self, index: usize) -> Self;
}

/// Something was wrong; nothing is kept of it.
#[derive(Debug, Clone, Copy)]
pub struct Untold;

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value does not fit the type")
    }
}

impl std::error::Error for Untold {}

impl de::Error for Untold {
    #[cold]
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }

    #[cold]
    fn invalid_type(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self
    }

    #[cold]
    fn invalid_value(_: de::Unexpected<'_>, _: &dyn de::Expected) -> Self {
        Self
    }

    #[cold]
    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }

    #[cold]
    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self
    }

    #[cold]
    fn missing_field(_: &'static str) -> Self {
        Self
    }
}

impl Trouble for Untold {
    #[inline]
    fn in_member(self, _: &str) -> Self {
        self
    }

    #[inline]
    fn in_item(self, _: usize) -> Self {
        self
    }
}

/// What was wrong, in serde's words, and where.
#[derive(Debug, Clone)]
pub struct Told {
    message: String,
    /// Innermost first.
    steps: Vec<Segment>,
}

impl Told {
    /// The place and the words.
    #[must_use]
    pub fn into_parts(self) -> (Path, String) {
        (Path::from_innermost(self.steps), self.message)
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Told {}

impl de::Error for Told {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            message: message.to_string(),
            steps: Vec::new(),
        }
    }
}

impl Trouble for Told {
    fn in_member(mut self, name: &str) -> Self {
        self.steps.push(Segment::Name(name.to_owned()));
        self
    }

    fn in_item(mut self, index: usize) -> Self {
        self.steps.push(Segment::Index(index));
        self
    }
}
