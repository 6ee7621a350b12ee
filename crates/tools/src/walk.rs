//! Walking a folder in parallel, for Glob and Grep: which files are looked at, and for how long.
//!
//! Ignore files are heeded, inside a repository and outside. Files whose name begins with a dot
//! are looked at like others; `.git` is not, unless the walk begins inside it. Links are not
//! followed. A folder that was named in so many words is entered though it is ignored.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ignore::gitignore::Gitignore;
use ignore::types::Types;
use ignore::{DirEntry, Match, WalkBuilder, WalkState};
use toolpost_core::{Context, Facts, Footprint, Scope as Claimed, Steps};

use crate::guard::{self, ReadGuard};
use crate::save::is_temporary;
use crate::work::Stop;

/// A search ends after this time with what it has.
const TIME: Duration = Duration::from_secs(30);
/// The clock and the token cost more than a small file does, so a thread looks at them once in so
/// many files, and once in so many pieces of a large one.
pub(crate) const LOOK_EACH: u32 = 16;
/// A report of progress comes no sooner than this after the one before.
const REPORT_MS: u64 = 100;

/// Where ignore rules are read from, in each folder.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// The ignore file of the user, for all of their repositories. Without this state no such file is
/// heeded.
#[derive(Debug, Clone)]
pub struct UserIgnores(pub PathBuf);

impl UserIgnores {
    /// The file that git's own configuration names, or its usual one. It need not exist.
    pub fn of_host() -> Option<Self> {
        ignore::gitignore::gitconfig_excludes_path().map(Self)
    }
}

/// One walk: how far it has come, and what it could not look at.
pub(crate) struct Walk {
    stop: Stop,
    cx: Context<Steps>,
    since: Instant,
    reported_ms: AtomicU64,
    seen: AtomicU64,
    unreadable: AtomicU64,
    hidden: Arc<AtomicU64>,
    is_cut_short: AtomicBool,
}

/// What a walk could not do, in numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gaps {
    /// Files and folders that could not be read.
    pub(crate) unreadable: u64,
    /// Files and folders that a rule is about, so that they were not looked at.
    pub(crate) hidden: u64,
    /// Whether it was ended before it was through.
    pub(crate) is_cut_short: bool,
}

/// What is walked.
pub(crate) struct Scope<'a> {
    pub(crate) folder: &'a Path,
    /// The session's root: ignore rules between it and the folder count, unless they ignore the
    /// folder itself.
    pub(crate) root: &'a Path,
    pub(crate) types: Option<Types>,
    pub(crate) max_depth: Option<usize>,
}

/// Claims what a walk of a folder looks at: all below it, and the ignore files above it.
pub(crate) fn footprint(folder: &Path, facts: &Facts) -> Footprint {
    let root = facts.resolve(facts.root());
    let tree = Footprint::nothing().reading(Claimed::tree(folder));
    let above = folder.ancestors().skip(1);
    above.fold(tree, |mut footprint, folder| {
        for name in IGNORE_FILES {
            let file = folder.join(name);
            // Outside of the root, one that is not there will hardly be made.
            if folder.starts_with(&root) || file.exists() {
                footprint = footprint.reading(Claimed::file(&file));
            }
        }
        footprint
    })
}

impl Walk {
    pub(crate) fn new(stop: &Stop, cx: Context<Steps>) -> Self {
        Self {
            stop: stop.clone(),
            cx,
            since: Instant::now(),
            reported_ms: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            unreadable: AtomicU64::new(0),
            hidden: Arc::default(),
            is_cut_short: AtomicBool::new(false),
        }
    }

    /// Whether to go on; asked often, also within one file.
    pub(crate) fn goes_on(&self) -> bool {
        let goes_on = !self.stop.is_stopped() && self.since.elapsed() < TIME;
        if !goes_on {
            self.is_cut_short.store(true, Ordering::Relaxed);
        }
        goes_on
    }

