use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Facts, Links};

struct One(&'static str, &'static str);

impl Links for One {
    fn resolve(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(self.0) {
            Ok(rest) if rest.as_os_str().is_empty() => self.1.into(),
            Ok(rest) => Path::new(self.1).join(rest),
            Err(_) => path.into(),
        }
    }
}

#[test]
fn dots_are_taken_out_from_the_root() {
    let facts = Facts::new("/proj");
    assert_eq!(
        facts.absolute("a/../b/./c".as_ref()),
        Path::new("/proj/b/c")
    );
    assert_eq!(facts.absolute("../../../x".as_ref()), Path::new("/x"));
    assert_eq!(
        facts.absolute("/etc/passwd".as_ref()),
        Path::new("/etc/passwd")
    );
}

#[test]
fn inside_is_by_whole_names() {
    let facts = Facts::new("/proj").with_roots(vec!["/shared".into()]);
    assert!(facts.is_inside("src".as_ref()));
    assert!(facts.is_inside("/shared/x".as_ref()));
    assert!(!facts.is_inside("/project".as_ref()));
    assert!(!facts.is_inside("../other".as_ref()));
}

#[test]
fn a_link_that_leads_out_is_outside() {
    let facts = Facts::new("/proj").with_links(Arc::new(One("/proj/out", "/etc")));
    assert!(!facts.is_inside("out/passwd".as_ref()));
    assert!(facts.is_inside("in".as_ref()));
}

#[test]
fn a_root_that_is_itself_a_link_holds_its_files() {
    let facts = Facts::new("/link").with_links(Arc::new(One("/link", "/real")));
    assert!(facts.is_inside("a".as_ref()));
    assert!(facts.is_inside("/link/a".as_ref()));
    assert!(facts.is_inside("/real/a".as_ref()));
    assert!(!facts.is_inside("/realm/a".as_ref()));
}
