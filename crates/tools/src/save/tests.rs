use std::fs;
use std::path::{Path, PathBuf};

use toolpost_core::{CancellationToken, Facts};

use super::{Piece, STEP, Target, is_temporary};
use crate::work::Stop;

fn stop() -> Stop {
    Stop::new(CancellationToken::new())
}

fn folder() -> (tempfile::TempDir, PathBuf, Facts) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let facts = Facts::new(&root);
    (dir, root, facts)
}

fn load(path: &Path, facts: &Facts) -> Target {
    Target::load(path, facts, &stop()).unwrap()
}

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn stopped_at_any_step_the_file_is_the_old_one_or_the_new_one_and_nothing_else_is_there() {
    let (old, new) = (vec![b'o'; 3 * STEP], vec![b'n'; 4 * STEP]);
    let mut was_new = false;
    for step in 0..20 {
        let (_dir, root, facts) = folder();
        let path = root.join("f");
        fs::write(&path, &old).unwrap();
        let saved =
            load(&path, &facts).save(&[Piece::New(&new)], &facts, &Stop::after_checks(step));
        let now = fs::read(&path).unwrap();
        assert_eq!(
            now,
            if saved.is_ok() { &new } else { &old }[..],
            "step {step}"
        );
        assert_eq!(count(&root), 1, "step {step}");
        was_new |= saved.is_ok();
    }
    assert!(was_new);
}

#[test]
fn stopped_at_any_step_a_new_file_is_there_whole_or_not_at_all_and_no_folder_is_left() {
    let new = vec![b'n'; 4 * STEP];
    for step in 0..20 {
        let (_dir, root, facts) = folder();
        let path = root.join("a/b/f");
        let saved =
            load(&path, &facts).save(&[Piece::New(&new)], &facts, &Stop::after_checks(step));
        match saved {
            Ok(_) => assert_eq!(fs::read(&path).unwrap(), new),
            Err(_) => assert_eq!(count(&root), 0, "step {step}"),
        }
    }
}

#[test]
fn a_file_that_changed_after_it_was_loaded_is_not_overwritten() {
    let (_dir, root, facts) = folder();
    let path = root.join("f");
    fs::write(&path, "one").unwrap();
    let target = load(&path, &facts);
    fs::write(&path, "two!").unwrap();
    assert_eq!(
        target
            .save(&[Piece::New(b"three")], &facts, &stop())
            .unwrap_err()
            .code(),
        "stale"
    );
    assert_eq!(fs::read(&path).unwrap(), b"two!");
    let target = load(&root.join("g"), &facts);
    fs::write(root.join("g"), "made meanwhile").unwrap();
    assert_eq!(
        target
            .save(&[Piece::New(b"x")], &facts, &stop())
            .unwrap_err()
            .code(),
        "stale"
    );
    assert_eq!(fs::read(root.join("g")).unwrap(), b"made meanwhile");
    assert_eq!(count(&root), 2);
}

#[test]
fn a_shorter_and_a_longer_text_are_written_in_place() {
    let (_dir, root, facts) = folder();
    let path = root.join("f");
    fs::write(&path, "some text").unwrap();
    fs::hard_link(&path, root.join("g")).unwrap();
    for new in ["short", "and now a good deal longer"] {
        load(&path, &facts)
            .save(&[Piece::New(new.as_bytes())], &facts, &stop())
            .unwrap();
        assert_eq!(fs::read(root.join("g")).unwrap(), new.as_bytes());
    }
}

#[test]
fn a_file_with_attributes_keeps_them() {
    let (_dir, root, facts) = folder();
    let path = root.join("f");
    fs::write(&path, "one").unwrap();
    let set = rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty());
    if set.is_err() {
        return; // the file system has none
    }
    load(&path, &facts)
        .save(&[Piece::New(b"two")], &facts, &stop())
        .unwrap();
    let mut value = [0; 16];
    let length = rustix::fs::getxattr(&path, "user.note", &mut value[..]).unwrap();
    assert_eq!(&value[..length], b"kept");
    assert_eq!(fs::read(&path).unwrap(), b"two");
}

#[test]
fn our_own_temporary_names_are_known() {
    assert!(is_temporary(".toolpost-12-3.tmp".as_ref()));
    assert!(!is_temporary("toolpost-12-3.tmp".as_ref()));
    assert!(!is_temporary(".toolpost".as_ref()));
}
