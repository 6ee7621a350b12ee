//! What is wrong with a patch, told to a model.

use toolpost_core::ToolError;

use super::fit::Misfit;
use super::parse::{Fault, Hunk};
use crate::edit::nearest;
use crate::text::Coding;

/// The error for a text that is no patch.
pub(super) fn no_patch(fault: &Fault) -> ToolError {
    let message = format!(
        "the patch is wrong at line {}: {}",
        fault.line, fault.message
    );
    ToolError::new("invalid_patch", message)
}

/// The error for a file that a patch names again.
pub(super) fn twice(shown: &str, first: usize, second: usize) -> ToolError {
    let message = format!(
        "`{shown}` is named twice, at lines {first} and {second}; put all changes of a file into \
         one section, and use Write to make a file anew"
    );
    ToolError::new("named_twice", message)
}

/// The error for a link that is not to be moved or deleted.
pub(super) fn is_link(shown: &str) -> ToolError {
    let message = format!(
        "`{shown}` is a link; name the file that it leads to, or use a command for the link"
    );
    ToolError::new("is_link", message)
}

/// The error for a section that leaves all as it is.
pub(super) fn nothing_changes(shown: &str) -> ToolError {
    let message = format!("the patch leaves `{shown}` as it is; leave that section out");
    ToolError::new("same_text", message)
}

/// The error for a hunk that does not fit.
pub(super) fn misfit(
    hunk: &Hunk,
    misfit: Misfit,
    shown: &str,
    bytes: &[u8],
    coding: Coding,
) -> ToolError {
    let at = format!("the hunk at line {} of the patch", hunk.line);
    let (code, message) = match misfit {
        Misfit::NoAnchor(anchor) => (
            "no_anchor",
            format!(
                "{at} is to go below `{anchor}`, and `{shown}` has no such line after the hunk before; \
                 put a whole line of the file after `@@`"
            ),
        ),
        Misfit::NoPlace => (
            "no_anchor",
            format!(
                "{at} only adds lines to `{shown}` and does not say where; add a line that stays, an \
                 `@@` with the line above, or `*** End of File`"
            ),
        ),
        Misfit::NoMatch => {
            let old: Vec<&str> = hunk.old_lines().collect();
            let hint = nearest(bytes, coding, &old.join("\n"));
            ("no_match", format!("{at} is not in `{shown}`; {hint}"))
        }
        Misfit::OutOfOrder(line) => (
            "no_match",
            format!(
                "{at} is in `{shown}` only at line {line}, before the end of the hunk before it; put \
                 the hunks in the order of the file, and each line into one of them"
            ),
        ),
        Misfit::NotAtEnd => (
            "no_match",
            format!("{at} is in `{shown}`, but not at its end; leave `*** End of File` out"),
        ),
        Misfit::NotUnique { count, lines } => {
            let more = if count > lines.len() { ", …" } else { "" };
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let message = format!(
                "{at} fits `{shown}` at {count} places (lines {}{more}); add more lines that stay, or \
                 an `@@` with a line above that is there once",
                lines.join(", ")
            );
            ("not_unique", message)
        }
        Misfit::Unwritable(fault) => {
            let error = fault.into_error(shown, bytes, coding, "");
            ("unwritable", format!("{at}: {}", error.message()))
        }
    };
    ToolError::new(code, message)
}

/// All that is wrong, in one error.
pub(super) fn nothing_done(errors: &[ToolError]) -> ToolError {
    let code = errors.first().map_or("failed", ToolError::code).to_owned();
    let operator: Vec<&str> = errors.iter().filter_map(ToolError::operator_text).collect();
    let message = match errors {
        [only] => format!("nothing was changed: {}", only.message()),
        several => {
            let lines: Vec<String> = several
                .iter()
                .map(|error| format!("- {}", error.message()))
                .collect();
            format!(
                "nothing was changed, for {} reasons:\n{}",
                several.len(),
                lines.join("\n")
            )
        }
    };
    let error = ToolError::new(code, message);
    if operator.is_empty() {
        error
    } else {
        error.with_operator_text(operator.join("; "))
    }
}
