//! `Glob`: finds files by a pattern for their paths, newest first.
//!
//! `*` stays within a folder, `**` goes through all below; `{a,b}`, `[a-z]` and `?` work, and a
//! pattern that begins with `!` finds what does not match. A name with brackets in it is found by
//! that very name. Files that ignore files leave out are not found, unless the pattern names an
//! ignored folder in so many words. Files beginning with a dot are; `.git` is not.
//!
//! The 100 newest are shown, ties in the order of their paths, and how many there are in all. That
//! nothing matches is an answer and no error.

mod pattern;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ignore::DirEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Steps, Subject, Tool, ToolError};

use crate::newest::{Newest, Rank};
use crate::place;
use crate::walk::{self, Scope, Walk};
use crate::work::{Stop, blocking};
use pattern::Plan;

const LIMIT: u64 = 100;

/// The tool `Glob`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Glob;

/// The input of [`Glob`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct GlobInput {
    /// The pattern that paths must match, such as `**/*.ts` or `src/{a,b}/*.rs`. `*` does not
    /// cross folders, `**` does.
    #[schemars(length(min = 1))]
    pub pattern: String,
    /// The folder to search; the root when left out.
    pub path: Option<PathBuf>,
    /// How many files to show, newest first; 100 when left out.
    #[schemars(range(min = 1, max = 10_000))]
    pub limit: Option<u64>,
}

/// What [`Glob`] found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct GlobOutput {
    /// How many files are shown.
    pub shown: u64,
    /// How many files match.
    pub total: u64,
    /// How many paths could not be read.
    pub unreadable: u64,
    /// Whether it was stopped before it was through.
    pub is_cut_short: bool,
    #[serde(skip)]
    #[schemars(skip)]
    text: String,
}

impl Tool<Steps> for Glob {
    type Input = GlobInput;
    type Output = GlobOutput;

    fn name(&self) -> &str {
        "Glob"
    }

    fn description(&self) -> &str {
        "Find files by a pattern for their paths, such as `**/*.ts`. Shows the newest first. Ignored \
         files and `.git` are left out."
    }

    fn describe(&self, input: &GlobInput) -> String {
        match &input.path {
            Some(path) => format!("Find {} in {}", input.pattern, path.display()),
            None => format!("Find {}", input.pattern),
        }
    }

    fn search_hint(&self) -> Option<&str> {
        Some("find files by name pattern, list files")
    }

    fn effects(&self, _input: &GlobInput) -> Effects {
        Effects::READ_ONLY
    }

    fn footprint(&self, input: &GlobInput, facts: &Facts) -> Footprint {
        let plan = Plan::of(&input.pattern, input.path.as_deref(), facts);
        let footprint = walk::footprint(&facts.resolve(&plan.folder), facts);
        place::with_neighbours(footprint, &plan.folder, facts)
    }

    fn subjects(&self, input: &GlobInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::reads(
            Plan::of(&input.pattern, input.path.as_deref(), facts).folder,
        )]
    }

    fn render(&self, output: &GlobOutput) -> Option<Vec<Content>> {
        Some(vec![Content::text(&output.text)])
    }

    async fn call(&self, input: GlobInput, cx: &Context<Steps>) -> Result<GlobOutput, ToolError> {
        let facts = cx.facts().clone();
        let plan = Plan::of(&input.pattern, input.path.as_deref(), &facts);
        if let Some(path) = &input.path {
            let path = facts.resolve(&place::existing(path, &facts));
            place::folder(&path, &facts)?;
        }
        let inner = cx.clone();
        blocking(cx, move |stop| find(&input, &plan, &facts, stop, inner)).await
    }
}

