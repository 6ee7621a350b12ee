//! Where a type and its schema disagree.
//!
//! Three looks at the type, from the cheapest to the most thorough:
//!
//! 1. the schema alone ([`untagged`]: a choice that no tag tells apart);
//! 2. what the type asks a deserializer for ([`trace`]): names of fields and variants, among
//!    them aliases, and integer keys;
//! 3. values ([`generate`]) and changed values ([`mutate`]), read by the contract and by plain
//!    serde ([`agree`]).
//!
//! What the contract closes by itself is no drift: bounds, lengths, patterns and unknown fields
//! have force whatever serde does, and a struct written as an array is refused.
//!
//! What cannot be seen: an alias of a field that serde buffers first (inside an internally
//! tagged or untagged enum, or beside a flattened field), unless the type denies unknown fields
//! or the alias is the name in another case.

mod agree;
mod generate;
mod mutate;
mod noted;
mod schema;
mod trace;
mod untagged;

use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toolpost_core::contract::Contract;

use self::{agree::Agreement, schema::Schema, trace::trace};

/// One disagreement between a type and its schema.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Drift {
    /// What kind it is.
    pub kind: DriftKind,
    /// JSON pointer to the place in the input.
    pub pointer: String,
    /// What disagrees, and what to do about it.
    pub message: String,
    /// An input that shows it, where there is one.
    pub example: Option<Value>,
}

/// The kinds of disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DriftKind {
    /// The type makes no contract at all.
    NoContract,
    /// serde reads a name that the schema does not show: an alias, or a field left out of it.
    HiddenName,
    /// serde takes every other variant too (`#[serde(other)]`), the schema only those it lists.
    OtherVariant,
    /// A choice without a tag: serde takes the first variant that reads, the schema any that fits.
    Untagged,
    /// A flattened option: serde drops what does not fit, the schema refuses it.
    FlattenedOption,
    /// The keys of a map are integers, whose width the schema cannot say.
    IntegerKey,
    /// The schema accepts what serde refuses.
    Stricter,
    /// serde accepts what the schema refuses.
    Laxer,
    /// No value could be made for the place, so it was not held against anything.
    Unchecked,
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() {
            "the input"
        } else {
            &self.pointer
        };
        write!(f, "{place}: {}", self.message)?;
        match &self.example {
            Some(example) => write!(f, "\n  shown by {example}"),
            None => Ok(()),
        }
    }
}

/// Inputs made from a schema: every branch, fields present and absent. Not all of them need fit it.
pub(crate) fn inputs_for(schema: &Value) -> Vec<Value> {
    generate::Generator::new(Schema::new(schema)).inputs()
}

/// Everything in which a type and its schema disagree.
#[must_use]
pub fn drift_of<T: DeserializeOwned + JsonSchema>() -> Vec<Drift> {
    let contract = match Contract::<T>::of_type() {
        Ok(contract) => contract,
        Err(error) => {
            let message = format!("the type makes no contract: {error}");
            return vec![Drift {
                kind: DriftKind::NoContract,
                pointer: String::new(),
                message,
                example: None,
            }];
        }
    };
    let schema = Schema::new(contract.schema());
    let mut agreement = Agreement::new(&contract, schema);
    let samples = agreement.samples();
    let traced = trace::<T>(schema, &samples);
    untagged::find(schema, &traced, &mut agreement.found);
    traced.find(schema, &mut agreement.found);
    agreement.compare(&samples, &traced);
    agreement.found.into_drifts()
}

/// Fails when a type and its schema disagree, and says in what.
///
/// # Panics
///
/// When [`drift_of`] finds something; the message lists it.
#[track_caller]
#[allow(clippy::panic, reason = "an assertion")]
pub fn assert_no_drift<T: DeserializeOwned + JsonSchema>() {
    let drifts = drift_of::<T>();
    if !drifts.is_empty() {
        let listed: Vec<String> = drifts.iter().map(|drift| format!("- {drift}")).collect();
        panic!(
            "`{}` and its schema disagree:\n{}",
            std::any::type_name::<T>(),
            listed.join("\n")
        );
    }
}

/// What was found, each once.
#[derive(Default)]
struct Found(Vec<Drift>);

impl Found {
    fn add(&mut self, kind: DriftKind, pointer: &str, message: String, example: Option<Value>) {
        // The items of one list are one place.
        let same = |other: &Drift| other.kind == kind && plain(&other.pointer) == plain(pointer);
        if !self.0.iter().any(same) {
            self.0.push(Drift {
                kind,
                pointer: pointer.to_owned(),
                message,
                example,
            });
        }
    }

    /// Whether another kind explains a place already.
    fn has(&self, kind: DriftKind, pointer: &str) -> bool {
        self.0
            .iter()
            .any(|drift| drift.kind == kind && plain(&drift.pointer) == plain(pointer))
    }

    fn into_drifts(mut self) -> Vec<Drift> {
        self.0
            .sort_by(|a, b| (a.kind, &a.pointer).cmp(&(b.kind, &b.pointer)));
        self.0
    }
}

/// A pointer with every index as 0.
fn plain(pointer: &str) -> String {
    let steps = pointer.split('/').map(|step| {
        let index = !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
        if index { "0" } else { step }
    });
    steps.collect::<Vec<_>>().join("/")
}
