use std::fs;
use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use super::{Change, FileState, Part, Standing};

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