fn find(
    input: &GlobInput,
    plan: &Plan,
    facts: &Facts,
    stop: &Stop,
    cx: Context<Steps>,
) -> Result<GlobOutput, ToolError> {
    let folder = facts.resolve(&plan.folder);
    let matcher = plan.matcher(&folder)?;
    let most = usize::try_from(input.limit.unwrap_or(LIMIT)).unwrap_or(usize::MAX);
    let search = Search {
        newest: Mutex::new(Newest::new(most)),
        unnameable: AtomicU64::new(0),
        led_out: AtomicU64::new(0),
        facts,
    };
    let walk = Walk::new(stop, cx);
    if folder.is_dir() && !plan.is_plain() {
        let root = facts.resolve(facts.root());
        let scope = Scope {
            folder: &folder,
            root: &root,
            types: None,
            max_depth: plan.max_depth(),
        };
        walk.run(scope, || {
            |entry: DirEntry| {
                let relative = entry.path().strip_prefix(&folder).unwrap_or(entry.path());
                if matcher.is_match(relative) {
                    search.add(entry, &walk);
                }
            }
        });
    }
    if let Some(named) = plan.named(&folder) {
        search.add_named(named);
    }
    Ok(search.output(input, plan, &walk))
}

struct Search<'a> {
    newest: Mutex<Newest>,
    /// Names that are no text, so that no call could name them.
    unnameable: AtomicU64,
    /// Links that lead out of the root.
    led_out: AtomicU64,
    facts: &'a Facts,
}

impl Search<'_> {
    fn add(&self, entry: DirEntry, walk: &Walk) {
        let is_link = entry.path_is_symlink();
        let metadata = if is_link {
            // A link that leads nowhere or to a folder is no file.
            entry
                .path()
                .metadata()
                .ok()
                .filter(std::fs::Metadata::is_file)
        } else {
            let metadata = entry.metadata().ok();
            if metadata.is_none() {
                walk.unreadable();
            }
            metadata
        };
        let Some(metadata) = metadata else { return };
        if entry.path().to_str().is_none() {
            self.unnameable.fetch_add(1, Ordering::Relaxed);
        } else if is_link && !self.facts.is_inside(entry.path()) {
            self.led_out.fetch_add(1, Ordering::Relaxed);
        } else {
            let modified = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            self.lock().add(Rank {
                modified,
                path: entry.into_path(),
            });
        }
    }

    /// A file that the pattern names is found though it is ignored.
    fn add_named(&self, path: PathBuf) {
        let modified = path.metadata().and_then(|found| found.modified());
        let rank = Rank {
            modified: modified.unwrap_or(SystemTime::UNIX_EPOCH),
            path,
        };
        self.lock().add_once(rank);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Newest> {
        self.newest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn output(self, input: &GlobInput, plan: &Plan, walk: &Walk) -> GlobOutput {
        let newest = self
            .newest
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let gaps = walk.gaps();
        let total = newest.total;
        let paths = newest.into_sorted();
        let mut notes = Vec::new();
        if (paths.len() as u64) < total {
            notes.push(format!(
                "the newest {} of {total} files; narrow the pattern, or set `limit`",
                paths.len()
            ));
        }
        notes.extend(gaps.notes());
        match self.unnameable.into_inner() {
            0 => {}
            count => notes.push(format!("{count} more have names that are not UTF-8")),
        }
        match self.led_out.into_inner() {
            0 => {}
            count => notes.push(format!("{count} more are links that lead out of the root")),
        }
        let mut text = String::new();
        for path in &paths {
            text.push_str(&place::shown(path, self.facts));
            text.push('\n');
        }
        if paths.is_empty() {
            text.push_str(&nothing(input, plan, self.facts));
            text.push('\n');
        }
        if !notes.is_empty() {
            text.push_str(&format!("[{}]\n", notes.join("; ")));
        }
        text.pop();
        GlobOutput {
            shown: paths.len() as u64,
            total,
            unreadable: gaps.unreadable,
            is_cut_short: gaps.is_cut_short,
            text,
        }
    }
}

/// The answer where nothing matches, with what may have been meant.
fn nothing(input: &GlobInput, plan: &Plan, facts: &Facts) -> String {
    let within = input
        .path
        .as_ref()
        .map_or_else(String::new, |path| format!(" in `{}`", path.display()));
    let hint = if plan.is_plain() && plan.path(facts).is_dir() {
        let folder = input.pattern.trim_end_matches('/');
        format!("; it is a folder, and `{folder}/**` finds the files in it")
    } else if plan.is_shallow() && !plan.is_plain() {
        format!(
            "; `**/{}` would look in all folders below as well",
            input.pattern
        )
    } else {
        String::new()
    };
    format!("no files match `{}`{within}{hint}", input.pattern)
}
