//! Repair: what a model must have meant, where the schema leaves no doubt.
//!
//! Only at a place that the validator refused for its type, and never where a string is taken:
//!
//! - a number or boolean in a string, an array or object in a string;
//! - one item where a list is wanted;
//! - `null` for a field that may be left out and does not take `null`;
//! - the arguments as a whole as a string that holds an object.
//!
//! A repair is tried and the whole input validated again; what does not help is undone.

mod integral;
mod mend;
mod place;

use bumpalo::Bump;
use serde::Serialize;
use serde_json::Value;

use self::mend::{Mend, mend};
use super::{
    Limits,
    law::Law,
    problems::{Fault, Finding, findings},
    wording,
};
use crate::json::{Node, parse, with_scratch};

/// One change that was made to an input before it was read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repair {
    /// JSON pointer to the place; empty for the input as a whole.
    pub pointer: String,
    /// What was there: JSON, cut short when it is long.
    pub from: String,
    /// What is there now; left out when the field was dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
}

/// A string in a string in a string is followed so far.
const ROUNDS: usize = 6;
/// Repairs of one input. More than that is no slip.
const MOST: usize = 200;

/// The object in a string, when the whole of the arguments is one.
pub(super) fn unwrap_text(value: &Value, limits: &Limits) -> Option<(Value, Repair)> {
    let text = value.as_str()?;
    let inner = match text.trim() {
        "" => Value::Object(serde_json::Map::new()),
        text => read(text, limits).filter(Value::is_object)?,
    };
    let repair = Repair {
        pointer: String::new(),
        from: wording::json(value),
        to: Some(inner.clone()),
    };
    Some((inner, repair))
}

/// A JSON text as a value, strictly read.
fn read(text: &str, limits: &Limits) -> Option<Value> {
    with_scratch(|scratch| {
        parse(text, &scratch.bump, &mut scratch.stacks, limits)
            .ok()
            .map(|node| node.to_value())
    })
}

/// Repairs what can be, and says what it did. The result is not promised to be valid.
pub(super) fn repair(law: &Law, value: &mut Value, limits: &Limits) -> Vec<Repair> {
    let mut done: Vec<Done> = Vec::new();
    let mut given_up: Vec<String> = Vec::new();
    for _ in 0..ROUNDS {
        let mends = with_findings(law, value, |findings| {
            let open = findings
                .iter()
                .filter(|finding| !given_up.contains(&finding.pointer));
            open.filter_map(|finding| mend(finding, limits))
                .take(MOST)
                .collect::<Vec<_>>()
        });
        let mut tried: Vec<Done> = mends
            .into_iter()
            .filter_map(|mend| Done::apply(value, mend))
            .collect();
        if tried.is_empty() {
            break;
        }
        let failed = with_findings(law, value, |findings| {
            tried
                .iter()
                .map(|done| findings.iter().any(|finding| done.is_refused_by(finding)))
                .collect::<Vec<_>>()
        });
        for (done, failed) in std::mem::take(&mut tried).into_iter().zip(failed) {
            if failed {
                given_up.push(done.mend.pointer.clone());
                done.undo(value);
            } else {
                tried.push(done);
            }
        }
        done.extend(tried);
        if done.len() >= MOST {
            break;
        }
    }
    give_up_wraps(law, value, &mut done);
    let mut repairs: Vec<Repair> = done.into_iter().map(Done::into_repair).collect();
    if !repairs.is_empty() {
        repairs.extend(integral::write_as_integers(law.schema(), value));
    }
    repairs
}

fn with_findings<T>(law: &Law, value: &Value, work: impl FnOnce(&[Finding<'_>]) -> T) -> T {
    let bump = Bump::new();
    let root = Node::from_value(value, &bump);
    let errors = law.errors(&root);
    work(&findings(&errors, law.schema()))
}

/// A list made round an item that does not fit the list either hides what the model sent.
fn give_up_wraps(law: &Law, value: &mut Value, done: &mut Vec<Done>) {
    if !done.iter().any(|done| done.mend.is_wrap) {
        return;
    }
    let faulty: Vec<String> = with_findings(law, value, |findings| {
        findings
            .iter()
            .map(|finding| finding.pointer.clone())
            .collect()
    });
    let (kept, wrong): (Vec<Done>, Vec<Done>) =
        std::mem::take(done).into_iter().partition(|done| {
            !done.mend.is_wrap
                || !faulty
                    .iter()
                    .any(|pointer| place::is_at_or_below(pointer, &done.mend.pointer))
        });
    for wrap in wrong.into_iter().rev() {
        wrap.undo(value);
    }
    *done = kept;
}

/// A mend that is in the value.
struct Done {
    mend: Mend,
    before: Value,
}

impl Done {
    fn apply(value: &mut Value, mend: Mend) -> Option<Self> {
        let before = match &mend.to {
            Some(to) => std::mem::replace(value.pointer_mut(&mend.pointer)?, to.clone()),
            None => place::take_member(value, &mend.pointer)?,
        };
        Some(Self { mend, before })
    }

    fn undo(self, value: &mut Value) {
        place::put(value, &self.mend.pointer, self.before);
    }

    /// Whether the validator still has something against the place itself.
    fn is_refused_by(&self, finding: &Finding<'_>) -> bool {
        match &finding.fault {
            // A dropped field was required after all.
            Fault::Missing(name) => {
                self.mend.to.is_none()
                    && place::member_pointer(&finding.pointer, name) == self.mend.pointer
            }
            // Something inside it, which is told by itself.
            Fault::Unknown { .. } | Fault::Tag { .. } => false,
            _ => finding.pointer == self.mend.pointer,
        }
    }

    fn into_repair(self) -> Repair {
        Repair {
            pointer: self.mend.pointer,
            from: wording::json(&self.before),
            to: self.mend.to,
        }
    }
}

#[cfg(test)]
mod tests;
