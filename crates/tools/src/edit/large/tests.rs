//! The way past memory against the way through it, on small files with a small buffer.

use std::path::Path;

use proptest::prelude::*;
use toolpost_core::{CancellationToken, Facts};

use super::super::stream::{Place, only_place};
use super::super::{EditInput, EditOutput, edit as through_memory};
use super::Large;
use crate::file_state::{FileState, Part};
use crate::save::Target;
use crate::work::Stop;

fn stop() -> Stop {
    Stop::new(CancellationToken::new())
}

/// A file of which the first bytes were seen.
fn seen(path: &Path, bytes: &[u8]) -> FileState {
    let state = FileState::new();
    let part = Part {
        start: 0,
        end: bytes.len().min(3) as u64,
        hash: xxhash_rust::xxh3::xxh3_64(&bytes[..bytes.len().min(3)]),
    };
    state.saw_part(path, &path.metadata().unwrap(), part);
    state
}

fn past_memory(folder: &Path, bytes: &[u8], old: &str, new: &str) -> (Option<EditOutput>, Vec<u8>) {
    let path = folder.join("f");
    std::fs::write(&path, bytes).unwrap();
    let facts = Facts::new(folder);
    let target = Target::open(&path, &facts).unwrap();
    let state = seen(&path, bytes);
    let large = Large {
        target: &target,
        before: target.before.as_ref().unwrap(),
        state: &state,
        stop: &stop(),
        around: 40,
        buffer: 16,
    };
    let done = large.edit(&input(&path, old, new), &facts).unwrap();
    (done, std::fs::read(&path).unwrap())
}

fn memory(folder: &Path, bytes: &[u8], old: &str, new: &str) -> (Option<EditOutput>, Vec<u8>) {
    let path = folder.join("f");
    std::fs::write(&path, bytes).unwrap();
    let facts = Facts::new(folder);
    let target = Target::load(&path, &facts, &stop()).unwrap();
    let state = seen(&path, bytes);
    let done = through_memory(&input(&path, old, new), &target, &state, &facts, &stop());
    (done.ok(), std::fs::read(&path).unwrap())
}

fn input(path: &Path, old: &str, new: &str) -> EditInput {
    EditInput {
        file_path: path.to_path_buf(),
        old_string: old.to_owned(),
        new_string: new.to_owned(),
        replace_all: false,
    }
}

proptest! {
    #[test]
    fn what_is_done_past_memory_is_what_is_done_through_it(
        lines in prop::collection::vec(("[ab]{0,6}", any::<bool>()), 1..60),
        at in 0_usize..60, count in 1_usize..4, new in "[abc\n]{0,6}", is_bare: bool,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = Vec::new();
        for (text, crlf) in &lines {
            bytes.extend_from_slice(text.as_bytes());
            bytes.extend_from_slice(if *crlf { b"\r\n" } else { b"\n" });
        }
        if is_bare {
            bytes.pop();
        }
        let texts: Vec<&str> = lines.iter().map(|(text, _)| text.as_str()).collect();
        let old: Vec<&str> = texts.iter().skip(at.min(lines.len() - 1)).take(count).copied().collect();
        let old = old.join("\n");
        let (past, past_bytes) = past_memory(folder.path(), &bytes, &old, &new);
        let (through, through_bytes) = memory(folder.path(), &bytes, &old, &new);
        match past {
            // What it leaves to the other way it leaves as it was.
            None => prop_assert_eq!(past_bytes, bytes),
            Some(past) => {
                prop_assert_eq!(past_bytes, through_bytes);
                prop_assert_eq!(past.diff, through.unwrap().diff);
            }
        }
    }

    #[test]
    fn the_only_place_is_found_in_any_buffer(
        text in "[ab\n]{0,60}", crlf: bool, needle in "[ab\n]{1,5}", buffer in 1_usize..40,
    ) {
        let file = if crlf { text.replace('\n', "\r\n") } else { text.clone() };
        let found = only_place(file.as_bytes(), needle.as_bytes(), buffer, &stop()).unwrap().unwrap();
        let places: Vec<usize> = text.match_indices(&needle).map(|(at, _)| at).collect();
        if let Some(Place { start, end, breaks }) = found {
            prop_assert_eq!(places.len(), 1);
            prop_assert_eq!(breaks, text.as_bytes()[..places[0]].iter().filter(|byte| **byte == b'\n').count());
            let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
            let bytes = std::str::from_utf8(&file.as_bytes()[range]).unwrap();
            prop_assert_eq!(bytes.replace("\r\n", "\n"), needle);
        } else {
            // A text of line ends alone is not looked for.
            prop_assert!(places.len() != 1 || needle.trim().is_empty());
        }
    }
}
