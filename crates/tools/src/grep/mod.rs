//! `Grep`: searches the content of files with a regular expression.
//!
//! Answers with the files that match, newest first, or with the matching lines, or with counts.
//! The order does not depend on chance: newest first, ties by path. Ignored files and `.git` are
//! left out, binary files are skipped and counted, and UTF-16 with a byte order mark is searched
//! like UTF-8. 250 files or lines are shown, 500 characters of a line round the match, 64 KiB in
//! all, and what was left out is told. A pattern that is none is an error; that nothing matches is
//! an answer.

mod found;
mod matcher;
mod render;
mod search;

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{
    Content, Context, Effects, Facts, Footprint, Scope, Steps, Subject, Tool, ToolError,
};

use crate::work::blocking;
use crate::{place, walk};

/// The tool `Grep`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Grep;

/// What [`Grep`] shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(transform = crate::schema::plain_names)]
pub enum OutputMode {
    /// The files that match.
    #[default]
    FilesWithMatches,
    /// The lines that match.
    Content,
    /// How many lines match in each file.
    Count,
}

/// The input of [`Grep`].
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
pub struct GrepInput {
    /// The regular expression to search for (Rust's syntax: no look-around, no backreferences).
    #[schemars(length(min = 1))]
    pub pattern: String,
    /// The file or folder to search; the root when left out.
    pub path: Option<PathBuf>,
    /// Search only files that match this glob, such as `*.ts` or `src/**/*.{js,jsx}`; with `!` in
    /// front, only those that do not.
    pub glob: Option<String>,
    /// Search only files of this type, such as `rust`, `js` or `py`.
    pub r#type: Option<String>,
    /// What to show: `files_with_matches` (when left out), `content` or `count`.
    #[serde(default)]
    pub output_mode: OutputMode,
    /// Take upper and lower case as the same.
    #[serde(default)]
    pub ignore_case: bool,
    /// Show line numbers with `content`; yes when left out.
    pub line_numbers: Option<bool>,
    /// How many lines to show before each match, with `content`.
    #[schemars(range(max = 1_000))]
    pub before: Option<u32>,
    /// How many lines to show after each match, with `content`.
    #[schemars(range(max = 1_000))]
    pub after: Option<u32>,
    /// How many lines to show before and after each match, with `content`.
    #[schemars(range(max = 1_000))]
    pub context: Option<u32>,
    /// Let a match span lines; `.` then matches line breaks as well.
    #[serde(default)]
    pub multiline: bool,
    /// Take the pattern as plain text.
    #[serde(default)]
    pub fixed_strings: bool,
    /// How many files or lines to show; 250 when left out.
    #[schemars(range(min = 1, max = 10_000))]
    pub head_limit: Option<u64>,
    /// How many files or lines to leave out before the first that is shown.
    #[serde(default)]
    pub offset: u64,
}

/// What [`Grep`] found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GrepOutput {
    /// How many files match.
    pub files: u64,
    /// How many lines match, where they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matching_lines: Option<u64>,
    /// How many files or matching lines are shown.
    pub shown: u64,
    /// Whether there are more than are shown.
    pub has_more: bool,
    /// How many paths could not be read.
    pub unreadable: u64,
    /// How many files were skipped because they are no text.
    pub binary: u64,
    /// Whether it was stopped before it was through.
    pub is_cut_short: bool,
    #[serde(skip)]
    #[schemars(skip)]
    text: String,
}

impl Tool<Steps> for Grep {
    type Input = GrepInput;
    type Output = GrepOutput;

    fn name(&self) -> &str {
        "Grep"
    }

    fn description(&self) -> &str {
        "Search the content of files with a regular expression. Shows the files that match, newest \
         first; with `output_mode` the matching lines or their counts."
    }

    fn describe(&self, input: &GrepInput) -> String {
        match &input.path {
            Some(path) => format!("Search for `{}` in {}", input.pattern, path.display()),
            None => format!("Search for `{}`", input.pattern),
        }
    }

    fn search_hint(&self) -> Option<&str> {
        Some("search file contents, regex, find text in files")
    }

    fn effects(&self, _input: &GrepInput) -> Effects {
        Effects::READ_ONLY
    }

    fn footprint(&self, input: &GrepInput, facts: &Facts) -> Footprint {
        let place = place_of(input, facts);
        let path = facts.resolve(&place);
        let footprint = if path.is_file() {
            Footprint::nothing().reading(Scope::file(&path))
        } else {
            walk::footprint(&path, facts)
        };
        place::with_neighbours(footprint, &place, facts)
    }

    fn subjects(&self, input: &GrepInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::reads(place_of(input, facts))]
    }

    fn render(&self, output: &GrepOutput) -> Option<Vec<Content>> {
        Some(vec![Content::text(&output.text)])
    }

    async fn call(&self, input: GrepInput, cx: &Context<Steps>) -> Result<GrepOutput, ToolError> {
        let facts = cx.facts().clone();
        let inner = cx.clone();
        blocking(cx, move |stop| {
            let path = facts.resolve(&place_of(&input, &facts));
            search::search(&input, &path, &facts, stop, inner)
        })
        .await
    }
}

fn place_of(input: &GrepInput, facts: &Facts) -> PathBuf {
    match &input.path {
        Some(path) => place::existing(path, facts),
        None => facts.root().to_path_buf(),
    }
}

impl GrepInput {
    fn limit(&self) -> u64 {
        self.head_limit.unwrap_or(250)
    }

    fn around(&self) -> (usize, usize) {
        let lines = |own: Option<u32>| own.or(self.context).unwrap_or(0) as usize;
        match self.output_mode {
            OutputMode::Content => (lines(self.before), lines(self.after)),
            OutputMode::FilesWithMatches | OutputMode::Count => (0, 0),
        }
    }

    fn within(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}
