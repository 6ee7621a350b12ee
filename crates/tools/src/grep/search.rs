//! The search itself: every file once, several at a time.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{
    BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkFinish, SinkMatch,
};
use ignore::DirEntry;
use toolpost_core::{Context, Facts, Steps, ToolError};

use super::found::{Found, Hits, Line};
use super::matcher::{Filter, is_multiline, pattern, types};
use super::render::{clip, render};
use super::{GrepInput, GrepOutput, OutputMode};
use crate::newest::Rank;
use crate::walk::{LOOK_EACH, Scope, Walk};
use crate::work::Stop;
use crate::{open, place};

/// A file that needs more memory than this to be searched is counted as unreadable.
const MOST_HEAP: usize = 512 << 20;
/// Of one file no more than this is kept of the lines round matches; 64 KiB are shown.
const MOST_AROUND: usize = 1 << 20;

pub(super) fn search(
    input: &GrepInput,
    path: &Path,
    facts: &Facts,
    stop: &Stop,
    cx: Context<Steps>,
) -> Result<GrepOutput, ToolError> {
    let metadata = path.metadata().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => place::not_found(path, facts),
        _ => crate::failure::io(&error, "search", &place::shown(path, facts), path),
    })?;
    let is_folder = metadata.is_dir();
    let by_lines = input.output_mode == OutputMode::Content;
    let most = input.offset.saturating_add(input.limit());
    let walk = Walk::new(stop, cx);
    let search = Search {
        input,
        matcher: pattern(input)?,
        walk: &walk,
        found: Mutex::new(Found::new(most, by_lines)),
        binary: AtomicU64::new(0),
        most_lines: if by_lines { most } else { 0 },
    };
    let (types, filter) = (types(input)?, Filter::of(input)?);
    if is_folder {
        let root = facts.resolve(facts.root());
        let scope = Scope {
            folder: path,
            root: &root,
            types,
            max_depth: None,
        };
        walk.run(scope, || {
            let mut searcher = search.searcher(BinaryDetection::quit(0));
            let (search, filter) = (&search, &filter);
            move |entry: DirEntry| {
                if !entry.path_is_symlink() && filter.lets_through(entry.path(), path) {
                    search.file(&mut searcher, entry.into_path());
                }
            }
        });
    } else {
        open::refuse_irregular(metadata.file_type(), path, facts)?;
        let (file, _) = open::for_reading(path, facts)?;
        let mut searcher = search.searcher(BinaryDetection::convert(0));
        search.opened(&mut searcher, &file, path.to_path_buf());
        if walk.gaps().unreadable > 0 {
            let message = format!(
                "`{}` could not be searched to its end",
                place::shown(path, facts)
            );
            return Err(ToolError::new("io", message));
        }
    }
    let found = search
        .found
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let binary = search.binary.into_inner();
    Ok(render(input, found, walk.gaps(), binary, is_folder, facts))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Search<'a> {
    input: &'a GrepInput,
    matcher: RegexMatcher,
    walk: &'a Walk,
    found: Mutex<Found>,
    binary: AtomicU64,
    most_lines: u64,
}

