//! What the tools that change files have in common: their claims, and the question whether the
//! file is still the one that was seen.

use std::path::Path;

use toolpost_core::{Facts, Footprint, Scope, ToolError};

use crate::file_state::{Change, FileState, Standing};
use crate::save::Before;
use crate::text::{Coding, Eol, HEAD, LfView, Look, look_at};
use crate::{failure, place};

/// Writes and reads the file; a folder that has to be made for it is claimed with all below it.
pub(crate) fn footprint(path: &Path, facts: &Facts) -> Footprint {
    claim(Footprint::nothing(), path, facts)
}

/// The same besides other claims.
pub(crate) fn claim(claims: Footprint, path: &Path, facts: &Facts) -> Footprint {
    let path = facts.resolve(path);
    let claims = claims
        .reading(Scope::file(&path))
        .writing(Scope::file(&path));
    match place::topmost_missing(&path) {
        Some(folder) => claims.writing(Scope::tree(folder)),
        None => claims,
    }
}

/// An error when the file was never seen, or is not as it was seen.
pub(crate) fn check(
    state: &FileState,
    path: &Path,
    before: &Before,
    change: Change,
    shown: &str,
) -> Result<(), ToolError> {
    // There is nothing in an empty file that could be lost.
    if before.bytes.is_empty() {
        return Ok(());
    }
    match state.standing(path, &before.metadata, &before.bytes, change) {
        Standing::Fresh => Ok(()),
        Standing::NotRead => Err(failure::not_read(shown)),
        Standing::Stale => Err(failure::stale(shown)),
    }
}

/// Judges the first part of a file's bytes.
pub(crate) fn look(bytes: &[u8]) -> Look {
    look_at(bytes.get(..HEAD).unwrap_or(bytes))
}

/// How a file's text is written; an error when it is no text.
pub(crate) fn coding(bytes: &[u8], shown: &str) -> Result<Coding, ToolError> {
    match look(bytes) {
        Look::Text(coding) => Ok(coding),
        Look::Binary(what) => {
            let message = format!(
                "`{shown}` is {}, not text; use a command to change it",
                what.name()
            );
            Err(ToolError::new("binary", message))
        }
    }
}

/// The line ending that a file's new text gets: the one that most of its lines have. Nothing for
/// a file without lines, whose new text is taken literally.
pub(crate) fn eol_of(before: Option<&Before>, coding: Coding) -> Option<Eol> {
    let raw = before?.bytes.get(coding.mark_len()..)?;
    let view = LfView::new(raw, coding.encoding);
    view.has_breaks().then(|| view.dominant())
}
