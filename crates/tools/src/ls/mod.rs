//! `Ls`: lists a folder, folders first.
//!
//! Nothing is left out but what `ignore` names: an ignore file does not count here, because the
//! question is what is there. `.git` is listed and not entered. With `depth` the folders below are
//! listed too, level by level, so that when there are more than 1,000 entries it is the deepest
//! that are missing. However many there are, only those shown are held in memory.

use std::collections::{BinaryHeap, VecDeque};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolpost_core::{Content, Context, Effects, Facts, Footprint, Scope, Subject, Tool, ToolError};

use crate::guard::{self, ReadGuard};
use crate::save::is_temporary;
use crate::work::{Stop, blocking};
use crate::{failure, place};

const MOST: usize = 1_000;

/// The tool `Ls`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Ls;

/// The input of [`Ls`].
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub struct LsInput {
    /// The folder to list; the root when left out.
    pub path: Option<PathBuf>,
    /// How many levels to list; 1, the folder itself, when left out.
    #[schemars(range(min = 1, max = 20))]
    pub depth: Option<u32>,
    /// Glob patterns for names or paths to leave out, such as `node_modules` or `*.o`.
    #[serde(default)]
    pub ignore: Vec<String>,
}

/// What [`Ls`] found.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LsOutput {
    /// The folder, relative to the root where it is inside.
    pub path: String,
    /// How many entries are shown.
    pub shown: u64,
    /// How many entries there are.
    pub total: u64,
    /// How many of them are folders.
    pub folders: u64,
    /// How many folders could not be read.
    pub unreadable: u64,
    /// Whether it was stopped before it was through.
    pub is_cut_short: bool,
    #[serde(skip)]
    #[schemars(skip)]
    text: String,
}

impl Tool for Ls {
    type Input = LsInput;
    type Output = LsOutput;

    fn name(&self) -> &str {
        "Ls"
    }

    fn description(&self) -> &str {
        "List a folder. Folders come first and end with `/`. `depth` lists the folders below as well."
    }

    fn describe(&self, input: &LsInput) -> String {
        match &input.path {
            Some(path) => format!("List {}", path.display()),
            None => "List the root".to_owned(),
        }
    }

    fn search_hint(&self) -> Option<&str> {
        Some("list a folder, directory tree")
    }

    fn effects(&self, _input: &LsInput) -> Effects {
        Effects::READ_ONLY
    }

    fn footprint(&self, input: &LsInput, facts: &Facts) -> Footprint {
        let folder = folder(input, facts);
        let tree = Scope::tree(&facts.resolve(&folder));
        place::with_neighbours(Footprint::nothing().reading(tree), &folder, facts)
    }

    fn subjects(&self, input: &LsInput, facts: &Facts) -> Vec<Subject> {
        vec![Subject::reads(folder(input, facts))]
    }

    fn render(&self, output: &LsOutput) -> Option<Vec<Content>> {
        Some(vec![Content::text(&output.text)])
    }

    async fn call(&self, input: LsInput, cx: &Context) -> Result<LsOutput, ToolError> {
        let facts = cx.facts().clone();
        blocking(cx, move |stop| list(&input, &facts, stop)).await
    }
}

fn folder(input: &LsInput, facts: &Facts) -> PathBuf {
    match &input.path {
        Some(path) => place::existing(path, facts),
        None => facts.root().to_path_buf(),
    }
}

fn list(input: &LsInput, facts: &Facts, stop: &Stop) -> Result<LsOutput, ToolError> {
    let top = facts.resolve(&folder(input, facts));
    place::folder(&top, facts)?;
    let shown = place::shown(&top, facts);
    let ignore = ignore_set(&input.ignore)?;
    let mut listing = Listing {
        ignore,
        top: &top,
        stop,
        left: MOST,
        total: 0,
        folders: 0,
        unreadable: 0,
        guard: facts.state().get::<ReadGuard>(),
        hidden: 0,
    };
    let first = listing
        .read(&top)
        .map_err(|error| failure::io(&error, "list", &shown, &top))?;
    let levels = input.depth.unwrap_or(1).max(1);
    let tree = listing.tree(first, levels);
    let mut lines = Vec::new();
    write_out(&tree, 0, &mut lines);
    let count = lines.len() as u64;
    let is_cut_short = stop.is_stopped();
    let mut notes = Vec::new();
    if count < listing.total {
        notes.push(format!("{count} of {} entries", listing.total));
    }
    match listing.unreadable {
        0 => {}
        1 => notes.push("1 folder could not be read".to_owned()),
        many => notes.push(format!("{many} folders could not be read")),
    }
    notes.extend(guard::note(listing.hidden));
    if is_cut_short {
        notes.push("stopped before it was through, so this is a part of it".to_owned());
    }
    if lines.is_empty() {
        lines.push(format!("`{shown}` is empty"));
    }
    if !notes.is_empty() {
        lines.push(format!("[{}]", notes.join("; ")));
    }
    Ok(LsOutput {
        path: shown,
        shown: count,
        total: listing.total,
        folders: listing.folders,
        unreadable: listing.unreadable,
        is_cut_short,
        text: lines.join("\n"),
    })
}

