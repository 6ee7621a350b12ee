//! What a tool says of itself, held against itself.
//!
//! A tool says three times what a call does: in its effects, in its footprint and in its subjects.
//! Permission, order and rules each believe another of the three, so where they disagree somebody
//! is told what is not so. The tool is asked about many inputs: those that its schema gives, one
//! field varied at a time, and the author's own.
//!
//! [`Footprint::Everything`] is never a fault: it is what a tool has that says nothing, and safe
//! with any effects.
//!
//! What cannot be seen: whether a call does what it says, and what depends on two fields at once or
//! on a text that no schema tells. Those need examples.

mod look;

use std::fmt;

use serde_json::Value;
use toolpost_core::contract::{Contract, ReadOptions};
use toolpost_core::{Facts, Footprint, Tool};

use self::look::{Answers, look_at};
use crate::drift::inputs_for;

/// One thing that a tool says of itself and that cannot be so.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ClaimFault {
    /// What kind it is.
    pub kind: ClaimFaultKind,
    /// What disagrees, and what to do about it.
    pub message: String,
    /// The first input that shows it, where there is one.
    pub example: Option<Value>,
}

/// The kinds of claims that cannot be so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ClaimFaultKind {
    /// The tool has no contract, so it has no inputs.
    NoContract,
    /// The tool's own schema refuses an example of its author.
    BadExample,
    /// There was no input to ask about.
    NoInput,
    /// A method that answers for an input panics on it.
    Panics,
    /// The answers differ when the same is asked twice.
    Unstable,
    /// The effects contradict themselves.
    Contradiction,
    /// Read-only whatever the input, while only some inputs write.
    ConstantReadOnly,
    /// Runs beside others (or never does) whatever the input, while only some inputs write.
    ConstantConcurrency,
    /// Read-only, and yet a write is claimed or a written path named.
    ReadOnlyWrites,
    /// Not read-only, and yet nothing is claimed as written.
    WritesNothing,
    /// Said to be safe beside others, with a footprint that is not.
    SafeYetWrites,
    /// A path is named to the rules that the footprint does not claim.
    UnclaimedPath,
    /// A host is named, and yet the effects stay on this machine.
    NotOpenWorld,
}

impl fmt::Display for ClaimFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.example {
            Some(example) => write!(f, "\n  shown by {example}"),
            None => Ok(()),
        }
    }
}

/// Every claim of a tool that cannot be so, each kind once.
///
/// `examples` are inputs of the author, beside those made from the schema. The tool is asked where
/// nothing exists and there is no state; [`claims_of_at`] asks elsewhere.
#[must_use]
pub fn claims_of<P, T: Tool<P>>(
    tool: &T,
    examples: impl IntoIterator<Item = Value>,
) -> Vec<ClaimFault> {
    claims_of_at(tool, examples, &Facts::new("/no/such/folder"))
}

/// As [`claims_of`], with the root, state and links of these facts.
#[must_use]
pub fn claims_of_at<P, T: Tool<P>>(
    tool: &T,
    examples: impl IntoIterator<Item = Value>,
    facts: &Facts,
) -> Vec<ClaimFault> {
    let mut found = Found::default();
    let contract = match tool.contract() {
        Ok(contract) => contract,
        Err(error) => {
            let message = format!("the tool makes no contract: {error}");
            found.add(ClaimFaultKind::NoContract, message, None);
            return found.0;
        }
    };
    let mut seen = Vec::new();
    for (text, input) in inputs(&contract, examples, &mut found) {
        let asked = Answers::of(tool, &input, facts);
        match (asked, Answers::of(tool, &input, facts)) {
            (Some(answers), Some(again)) => {
                if answers != again {
                    let message = format!(
                        "`{}` differs when the same is asked twice; answer from the input and the \
                         facts alone",
                        answers.first_other(&again)
                    );
                    found.add(ClaimFaultKind::Unstable, message, Some(&text));
                }
                seen.push((text, answers));
            }
            _ => {
                let message = "a method that answers for an input panics on one that the schema takes; answer for \
                               every input, with what claims most where it cannot be told";
                found.add(ClaimFaultKind::Panics, message.to_owned(), Some(&text));
            }
        }
    }
    look_at(&seen, facts, &mut found);
    found.0.sort_by_key(|fault| fault.kind);
    found.0
}

