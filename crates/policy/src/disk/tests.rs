use super::*;

#[test]
fn follows_links_in_the_middle_and_in_a_row() {
    let disk = ToldDisk::new()
        .with_link("/proj/out", "/tmp/elsewhere")
        .with_link("/tmp/elsewhere/again", "../back");
    let check = |path: &str, real: &str| assert_eq!(disk.resolve(Path::new(path)), Path::new(real));
    check("/proj/out/new.txt", "/tmp/elsewhere/new.txt");
    check("/proj/out/again/x", "/tmp/back/x");
    check("/proj/outer", "/proj/outer");
}

#[test]
fn a_circle_stays_as_it_is_spelled() {
    let disk = ToldDisk::new().with_link("/a", "/b").with_link("/b", "/a");
    assert_eq!(disk.resolve(Path::new("/a/x")), Path::new("/a/x"));
}

#[test]
fn lists_what_it_was_told_of() {
    let disk = ToldDisk::new().with_file("/proj/secrets/k.pem");
    assert_eq!(disk.names(Path::new("/proj")), Some(vec!["secrets".into()]));
    assert_eq!(disk.names(Path::new("/etc")), Some(vec![]));
}
