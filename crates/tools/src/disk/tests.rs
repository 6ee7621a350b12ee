use std::fs;

use super::*;

#[test]
fn lists_names_and_tells_nothing_of_what_it_cannot_list() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a"), "").unwrap();
    let disk = HostDisk::new(folder.path(), None);
    assert_eq!(disk.names(folder.path()), Some(vec!["a".to_owned()]));
    assert_eq!(disk.names(&folder.path().join("none")), Some(Vec::new()));
    assert_eq!(disk.names(&folder.path().join("a")), None);
}