impl Search<'_> {
    fn searcher(&self, binary: BinaryDetection) -> Searcher {
        let (before, after) = self.input.around();
        let end = self.matcher.line_terminator().unwrap_or_default();
        SearcherBuilder::new()
            .line_terminator(end)
            .binary_detection(binary)
            .multi_line(is_multiline(self.input))
            .line_number(self.input.output_mode == OutputMode::Content)
            .before_context(before)
            .after_context(after)
            .heap_limit(Some(MOST_HEAP))
            .build()
    }

    fn file(&self, searcher: &mut Searcher, path: PathBuf) {
        match open::open(&path) {
            Ok(file) => self.opened(searcher, &file, path),
            Err(_) => self.walk.unreadable(),
        }
    }

    fn opened(&self, searcher: &mut Searcher, file: &File, path: PathBuf) {
        let mut sink = Hearer {
            search: self,
            hits: Hits::default(),
            is_after_gap: false,
            kept_bytes: 0,
            binary_at: None,
            asks: 0,
        };
        let searched = searcher.search_reader(
            &self.matcher,
            Watched {
                file,
                walk: self.walk,
                pieces: 0,
            },
            &mut sink,
        );
        let Hearer {
            mut hits,
            binary_at,
            ..
        } = sink;
        if searched.is_err() && self.walk.goes_on() {
            self.walk.unreadable();
        }
        // A folder's file that turns out to be no text is left out even where it matched before.
        if binary_at.is_some() {
            let is_named = searcher.binary_detection().convert_byte().is_some();
            if !is_named {
                self.binary.fetch_add(1, Ordering::Relaxed);
                return;
            }
            hits.is_binary = hits.count > 0;
            hits.count = hits.count.min(1);
            hits.lines.clear();
        }
        if hits.count > 0 {
            let modified = file.metadata().and_then(|metadata| metadata.modified());
            let modified = modified.unwrap_or(SystemTime::UNIX_EPOCH);
            lock(&self.found).add(Rank { modified, path }, hits);
        }
    }
}

/// A file that ends with an error once the search is to stop, however large it is.
struct Watched<'a> {
    file: &'a File,
    walk: &'a Walk,
    pieces: u32,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.pieces = self.pieces.wrapping_add(1);
        if self.pieces.is_multiple_of(LOOK_EACH) && !self.walk.goes_on() {
            return Err(io::Error::other("the search was stopped"));
        }
        self.file.read(buffer)
    }
}

/// Takes what the searcher finds in one file.
struct Hearer<'a> {
    search: &'a Search<'a>,
    hits: Hits,
    is_after_gap: bool,
    kept_bytes: usize,
    binary_at: Option<u64>,
    asks: u32,
}

impl Hearer<'_> {
    /// Keeps a line to show. There may be more of them round the matches than anybody will see.
    fn keep(&mut self, number: Option<u64>, is_match: bool, text: String) {
        let is_after_gap = std::mem::take(&mut self.is_after_gap);
        self.kept_bytes += text.len();
        if is_match || self.kept_bytes <= MOST_AROUND {
            self.hits.lines.push(Line {
                number,
                is_match,
                is_after_gap,
                text,
            });
        }
    }

    /// Asked seldom enough to cost nothing, and often enough to stop soon.
    fn goes_on(&mut self) -> bool {
        self.asks += 1;
        !self.asks.is_multiple_of(256) || self.search.walk.goes_on()
    }
}

impl Sink for Hearer<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let lines = found.lines().count() as u64;
        self.hits.count += lines;
        if self.search.input.output_mode == OutputMode::FilesWithMatches {
            return Ok(false);
        }
        let room = self
            .search
            .most_lines
            .saturating_sub(self.hits.count - lines);
        if room > 0 {
            let first = self.search.matcher.find(found.bytes()).ok().flatten();
            let mut at = first.map_or(0, |found| found.start());
            for (line, offset) in found.lines().zip(0..room) {
                let number = found.line_number().map(|first| first + offset);
                self.keep(number, true, clip(line, at.min(line.len())));
                at = at.saturating_sub(line.len());
            }
        }
        Ok(self.goes_on())
    }

    fn context(&mut self, _searcher: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        if self.hits.count <= self.search.most_lines {
            self.keep(context.line_number(), false, clip(context.bytes(), 0));
        }
        Ok(self.goes_on())
    }

    fn context_break(&mut self, _searcher: &Searcher) -> io::Result<bool> {
        self.is_after_gap = true;
        Ok(true)
    }

    fn binary_data(&mut self, _searcher: &Searcher, at: u64) -> io::Result<bool> {
        self.binary_at = Some(at);
        Ok(true)
    }

    fn finish(&mut self, _searcher: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.binary_at = self.binary_at.or_else(|| finish.binary_byte_offset());
        Ok(())
    }
}
