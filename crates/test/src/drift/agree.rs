//! The contract and plain serde, asked about the same values.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use toolpost_core::contract::{Contract, Problem, ReadOptions, Refusal};

use super::{
    DriftKind, Found,
    generate::Generator,
    mutate::{Change, Mutation, mutations},
    plain,
    schema::Schema,
    trace::Traced,
};

/// Inputs that are changed in every way, of those that were made.
const CHANGED: usize = 60;

pub(super) struct Agreement<'c, T> {
    contract: &'c Contract<T>,
    schema: Schema<'c>,
    pub(super) found: Found,
}

/// What the contract says of an input.
enum Said {
    Accepted,
    Refused,
    Drift(Problem),
}

impl<'c, T: DeserializeOwned> Agreement<'c, T> {
    pub(super) fn new(contract: &'c Contract<T>, schema: Schema<'c>) -> Self {
        Self {
            contract,
            schema,
            found: Found::default(),
        }
    }

    /// Inputs that the schema accepts.
    pub(super) fn samples(&mut self) -> Vec<Value> {
        let mut generator = Generator::new(self.schema);
        let inputs = generator.inputs();
        let samples: Vec<Value> = inputs
            .into_iter()
            .filter(|input| !matches!(self.ask(input), Said::Refused))
            .collect();
        let mut unchecked = generator.unchecked;
        if samples.is_empty() && unchecked.is_empty() {
            unchecked.push(String::new());
        }
        for pointer in unchecked {
            let message = "no value was found that the schema accepts, so nothing was tried; give one with \
                           `#[schemars(extend(\"examples\" = [\"…\"]))]`";
            self.found
                .add(DriftKind::Unchecked, &pointer, message.to_owned(), None);
        }
        samples
    }

    fn ask(&self, input: &Value) -> Said {
        let options = ReadOptions {
            repair: false,
            ..ReadOptions::default()
        };
        match self.contract.read(&input.to_string(), &options) {
            Ok(_) => Said::Accepted,
            Err(Refusal::Drift(problem)) => Said::Drift(problem),
            Err(_) => Said::Refused,
        }
    }

    /// Holds the samples, and the samples with changes, against both.
    pub(super) fn compare(&mut self, samples: &[Value], traced: &Traced) {
        for sample in samples {
            if let Said::Drift(problem) = self.ask(sample) {
                self.stricter(&problem, sample);
            }
        }
        let mut tried: HashMap<(String, String), usize> = HashMap::new();
        for sample in samples.iter().take(CHANGED) {
            for mutation in mutations(self.schema, sample) {
                let times = tried
                    .entry((shape(&mutation, sample), mutation.label.clone()))
                    .or_default();
                *times += 1;
                if *times <= 2 {
                    self.try_change(&mutation, traced);
                }
            }
        }
    }

    fn try_change(&mut self, mutation: &Mutation, traced: &Traced) {
        match self.ask(&mutation.input) {
            Said::Accepted => {}
            Said::Drift(problem) => self.stricter(&problem, &mutation.input),
            Said::Refused => {
                if mutation.change != Change::Closed
                    && serde_json::from_value::<T>(mutation.input.clone()).is_ok()
                {
                    self.laxer(mutation, traced);
                }
            }
        }
    }

    fn stricter(&mut self, problem: &Problem, input: &Value) {
        let explained = self.is_within(DriftKind::Untagged, &problem.pointer)
            || self.is_within(DriftKind::IntegerKey, &problem.pointer);
        if !explained {
            let message = format!(
                "the schema accepts what serde refuses: {}; say the rule in the schema, or take the value",
                problem.message
            );
            self.found.add(
                DriftKind::Stricter,
                &problem.pointer,
                message,
                Some(input.clone()),
            );
        }
    }

