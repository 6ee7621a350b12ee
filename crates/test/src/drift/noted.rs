//! An error that keeps the names serde says it would have taken.

use std::fmt;

use serde::de;

/// What serde said when it refused.
#[derive(Debug, Clone)]
pub(super) struct Noted {
    message: String,
    /// The fields it would have taken, aliases among them.
    pub(super) fields: &'static [&'static str],
    /// The variants it would have taken, aliases among them.
    pub(super) variants: &'static [&'static str],
}

impl Noted {
    fn new(message: String) -> Self {
        Self {
            message,
            fields: &[],
            variants: &[],
        }
    }
}

impl fmt::Display for Noted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Noted {}

impl de::Error for Noted {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn unknown_field(field: &str, fields: &'static [&'static str]) -> Self {
        Self {
            fields,
            ..Self::new(format!("unknown field `{field}`"))
        }
    }

    fn unknown_variant(variant: &str, variants: &'static [&'static str]) -> Self {
        Self {
            variants,
            ..Self::new(format!("unknown variant `{variant}`"))
        }
    }
}
