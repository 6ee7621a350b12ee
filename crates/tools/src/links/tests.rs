use std::os::unix::fs::symlink;

use toolpost_core::Links;

use super::DiskLinks;

#[test]
fn links_of_the_existing_part_are_followed_and_the_rest_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    std::fs::create_dir(top.join("real")).unwrap();
    symlink("real", top.join("link")).unwrap();
    assert_eq!(DiskLinks.resolve(&top.join("link")), top.join("real"));
    assert_eq!(
        DiskLinks.resolve(&top.join("link/new/file")),
        top.join("real/new/file")
    );
    assert_eq!(DiskLinks.resolve(&top.join("no/such")), top.join("no/such"));
}

#[test]
fn a_link_that_leads_nowhere_is_followed_to_where_it_would_lead() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    std::fs::create_dir(top.join("in")).unwrap();
    symlink("../../outside/x", top.join("in/out")).unwrap();
    let outside = top.parent().unwrap().join("outside/x");
    assert_eq!(DiskLinks.resolve(&top.join("in/out")), outside);
    symlink("/no/where", top.join("abs")).unwrap();
    assert_eq!(
        DiskLinks.resolve(&top.join("abs/y")),
        std::path::Path::new("/no/where/y")
    );
}

#[test]
fn links_in_a_circle_end() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    symlink("b", top.join("a")).unwrap();
    symlink("a", top.join("b")).unwrap();
    assert_eq!(DiskLinks.resolve(&top.join("a/x")), top.join("a/x"));
}
