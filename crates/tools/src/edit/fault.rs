//! Why an edit cannot be made, before it is told to a model.

use toolpost_core::ToolError;

use super::hint;
use crate::text::{Coding, Encoding};

/// Why an edit cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is nothing to look for, and the file is not empty.
    EmptyOld,
    /// Old and new text are the same.
    SameText,
    /// The text is not there.
    NoMatch,
    /// The text is there more than once; the lines of the first few.
    NotUnique { count: usize, lines: Vec<usize> },
    /// The file's encoding does not have this character.
    Unwritable { c: char, encoding: Encoding },
}

impl Fault {
    /// The error for a model. `shown` is the file's name, `bytes` its content.
    pub(crate) fn into_error(
        self,
        shown: &str,
        bytes: &[u8],
        coding: Coding,
        old: &str,
    ) -> ToolError {
        match self {
            Self::EmptyOld => ToolError::new(
                "empty_old_string",
                format!(
                    "`old_string` is empty, which is only for making a file or filling an empty one, \
                     and `{shown}` is not empty; give the text to replace"
                ),
            ),
            Self::SameText => ToolError::new(
                "same_text",
                "`old_string` and `new_string` are the same, so there is nothing to change",
            ),
            Self::NotUnique { count, lines } => {
                let more = if count > lines.len() { ", …" } else { "" };
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                ToolError::new(
                    "not_unique",
                    format!(
                        "`old_string` is {count} times in `{shown}` (lines {}{more}); add lines around \
                         it until it is there once, or set `replace_all`",
                        lines.join(", ")
                    ),
                )
            }
            Self::Unwritable { c, encoding } => ToolError::new(
                "unwritable",
                format!(
                    "`{shown}` is written in {}, which has no `{}` (U+{:04X}); use other characters",
                    encoding.name(),
                    c.escape_debug(),
                    u32::from(c)
                ),
            ),
            Self::NoMatch => {
                let hint = hint::nearest(bytes, coding, old);
                ToolError::new(
                    "no_match",
                    format!("`old_string` is not in `{shown}`; {hint}"),
                )
            }
        }
    }
}