/// Fails when a tool claims what cannot be so, and says what to do about it.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolpost_core::{Context, Effects, Footprint, Scope, ToolBuilder};
/// use toolpost_test::assert_honest_claims;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Note {
///     /// What to add; without it the notes are only shown.
///     add: Option<String>,
/// }
///
/// let note = ToolBuilder::<Note>::new("note", "Show the notes, or add one.")
///     .effects(|input| match input.add {
///         Some(_) => Effects::WRITES,
///         None => Effects::READ_ONLY,
///     })
///     .footprint(|input, _| match input.add {
///         Some(_) => Footprint::nothing().writing(Scope::node("notes")),
///         None => Footprint::nothing().reading(Scope::node("notes")),
///     })
///     .call(|input, _cx: Context| async move { Ok(input.add.unwrap_or_default()) });
/// assert_honest_claims(&note, []);
/// ```
///
/// # Panics
///
/// When [`claims_of`] finds something; the message lists it.
#[track_caller]
#[allow(clippy::panic, reason = "an assertion")]
pub fn assert_honest_claims<P, T: Tool<P>>(tool: &T, examples: impl IntoIterator<Item = Value>) {
    let faults = claims_of(tool, examples);
    if !faults.is_empty() {
        let listed: Vec<String> = faults.iter().map(|fault| format!("- {fault}")).collect();
        panic!(
            "`{}` says of itself what cannot be so:\n{}",
            tool.name(),
            listed.join("\n")
        );
    }
}

/// The examples first, so that they are shown where they show a fault.
fn inputs<I: serde::de::DeserializeOwned>(
    contract: &Contract<I>,
    examples: impl IntoIterator<Item = Value>,
    found: &mut Found,
) -> Vec<(Value, I)> {
    let options = ReadOptions {
        repair: false,
        ..ReadOptions::default()
    };
    let read = |text: &Value| contract.read(&text.to_string(), &options);
    let mut inputs = Vec::new();
    for example in examples {
        match read(&example) {
            Ok(reading) => inputs.push((example, reading.input)),
            Err(refusal) => {
                let message = format!(
                    "an example is refused by the tool's own schema: {}; mend one of the two",
                    refusal
                        .problems()
                        .first()
                        .map_or("", |problem| &problem.message)
                );
                found.add(ClaimFaultKind::BadExample, message, Some(&example));
            }
        }
    }
    let made = inputs_for(contract.schema()).into_iter();
    inputs.extend(made.filter_map(|text| {
        let reading = read(&text).ok()?;
        Some((text, reading.input))
    }));
    if inputs.is_empty() {
        let message =
            "no input could be made from the schema, so nothing was asked; give an example";
        found.add(ClaimFaultKind::NoInput, message.to_owned(), None);
    }
    inputs
}

/// What was found, each kind once.
#[derive(Default)]
struct Found(Vec<ClaimFault>);

impl Found {
    fn add(&mut self, kind: ClaimFaultKind, message: String, example: Option<&Value>) {
        if !self.has(kind) {
            self.0.push(ClaimFault {
                kind,
                message,
                example: example.cloned(),
            });
        }
    }

    fn has(&self, kind: ClaimFaultKind) -> bool {
        self.0.iter().any(|fault| fault.kind == kind)
    }
}

/// How a call gets on with others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Company {
    /// Claims everything, or nothing was said.
    Alone,
    /// Claims only reads.
    Reads,
    /// Claims a write of something.
    Writes,
}

impl Company {
    fn of(footprint: &Footprint) -> Self {
        match footprint {
            Footprint::Everything => Self::Alone,
            Footprint::Claims(claims) => {
                let mut writes = claims
                    .iter()
                    .filter(|claim| claim.access == toolpost_core::Access::Write);
                writes.next().map_or(Self::Reads, |_| Self::Writes)
            }
        }
    }
}
