//! What a text can have wrong, and where.

use super::Path;

/// Why a text was refused. Its text is written for the model that wrote the JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{fault}{}", self.position())]
pub struct SyntaxError {
    /// What is wrong.
    pub fault: SyntaxFault,
    /// Byte of the text at which it was seen, from 0.
    pub offset: usize,
    /// Line of that byte, from 1.
    pub line: usize,
    /// Character in that line, from 1.
    pub column: usize,
    /// The innermost value that was being read.
    pub path: Path,
}

/// The kinds of fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxFault {
    /// A character that JSON does not have there.
    #[error("{found} where JSON needs {wanted}")]
    Unexpected {
        /// What stands there, worded.
        found: String,
        /// What could stand there, with the usual remedy.
        wanted: &'static str,
    },
    /// The text stops too early.
    #[error(
        "the JSON ends in the middle of {0}; it was probably cut off: send the whole call again"
    )]
    Truncated(&'static str),
    /// More objects and arrays inside one another than the limit.
    #[error("objects and arrays are nested more than {0} deep; send a flatter value")]
    TooDeep(usize),
    /// More bytes than the limit.
    #[error("the arguments are {bytes} bytes long; at most {limit} are taken: send less at once")]
    TooLarge {
        /// Bytes that came.
        bytes: usize,
        /// Bytes that are taken.
        limit: usize,
    },
    /// One name twice in one object.
    #[error("the field `{0}` is given twice in one object; give it once")]
    DuplicateName(String),
    /// Something after the value.
    #[error("{0} after the end of the JSON value; send one value and nothing else")]
    Trailing(String),
    /// Half of a `\u` pair, which stands for no character.
    #[error(
        "a `\\u` escape is half of a surrogate pair; write the whole pair, or the character itself"
    )]
    LoneSurrogate,
    /// No finite double.
    #[error("the number `{0}` is too large; a number lies between -1.8e308 and 1.8e308")]
    NumberRange(String),
}

impl SyntaxError {
    /// Line and column as an addition; a text that is too large was not read, so it has none.
    fn position(&self) -> String {
        match self.fault {
            SyntaxFault::TooLarge { .. } => String::new(),
            _ => format!(" (line {}, column {})", self.line, self.column),
        }
    }

    /// An error at `offset` of `text`.
    #[cold]
    pub(super) fn new(fault: SyntaxFault, text: &str, offset: usize, path: Path) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            fault,
            offset,
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or("").chars().count() + 1,
            path,
        }
    }
}
