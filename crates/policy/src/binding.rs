//! What a verdict is bound to: the bytes of the input and the objects that its paths lead to.

use std::fmt::Write as _;
use std::path::PathBuf;

use sha2::{Digest, Sha256};
use toolpost_core::{DecidedBy, Decision, Verdict};

use crate::place::escaped;
use crate::prepared::Prepared;

/// The bytes and the objects that a verdict names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding {
    /// SHA-256 of the input, in hexadecimal.
    pub digest: String,
    /// Each path that is touched, with what it led to.
    pub objects: Vec<(PathBuf, PathBuf)>,
}

impl Binding {
    /// What a verdict about this question is bound to.
    pub fn of(prepared: &Prepared<'_>) -> Self {
        Self {
            digest: digest(&prepared.question.input),
            objects: prepared.objects(),
        }
    }

    /// What is another now than it was, in words.
    pub fn change(&self, now: &Self) -> Option<String> {
        if self.digest != now.digest {
            return Some("the input is not the one that was permitted".to_owned());
        }
        now.objects.iter().find_map(|(path, real)| {
            let (_, before) = self.objects.iter().find(|(before, _)| before == path)?;
            (before != real).then(|| {
                let path = escaped(&path.to_string_lossy());
                format!("`{path}` leads elsewhere than when it was permitted")
            })
        })
    }
}

/// SHA-256 of a text, in hexadecimal.
pub fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

/// The verdict at the start of execution: what it was, or a denial that says what changed.
pub fn recheck(before: (&Decision, &Binding), now: (Decision, &Binding)) -> Decision {
    let (then, bound) = before;
    let (decision, found) = now;
    if let Some(change) = bound.change(found) {
        return Decision::new(Verdict::Deny, DecidedBy::Tool, change);
    }
    if decision.effect > then.effect {
        let reason = format!(
            "what it rests on has changed since it was permitted: {}",
            decision.reason
        );
        let denied = Decision {
            effect: Verdict::Deny,
            reason: reason.into(),
            may_be_lifted: false,
            ..decision
        };
        return denied;
    }
    then.clone()
}