fn ignore_set(patterns: &[String]) -> Result<GlobSet, ToolError> {
    let fault = |error: &globset::Error| {
        let pattern = error.glob().unwrap_or_default();
        let message = format!(
            "`{pattern}` in `ignore` is not a glob pattern: {}",
            error.kind()
        );
        ToolError::new("bad_pattern", message)
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = pattern.trim_end_matches('/');
        // A pattern without a slash is for names anywhere.
        let whole = if pattern.contains('/') {
            pattern.to_owned()
        } else {
            format!("**/{pattern}")
        };
        let glob = GlobBuilder::new(&whole).literal_separator(true).build();
        set.add(glob.map_err(|error| fault(&error))?);
    }
    set.build().map_err(|error| fault(&error))
}

/// One entry; the order is that of the listing: folders first, then by name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    is_other: bool,
    name: OsString,
    kind: Kind,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Folder,
    File,
    Link(PathBuf),
    Special,
}

/// An entry with what is in it, where that is listed.
struct Node {
    entry: Entry,
    below: Vec<Self>,
}

struct Listing<'a> {
    ignore: GlobSet,
    top: &'a Path,
    stop: &'a Stop,
    /// How many more entries may be shown.
    left: usize,
    total: u64,
    folders: u64,
    unreadable: u64,
    guard: Option<&'a ReadGuard>,
    hidden: u64,
}

impl Listing<'_> {
    /// The first entries of a folder in order, as many as may still be shown.
    fn read(&mut self, folder: &Path) -> std::io::Result<Vec<Entry>> {
        let mut kept: BinaryHeap<Entry> = BinaryHeap::new();
        for found in fs::read_dir(folder)? {
            if self.stop.is_stopped() {
                break;
            }
            let Ok(found) = found else { continue };
            let path = found.path();
            let relative = path.strip_prefix(self.top).unwrap_or(&path);
            if is_temporary(&found.file_name()) || self.ignore.is_match(relative) {
                continue;
            }
            if self.guard.is_some_and(|guard| guard.hides(&path)) {
                self.hidden += 1;
                continue;
            }
            let Ok(kind) = found.file_type() else {
                continue;
            };
            self.total += 1;
            self.folders += u64::from(kind.is_dir());
            let entry = Entry {
                is_other: !kind.is_dir(),
                name: found.file_name(),
                kind: Kind::File,
            };
            if kept.len() < self.left {
                kept.push(entry.with(kind, &path));
            } else if let Some(mut last) = kept.peek_mut()
                && entry < *last
            {
                *last = entry.with(kind, &path);
            }
        }
        self.left -= kept.len();
        Ok(kept.into_sorted_vec())
    }

    /// Level by level, so that what does not fit is the deepest.
    fn tree(&mut self, first: Vec<Entry>, levels: u32) -> Vec<Node> {
        let mut flat: Vec<(Entry, Vec<usize>)> = Vec::new();
        let mut tops = Vec::new();
        let mut queue: VecDeque<(usize, PathBuf, u32)> = VecDeque::new();
        let mut add = |entries: Vec<Entry>, folder: &Path, level: u32, queue: &mut VecDeque<_>| {
            let mut added = Vec::new();
            for entry in entries {
                if entry.kind == Kind::Folder && entry.name != ".git" && level < levels {
                    queue.push_back((flat.len(), folder.join(&entry.name), level + 1));
                }
                added.push(flat.len());
                flat.push((entry, Vec::new()));
            }
            added
        };
        tops.extend(add(first, self.top, 1, &mut queue));
        let mut children = Vec::new();
        while let Some((parent, folder, level)) = queue.pop_front() {
            if self.stop.is_stopped() {
                break;
            }
            match self.read(&folder) {
                Ok(entries) => children.push((parent, add(entries, &folder, level, &mut queue))),
                Err(_) => self.unreadable += 1,
            }
        }
        for (parent, added) in children {
            if let Some((_, below)) = flat.get_mut(parent) {
                *below = added;
            }
        }
        let mut flat: Vec<Option<(Entry, Vec<usize>)>> = flat.into_iter().map(Some).collect();
        tops.into_iter()
            .filter_map(|top| assemble(&mut flat, top))
            .collect()
    }
}

fn assemble(flat: &mut Vec<Option<(Entry, Vec<usize>)>>, at: usize) -> Option<Node> {
    let (entry, below) = flat.get_mut(at)?.take()?;
    let below = below
        .into_iter()
        .filter_map(|at| assemble(flat, at))
        .collect();
    Some(Node { entry, below })
}

impl Entry {
    fn with(self, kind: fs::FileType, path: &Path) -> Self {
        let kind = if kind.is_dir() {
            Kind::Folder
        } else if kind.is_file() {
            Kind::File
        } else if kind.is_symlink() {
            Kind::Link(path.read_link().unwrap_or_default())
        } else {
            Kind::Special
        };
        Self { kind, ..self }
    }
}

fn write_out(nodes: &[Node], depth: usize, lines: &mut Vec<String>) {
    for node in nodes {
        let name = place::escaped(&node.entry.name.to_string_lossy());
        let mark = match &node.entry.kind {
            Kind::Folder => "/".to_owned(),
            Kind::File => String::new(),
            Kind::Link(target) => format!(" -> {}", place::escaped(&target.to_string_lossy())),
            Kind::Special => " (no regular file)".to_owned(),
        };
        lines.push(format!("{:width$}{name}{mark}", "", width = depth * 2));
        write_out(&node.below, depth + 1, lines);
    }
}
