//! What a type asks a deserializer for.
//!
//! serde tells a deserializer the names of the fields of a struct and of the variants of an
//! enum, aliases among them, and asks for a map where a struct has flattened fields. A
//! deserializer that only listens learns what no attribute shows at run time.

mod listener;

use std::{cell::RefCell, collections::BTreeMap};

use serde::de::DeserializeOwned;
use serde_json::Value;

use self::listener::Listener;
use super::{
    DriftKind, Found, plain,
    schema::{Schema, member},
};

/// What was asked for at one place.
#[derive(Debug, Default, Clone)]
pub(super) struct Asked {
    fields: Vec<&'static str>,
    variants: Vec<&'static str>,
    /// The integer type of the keys of a map.
    integer_key: Option<&'static str>,
    /// Whether the place was asked for as a map.
    map: bool,
    /// Whether the value was taken as it is, to be read later.
    buffered: bool,
}

/// What was asked for, by place; the items of a list are one place.
#[derive(Debug, Default)]
pub(super) struct Traced(BTreeMap<String, Asked>);

/// A name that no type has.
const NO_NAME: &str = "no such name\u{1}";

/// Listens while the type reads the samples, and samples with a name spoiled.
pub(super) fn trace<T: DeserializeOwned>(schema: Schema<'_>, samples: &[Value]) -> Traced {
    let log = RefCell::new(Traced::default());
    for sample in samples {
        drop(T::deserialize(Listener::new(sample, String::new(), &log)));
        for (pointer, spoiled) in spoil(sample) {
            if let Err(noted) = T::deserialize(Listener::new(&spoiled, String::new(), &log)) {
                let mut log = log.borrow_mut();
                let asked = log.place(&pointer);
                asked.add(noted.fields, noted.variants);
            }
        }
    }
    let mut traced = log.into_inner();
    traced
        .0
        .retain(|pointer, _| pointer.is_empty() || !schema.at(pointer).is_empty());
    traced
}

/// The value with an unknown field in each object, and with each string as an unknown variant.
fn spoil(sample: &Value) -> Vec<(String, Value)> {
    let mut places = Vec::new();
    collect(sample, String::new(), &mut places);
    let spoiled = places.into_iter().filter_map(|pointer| {
        let mut value = sample.clone();
        match value.pointer_mut(&pointer)? {
            Value::Object(members) => drop(members.insert(NO_NAME.to_owned(), Value::Null)),
            other => *other = Value::from(NO_NAME),
        }
        Some((pointer, value))
    });
    spoiled.collect()
}

fn collect(value: &Value, pointer: String, places: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                collect(value, member(&pointer, name), places);
            }
            places.push(pointer);
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{pointer}/{index}"), places);
            }
        }
        Value::String(_) => places.push(pointer),
        _ => {}
    }
}

impl Traced {
    fn place(&mut self, pointer: &str) -> &mut Asked {
        self.0.entry(plain(pointer)).or_default()
    }

    /// Whether fields are flattened into the object at a place: it was asked for as a map though
    /// it has fields of its own.
    pub(super) fn is_flattened(&self, schema: Schema<'_>, pointer: &str) -> bool {
        self.0.get(&plain(pointer)).is_some_and(|asked| asked.map)
            && !schema.fields(pointer).is_empty()
    }

    /// Whether the value at a place may be buffered: it was, or nobody saw.
    pub(super) fn may_buffer(&self, pointer: &str) -> bool {
        self.0
            .get(&plain(pointer))
            .is_none_or(|asked| asked.buffered)
    }

    /// Adds names that the schema does not show, and integer keys.
    pub(super) fn find(&self, schema: Schema<'_>, found: &mut Found) {
        for (pointer, asked) in &self.0 {
            let shown = schema.fields(pointer);
            let hidden = asked.fields.iter().filter(|name| !shown.contains(name));
            // A variant may be shown at the place itself, or be the tag of the object round it.
            let parent = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            let mut variants = schema.variants(pointer);
            variants.extend(schema.variants(parent));
            let hidden_variants = asked
                .variants
                .iter()
                .filter(|name| !variants.contains(name));
            let hidden: Vec<String> = hidden
                .chain(hidden_variants)
                .map(|name| format!("`{name}`"))
                .collect();
            if !hidden.is_empty() {
                let message = format!(
                    "serde also reads {}, which the schema does not show (an alias, or a field left out of the \
                     schema); drop it, or make it a field or variant of its own",
                    hidden.join(", ")
                );
                found.add(DriftKind::HiddenName, pointer, message, None);
            }
            if let Some(width) = asked.integer_key {
                let message = format!(
                    "the keys are integers (`{width}`), and the schema cannot say how large they may be; use \
                     strings as keys, or a list of objects"
                );
                found.add(DriftKind::IntegerKey, pointer, message, None);
            }
        }
    }
}

impl Asked {
    fn add(&mut self, fields: &'static [&'static str], variants: &'static [&'static str]) {
        for (list, names) in [(&mut self.fields, fields), (&mut self.variants, variants)] {
            for name in names {
                if !list.contains(name) {
                    list.push(name);
                }
            }
        }
    }
}
