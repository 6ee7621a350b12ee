use std::fs;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::{Change, FileState, Part, Seen, Standing};
use crate::draft::Splice;

fn file(content: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, content).unwrap();
    (dir, path)
}

fn stand(state: &FileState, path: &PathBuf, change: Change) -> Standing {
    state.standing(
        path,
        &fs::metadata(path).unwrap(),
        &fs::read(path).unwrap(),
        change,
    )
}

#[test]
fn a_whole_record_is_judged_by_content_alone() {
    let (_dir, path) = file(b"one");
    let state = FileState::new();
    assert_eq!(stand(&state, &path, Change::Replace), Standing::NotRead);
    state.saw_whole(&path, &fs::metadata(&path).unwrap(), xxh3_64(b"one"));
    fs::write(&path, b"one").unwrap();
    assert_eq!(stand(&state, &path, Change::Replace), Standing::Fresh);
    fs::write(&path, b"two").unwrap();
    assert_eq!(stand(&state, &path, Change::Splice), Standing::Stale);
}

#[test]
fn pages_allow_a_splice_while_they_are_the_same_and_a_write_only_of_an_untouched_file() {
    let (_dir, path) = file(b"aaaabbbb");
    let state = FileState::new();
    let part = Part {
        start: 0,
        end: 4,
        hash: xxh3_64(b"aaaa"),
    };
    state.saw_part(&path, &fs::metadata(&path).unwrap(), part);
    assert_eq!(stand(&state, &path, Change::Replace), Standing::Fresh);
    // The times of the record are set apart, as a later change would have done.
    let mut record = state.records().remove(0);
    record.stamp.changed_ns -= 1;
    state.restore([record]);
    assert_eq!(stand(&state, &path, Change::Splice), Standing::Fresh);
    assert_eq!(stand(&state, &path, Change::Replace), Standing::Stale);
    fs::write(&path, b"aaxabbbb").unwrap();
    assert_eq!(stand(&state, &path, Change::Splice), Standing::Stale);
}

#[test]
fn records_outlive_the_process() {
    let (_dir, path) = file(b"one");
    let state = FileState::new();
    state.saw_whole(&path, &fs::metadata(&path).unwrap(), xxh3_64(b"one"));
    let text = serde_json::to_string(&state.records()).unwrap();
    let later = FileState::new();
    later.restore(serde_json::from_str::<Vec<_>>(&text).unwrap());
    assert_eq!(stand(&later, &path, Change::Replace), Standing::Fresh);
}

#[test]
fn pages_that_were_seen_move_with_a_change_before_them() {
    let (_dir, path) = file(b"aaaabbbbcccc");
    let state = FileState::new();
    let before = fs::metadata(&path).unwrap();
    for (start, bytes) in [(0, b"aaaa"), (4, b"bbbb"), (8, b"cccc")] {
        let part = Part {
            start,
            end: start + 4,
            hash: xxh3_64(bytes),
        };
        state.saw_part(&path, &before, part);
    }
    fs::write(&path, b"aaaaXYZbbcccc").unwrap();
    let splice = Splice {
        range: 4..6,
        with: b"XYZ".to_vec(),
    };
    let now = fs::metadata(&path).unwrap();
    state.edited(&path, &before, None, &now, &[splice]);
    let record = state.records().remove(0);
    let Seen::Parts(parts) = record.seen else {
        panic!()
    };
    let places: Vec<_> = parts.iter().map(|part| (part.start, part.end)).collect();
    assert_eq!(places, [(0, 4), (9, 13), (4, 7)]);
    assert_eq!(stand(&state, &path, Change::Replace), Standing::Fresh);
    fs::write(&path, b"aaaaXYZbbccc!").unwrap();
    assert_eq!(stand(&state, &path, Change::Splice), Standing::Stale);
}
