//! What a named session goes on with.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolpost_run::session_file::{Kept, SessionError, SessionFile};

/// A part that is one value.
#[derive(Clone)]
struct Part(&'static str, Arc<Mutex<Value>>);

impl Part {
    fn new(key: &'static str) -> Self {
        Self(key, Arc::default())
    }
}

impl Kept for Part {
    fn key(&self) -> &'static str {
        self.0
    }

    fn save(&self) -> Value {
        self.1.lock().unwrap().clone()
    }

    fn restore(&self, value: Value) -> Result<(), String> {
        if value.is_boolean() {
            return Err("no truth is kept".to_owned());
        }
        *self.1.lock().unwrap() = value;
        Ok(())
    }
}

#[test]
fn a_session_goes_on_where_it_was_and_keeps_what_it_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let open = |root: &str| SessionFile::open(folder.path(), "s", root.as_ref());
    let (one, two) = (Part::new("one"), Part::new("two"));
    let mut session = open("/proj").unwrap();
    session.keep(one.clone()).unwrap();
    session.keep(two.clone()).unwrap();
    *one.1.lock().unwrap() = json!(["a"]);
    *two.1.lock().unwrap() = json!(2);
    session.save().unwrap();
    assert!(matches!(open("/proj"), Err(SessionError::Busy(_))));
    drop(session);

    // One that does not know the second part leaves it as it is.
    let again = Part::new("one");
    let mut session = open("/proj").unwrap();
    session.keep(again.clone()).unwrap();
    assert_eq!(*again.1.lock().unwrap(), json!(["a"]));
    *again.1.lock().unwrap() = json!(["b"]);
    session.save().unwrap();
    drop(session);
    let text = std::fs::read_to_string(folder.path().join("s.json")).unwrap();
    assert_eq!(
        text,
        r#"{"v":1,"name":"s","root":"/proj","kept":{"two":2,"one":["b"]}}"#
    );
    assert!(matches!(
        open("/other"),
        Err(SessionError::OtherRoot { .. })
    ));
}

#[test]
fn a_session_that_cannot_be_gone_on_with_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.json");
    let why = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let opened = SessionFile::open(folder.path(), "s", "/proj".as_ref());
        let kept = opened.and_then(|mut session| session.keep(Part::new("one")));
        let error = kept.unwrap_err().to_string();
        error.replace(&file.display().to_string(), "FILE")
    };
    assert_eq!(
        why(r#"{"v":2}"#),
        "the session's file `FILE` cannot be used: it has version 2, and this toolpost knows 1; mend \
         it, or remove it to begin anew"
    );
    assert!(why("{").contains("EOF"));
    assert!(
        why(r#"{"v":1,"name":"s","root":"/proj","kept":{"one":true}}"#)
            .contains("`kept.one`: no truth")
    );
    for name in ["", "..", "a/b", ".a", "-a", "a b", "ä", &"x".repeat(65)] {
        let error = SessionFile::open(folder.path(), name, "/proj".as_ref()).unwrap_err();
        assert!(matches!(error, SessionError::BadName(_)), "{name}");
    }
}
