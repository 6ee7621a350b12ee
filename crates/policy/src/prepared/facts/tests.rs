use super::*;
use crate::disk::ToldDisk;

fn check(pattern: &str, expect: Option<&[&str]>) {
    let disk = ToldDisk::new()
        .with_home("/home/u")
        .with_file("/proj/secrets/k.pem")
        .with_file("/proj/src/a.rs")
        .with_file("/proj/.env")
        .with_file("/proj/b[1]");
    let place = Place::new("/proj", &disk);
    let found = ShellFacts::glob(&place, pattern);
    let expect = expect.map(|paths| paths.iter().map(PathBuf::from).collect::<Vec<_>>());
    assert_eq!(found, expect, "{pattern}");
}

#[test]
fn patterns_are_put_in_as_bash_does() {
    check("/proj/s*", Some(&["/proj/secrets", "/proj/src"]));
    check("/proj/s*/k.pem", Some(&["/proj/secrets/k.pem"]));
    check("/proj/s?c", Some(&["/proj/src"]));
    check("/proj/[st]rc", Some(&["/proj/src"]));
    check("/proj/[!s]rc", Some(&[]));
    check("/proj/[a-s]rc", Some(&["/proj/src"]));
    check("/proj/.e*", Some(&["/proj/.env"]));
    check("/proj/*env", Some(&[]));
    check("/proj/b\\[*", Some(&["/proj/b[1]"]));
}

#[test]
fn an_empty_disk_is_not_believed_where_all_of_it_is_meant() {
    check("/x*", None);
    check("/home/u/*", None);
}
