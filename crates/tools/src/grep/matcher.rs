//! The pattern, the globs and the types of a search, with errors that say what would be right.

use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use ignore::types::{Types, TypesBuilder};
use toolpost_core::ToolError;

use super::GrepInput;
use crate::near;

/// The pattern made ready. A text that holds a line break can only be found across lines.
pub(super) fn pattern(input: &GrepInput) -> Result<RegexMatcher, ToolError> {
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(input.ignore_case)
        .fixed_strings(input.fixed_strings);
    builder
        .multi_line(true)
        .dot_matches_new_line(is_multiline(input));
    // `$` is to match before a CR LF too; only a pattern that has it needs the slower way.
    if !input.fixed_strings && input.pattern.contains('$') {
        builder.crlf(true);
    } else if !is_multiline(input) {
        builder.line_terminator(Some(b'\n'));
    }
    builder
        .build(&input.pattern)
        .map_err(|error| fault(input, &error.to_string()))
}

/// Whether matches may span lines.
pub(super) fn is_multiline(input: &GrepInput) -> bool {
    input.multiline || input.pattern.contains('\n')
}

fn fault(input: &GrepInput, said: &str) -> ToolError {
    let hint = if said.contains("look-around") || said.contains("backreferences") {
        "look-around and backreferences are not supported; search for something simpler, or filter \
         the result"
    } else if said.contains("\\n") && said.contains("not allowed") {
        "set `multiline` to match across lines"
    } else {
        "mend the expression, or set `fixed_strings` to search for it as plain text"
    };
    let said = said
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    ToolError::new(
        "bad_pattern",
        format!("`{}` cannot be searched for: {hint}\n{said}", input.pattern),
    )
}

/// Which files of a folder are searched, by their path in it.
pub(super) struct Filter {
    glob: Option<(GlobMatcher, bool)>,
}

impl Filter {
    pub(super) fn of(input: &GrepInput) -> Result<Self, ToolError> {
        let Some(glob) = &input.glob else {
            return Ok(Self { glob: None });
        };
        let (glob, is_negated) = match glob.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => (glob.as_str(), false),
        };
        // Without a slash it is for names anywhere.
        let whole = match glob.strip_prefix('/') {
            Some(rest) => rest.to_owned(),
            None if glob.contains('/') => glob.to_owned(),
            None => format!("**/{glob}"),
        };
        let made = GlobBuilder::new(&whole)
            .literal_separator(true)
            .build()
            .map_err(|error| {
                let message = format!("`{glob}` is not a glob pattern: {}", error.kind());
                ToolError::new("bad_pattern", message)
            })?;
        Ok(Self {
            glob: Some((made.compile_matcher(), is_negated)),
        })
    }

    pub(super) fn lets_through(&self, path: &Path, folder: &Path) -> bool {
        match &self.glob {
            Some((glob, is_negated)) => {
                let relative = path.strip_prefix(folder).unwrap_or(path);
                glob.is_match(relative) != *is_negated
            }
            None => true,
        }
    }
}

/// The file type asked for, where one was.
pub(super) fn types(input: &GrepInput) -> Result<Option<Types>, ToolError> {
    let Some(name) = &input.r#type else {
        return Ok(None);
    };
    let mut builder = TypesBuilder::new();
    builder.add_defaults();
    builder.select(name);
    match builder.build() {
        Ok(types) => Ok(Some(types)),
        Err(_) => {
            let known = builder
                .definitions()
                .into_iter()
                .map(|known| known.name().to_owned());
            let near = near::did_you_mean(&near::near_among(name, known));
            let hint = if near.is_empty() {
                "; use `glob` instead"
            } else {
                ""
            };
            Err(ToolError::new(
                "unknown_type",
                format!("there is no file type `{name}`{near}{hint}"),
            ))
        }
    }
}