    fn laxer(&mut self, mutation: &Mutation, traced: &Traced) {
        let Mutation {
            change,
            pointer,
            label,
            input,
        } = mutation;
        // serde tries the other variants of an untagged choice; that is said already.
        if self.is_within(DriftKind::Untagged, pointer) {
            return;
        }
        let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        if *change == Change::Renamed && self.reads_without(input, parent, label) {
            return;
        }
        let dropped = self.dropped_option(input, pointer, traced);
        let (kind, message) = match change {
            Change::Type if dropped.is_some() => (
                DriftKind::FlattenedOption,
                "serde takes a flattened option as absent when it does not fit, and drops what was given; flatten \
                 the type itself, or make it a field of its own",
            ),
            Change::Type => (
                DriftKind::Laxer,
                "serde takes a value of another type, which the schema refuses (a deserializer of its own?); say in \
                 the schema what is taken",
            ),
            Change::Text if self.schema.is_listed(pointer) => (
                DriftKind::OtherVariant,
                "serde takes any other text for one of the variants (`#[serde(other)]`?), the schema only those it \
                 lists; drop the variant that stands for the rest, or use a string",
            ),
            Change::Removed => (
                DriftKind::Laxer,
                "serde reads the input without this field, which the schema requires; give it `#[serde(default)]`",
            ),
            Change::Renamed => (
                DriftKind::HiddenName,
                "serde also reads this field by another name, which the schema does not show; drop the alias",
            ),
            Change::Text | Change::Closed => return,
        };
        let pointer = dropped.as_deref().unwrap_or(pointer);
        // One fault of a place is enough: a field that may be left out takes any name.
        let said = [DriftKind::Laxer, DriftKind::HiddenName]
            .iter()
            .any(|kind| self.found.has(*kind, pointer));
        if !said && !self.found.has(DriftKind::HiddenName, parent) {
            self.found
                .add(kind, pointer, message.to_owned(), Some(input.clone()));
        }
    }

    /// The field round a place that serde drops whatever it holds: one of a flattened option.
    fn dropped_option(&self, input: &Value, pointer: &str, traced: &Traced) -> Option<String> {
        let ends = pointer.match_indices('/').map(|(end, _)| end);
        let parent = ends
            .filter_map(|end| pointer.get(..end))
            .find(|parent| traced.is_flattened(self.schema, parent))?;
        let name = pointer.get(parent.len() + 1..)?.split('/').next()?;
        let field = format!("{parent}/{name}");
        let odd = [
            json!(true),
            json!("no such text"),
            json!({"no such field": true}),
        ];
        let taken = odd.into_iter().filter(|odd| {
            let mut changed = input.clone();
            if let Some(place) = changed.pointer_mut(&field) {
                *place = odd.clone();
            }
            serde_json::from_value::<T>(changed).is_ok()
        });
        (taken.count() > 1).then_some(field)
    }

    /// Whether serde reads the input also without a field, so that its name says nothing.
    fn reads_without(&self, input: &Value, parent: &str, name: &str) -> bool {
        let mut without = input.clone();
        if let Some(Value::Object(members)) = without.pointer_mut(parent) {
            members.shift_remove(name);
        }
        serde_json::from_value::<T>(without).is_ok()
    }

    /// Whether a place is inside one where this kind was found.
    fn is_within(&self, kind: DriftKind, pointer: &str) -> bool {
        let pointer = plain(pointer);
        let ends = pointer
            .match_indices('/')
            .map(|(end, _)| end)
            .chain([pointer.len()]);
        ends.into_iter()
            .filter_map(|end| pointer.get(..end))
            .any(|outer| self.found.has(kind, outer))
    }
}

/// A place together with the fields beside it: one place of a union has several shapes.
fn shape(mutation: &Mutation, sample: &Value) -> String {
    let parent = mutation
        .pointer
        .rsplit_once('/')
        .map_or("", |(parent, _)| parent);
    let names = match sample.pointer(parent) {
        Some(Value::Object(members)) => members
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(","),
        _ => String::new(),
    };
    format!("{} {names}", plain(&mutation.pointer))
}
