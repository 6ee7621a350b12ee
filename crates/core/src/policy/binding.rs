//! What a verdict is bound to: the bytes of the input and the objects that its paths lead to.
//!
//! A rule judges what is there at the start anew, so only the bytes bind it. A person has seen the
//! objects too, and has said yes to these.

use std::path::PathBuf;
use std::sync::Arc;

/// The bytes and the objects that a verdict names. When they are others at the start of
/// execution, the verdict does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// A digest of the input, in hexadecimal.
    pub digest: Arc<str>,
    /// Each path that is touched, with the object that it led to.
    pub objects: Vec<(PathBuf, PathBuf)>,
}

impl Binding {
    /// What is another now than it was, in words, to a verdict that a person gave or did not.
    pub fn change(&self, now: &Self, is_of_person: bool) -> Option<String> {
        if self.digest != now.digest {
            return Some("the input is not the one that was permitted".to_owned());
        }
        if !is_of_person {
            return None;
        }
        now.objects.iter().find_map(|(path, real)| {
            let (_, before) = self.objects.iter().find(|(before, _)| before == path)?;
            let path = path.to_string_lossy();
            (before != real).then(|| {
                format!(
                    "`{}` leads elsewhere than when it was permitted",
                    path.escape_debug()
                )
            })
        })
    }

    /// Whether the same input touches paths that it did not when it was permitted, since the shell
    /// stands in another folder now.
    pub fn is_elsewhere(&self, now: &Self) -> bool {
        let is_new = |path| !self.objects.iter().any(|(before, _)| before == path);
        now.objects.iter().any(|(path, _)| is_new(path))
    }
}