    /// Counts a file or folder that could not be read.
    pub(crate) fn unreadable(&self) {
        self.unreadable.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn gaps(&self) -> Gaps {
        Gaps {
            unreadable: self.unreadable.load(Ordering::Relaxed),
            hidden: self.hidden.load(Ordering::Relaxed),
            is_cut_short: self.is_cut_short.load(Ordering::Relaxed),
        }
    }

    /// Shows every file and link in the scope to visitors, of which each thread makes its own.
    pub(crate) fn run<V: FnMut(DirEntry) + Send>(
        &self,
        scope: Scope<'_>,
        visitor: impl Fn() -> V + Sync,
    ) {
        let mut builder = WalkBuilder::new(scope.folder);
        builder
            .hidden(false)
            .require_git(false)
            // Found by the environment otherwise, and read from where the process stands.
            .git_global(false)
            .current_dir(scope.root)
            .parents(!is_ignored(scope.folder, scope.root))
            .follow_links(false)
            .max_depth(scope.max_depth)
            .threads(
                std::thread::available_parallelism()
                    .map_or(1, Into::into)
                    .min(12),
            )
            .filter_entry(self.filter());
        if let Some(UserIgnores(file)) = self.cx.state()
            && file.is_file()
        {
            // A line that cannot be read is left out, as in any ignore file.
            let _ = builder.add_ignore(file);
        }
        if let Some(types) = scope.types {
            builder.types(types);
        }
        builder.build_parallel().run(|| {
            let mut visit = visitor();
            let mut turns = 0_u32;
            Box::new(move |entry| {
                if turns.is_multiple_of(LOOK_EACH) && !self.goes_on() {
                    return WalkState::Quit;
                }
                turns = turns.wrapping_add(1);
                match entry {
                    Ok(entry)
                        if entry
                            .file_type()
                            .is_some_and(|kind| kind.is_file() || kind.is_symlink()) =>
                    {
                        self.saw_one();
                        visit(entry);
                    }
                    Ok(_) => {}
                    Err(error) if is_partial(&error) => {}
                    Err(_) => self.unreadable(),
                }
                WalkState::Continue
            })
        });
    }

    /// What is looked at: what it leaves out because of a rule is counted.
    fn filter(&self) -> impl Fn(&DirEntry) -> bool + Send + Sync + 'static {
        let guard: Option<ReadGuard> = self.cx.state().cloned();
        let hidden = Arc::clone(&self.hidden);
        move |entry| {
            if !is_looked_at(entry) {
                return false;
            }
            let is_hidden = guard
                .as_ref()
                .is_some_and(|guard| guard.hides(entry.path()));
            if is_hidden {
                hidden.fetch_add(1, Ordering::Relaxed);
            }
            !is_hidden
        }
    }

    fn saw_one(&self) {
        let seen = self.seen.fetch_add(1, Ordering::Relaxed) + 1;
        if !seen.is_multiple_of(64) {
            return;
        }
        let now = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.reported_ms.load(Ordering::Relaxed);
        let is_due = now.saturating_sub(last) >= REPORT_MS
            && self
                .reported_ms
                .compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok();
        if is_due {
            let message = Some("files seen".to_owned());
            self.cx.report(Steps {
                done: seen,
                total: None,
                message,
            });
        }
    }
}

impl Gaps {
    /// What is to be said of them, as parts of a note.
    pub(crate) fn notes(self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.unreadable {
            0 => {}
            1 => notes.push("1 path could not be read".to_owned()),
            count => notes.push(format!("{count} paths could not be read")),
        }
        notes.extend(guard::note(self.hidden));
        if self.is_cut_short {
            notes.push("stopped before it was through, so this is a part of it".to_owned());
        }
        notes
    }
}

fn is_looked_at(entry: &DirEntry) -> bool {
    entry.depth() == 0 || !(entry.file_name() == ".git" || is_temporary(entry.file_name()))
}

/// Whether the ignore rules above a folder ignore it, or a folder above it within the root.
fn is_ignored(folder: &Path, root: &Path) -> bool {
    let inside = folder
        .strip_prefix(root)
        .is_ok_and(|rest| !rest.as_os_str().is_empty());
    let levels = if inside {
        folder
            .ancestors()
            .take_while(|level| *level != root)
            .count()
    } else {
        1
    };
    folder.ancestors().take(levels).any(is_left_out)
}

/// What the nearest ignore file with a word on the folder says of it.
fn is_left_out(folder: &Path) -> bool {
    let mut is_in_repository = false;
    for above in folder.ancestors().skip(1) {
        for name in [".ignore", ".gitignore"] {
            let file = above.join(name);
            // Rules above a repository are not the repository's.
            if name == ".gitignore" && is_in_repository || !file.is_file() {
                continue;
            }
            match Gitignore::new(file).0.matched(folder, true) {
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
                Match::None => {}
            }
        }
        is_in_repository |= above.join(".git").exists();
    }
    false
}

/// A fault in an ignore file: the walk goes on without that line.
fn is_partial(error: &ignore::Error) -> bool {
    match error {
        ignore::Error::Partial(errors) => errors.iter().all(is_partial),
        ignore::Error::WithLineNumber { .. } | ignore::Error::Glob { .. } => true,
        ignore::Error::WithPath { err, .. } | ignore::Error::WithDepth { err, .. } => {
            is_partial(err)
        }
        _ => false,
    }
}
