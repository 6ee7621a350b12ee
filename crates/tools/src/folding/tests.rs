use std::fs;

use super::*;

#[test]
fn other_spellings_are_others() {
    assert_eq!(other_case("Proj"), Some("PROJ".to_owned()));
    assert_eq!(other_case("PROJ"), Some("proj".to_owned()));
    assert_eq!(other_case("123"), None);
    assert_eq!(other_form("caf\u{e9}"), Some("cafe\u{301}".to_owned()));
    assert_eq!(other_form("cafe"), None);
}

#[test]
fn a_disk_that_tells_spellings_apart_folds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("Caf\u{e9}"), "").unwrap();
    // Where the tests run on a disk that folds, there is nothing to see here.
    if !folder.path().join("CAF\u{c9}").exists() {
        assert_eq!(folded(&folder.path().join("Caf\u{e9}")), None);
        assert_eq!(folded(&folder.path().join("new/File")), None);
    }
}

#[test]
fn one_that_takes_two_spellings_for_one_name_folds_all_names() {
    // Hard links look as one name of a disk that folds.
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    fs::write(root.join("Read.me"), "").unwrap();
    for other in ["READ.ME", "read.me"] {
        // On a disk that does fold, it is there already.
        let _ = fs::hard_link(root.join("Read.me"), root.join(other));
    }
    let one = folded(&root.join("Read.me")).unwrap();
    assert_eq!(one, folded(&root.join("READ.ME")).unwrap());
    let new = folded(&root.join("New/File")).unwrap();
    assert!(new.ends_with("new/file"), "{new:?}");
}
