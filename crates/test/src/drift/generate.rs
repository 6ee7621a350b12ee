//! Values that a schema accepts: every branch, fields present and absent, numbers at their
//! bounds. Few enough to try each of them with changes.

mod text;

use serde_json::{Map, Number, Value, json};

use self::text::{fits, strings_for};
use super::{
    plain,
    schema::{PARTS, Schema, has_type, member},
};

/// Values of one place.
const MOST: usize = 24;
/// Values of the whole input: enough that the last of many fields is varied too.
const MOST_INPUTS: usize = 200;

pub(super) struct Generator<'s> {
    schema: Schema<'s>,
    /// Places for which no value was found.
    pub(super) unchecked: Vec<String>,
}

impl<'s> Generator<'s> {
    pub(super) fn new(schema: Schema<'s>) -> Self {
        Self {
            schema,
            unchecked: Vec::new(),
        }
    }

    /// Values for the whole input.
    pub(super) fn inputs(&mut self) -> Vec<Value> {
        self.values(self.schema.root, "", 7)
    }

    /// `left` bounds the depth, and with it types that hold themselves.
    fn values(&mut self, here: &'s Value, pointer: &str, left: usize) -> Vec<Value> {
        let Some(left) = left.checked_sub(1) else {
            return Vec::new();
        };
        let here = self.schema.resolve(here);
        if here.is_boolean() {
            return if here == &Value::Bool(true) {
                vec![json!("any"), json!({"any": [1, null]})]
            } else {
                Vec::new()
            };
        }
        if let Some(only) = here.get("const") {
            return vec![only.clone()];
        }
        if let Some(Value::Array(options)) = here.get("enum") {
            return options.iter().take(MOST).cloned().collect();
        }
        let kinds: Vec<&str> = match here.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        let composed = PARTS.iter().any(|list| here.get(*list).is_some());
        let mut values = match (kinds.is_empty(), composed) {
            // What a union is made of says what it takes.
            (true, true) if here.get("properties").is_none() => {
                self.composed(here, pointer, left, Vec::new())
            }
            (true, _) => self.objects(here, pointer, left),
            (false, _) => kinds
                .iter()
                .flat_map(|kind| self.of_kind(here, kind, pointer, left))
                .collect(),
        };
        if here.get("not").is_some() {
            values.retain(|value| fits(here, value));
        }
        let most = if pointer.is_empty() {
            MOST_INPUTS
        } else {
            MOST
        };
        values.truncate(most);
        if values.is_empty() && left > 1 {
            self.unchecked.push(plain(pointer));
        }
        values
    }

    fn of_kind(&mut self, here: &'s Value, kind: &str, pointer: &str, left: usize) -> Vec<Value> {
        match kind {
            "null" => vec![Value::Null],
            "boolean" => vec![json!(true), json!(false)],
            "integer" => numbers(here, &["0", "1", "2", "3", "7", "100", "-1"]),
            "number" => numbers(here, &["1.5", "0", "-2.25", "100", "3"]),
            "string" => strings_for(here),
            "array" => self.arrays(here, pointer, left),
            "object" => self.objects(here, pointer, left),
            _ => Vec::new(),
        }
    }

    fn arrays(&mut self, here: &'s Value, pointer: &str, left: usize) -> Vec<Value> {
        let bound = |name: &str| {
            here.get(name)
                .and_then(Value::as_u64)
                .and_then(|bound| usize::try_from(bound).ok())
        };
        let (least, most) = (
            bound("minItems").unwrap_or(0),
            bound("maxItems").unwrap_or(usize::MAX),
        );
        if let Some(Value::Array(first)) = here.get("prefixItems") {
            let places = first.iter().enumerate();
            let lists: Vec<Vec<Value>> = places
                .map(|(index, item)| self.values(item, &format!("{pointer}/{index}"), left))
                .collect();
            return one_at_a_time(&lists)
                .into_iter()
                .map(Value::Array)
                .collect();
        }
        let items = match here.get("items") {
            Some(items) => self.values(items, &format!("{pointer}/0"), left),
            None => self.values(&ANY, pointer, 1),
        };
        let lengths = [0, 1, least, items.len().clamp(least, most.min(MOST))];
        let mut arrays: Vec<Value> = Vec::new();
        for length in lengths
            .into_iter()
            .filter(|length| (least..=most).contains(length))
        {
            let unique = here.get("uniqueItems") == Some(&Value::Bool(true));
            if length > items.len() && (unique || items.is_empty()) {
                continue;
            }
            let array: Value = items
                .iter()
                .cycle()
                .take(length.min(1000))
                .cloned()
                .collect();
            if !arrays.contains(&array) {
                arrays.push(array);
            }
        }
        arrays
    }

    fn objects(&mut self, here: &'s Value, pointer: &str, left: usize) -> Vec<Value> {
        let required: Vec<&str> = here
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let properties = here.get("properties").and_then(Value::as_object);
        let mut names = Vec::new();
        let mut lists = Vec::new();
        for (name, property) in properties.into_iter().flatten() {
            let values = self.values(property, &member(pointer, name), left);
            if !values.is_empty() {
                names.push(name.clone());
                lists.push(values);
            } else if required.contains(&name.as_str()) {
                return Vec::new();
            }
        }
        let full = one_at_a_time(&lists)
            .into_iter()
            .map(|values| names.iter().cloned().zip(values).collect());
        let mut objects: Vec<Map<String, Value>> = full.collect();
        if let Some(first) = objects.first() {
            let mut bare = first.clone();
            bare.retain(|name, _| required.contains(&name.as_str()));
            objects.insert(0, bare);
        }
        objects.extend(self.maps(
            here,
            pointer,
            left,
            objects.first().cloned().unwrap_or_default(),
        ));
        let objects: Vec<Value> = objects.into_iter().map(Value::Object).collect();
        if PARTS.iter().any(|list| here.get(*list).is_some()) {
            return self.composed(here, pointer, left, objects);
        }
        objects
    }

    /// Objects with names that the schema does not list, where it takes such.
    fn maps(
        &mut self,
        here: &'s Value,
        pointer: &str,
        left: usize,
        bare: Map<String, Value>,
    ) -> Vec<Map<String, Value>> {
        let patterns = here.get("patternProperties").and_then(Value::as_object);
        let open = here
            .get("additionalProperties")
            .filter(|more| **more != Value::Bool(false));
        let schemas = patterns.into_iter().flat_map(Map::values).chain(open);
        let mut maps = Vec::new();
        for schema in schemas {
            let values = self.values(schema, &member(pointer, "7"), left);
            // A name that is an integer passes as any key.
            let named = values.into_iter().map(|value| {
                let mut map = bare.clone();
                map.insert("7".to_owned(), value);
                map
            });
            maps.extend(named);
        }
        maps
    }

    /// Values that keep all of `allOf` and one of each union, beside their own fields.
    fn composed(
        &mut self,
        here: &'s Value,
        pointer: &str,
        left: usize,
        own: Vec<Value>,
    ) -> Vec<Value> {
        let mut values = own;
        for list in PARTS {
            let Some(Value::Array(parts)) = here.get(list) else {
                continue;
            };
            let per_part: Vec<Vec<Value>> = parts
                .iter()
                .map(|part| self.values(part, pointer, left))
                .collect();
            if list == "allOf" {
                for part in per_part {
                    values = merge(&values, &part);
                }
            } else {
                let branches: Vec<Value> = interleave(per_part);
                values = merge(&values, &branches);
            }
        }
        values
    }
}

/// The schema of a list that does not say what it holds.
static ANY: Value = Value::Bool(true);

/// Each list's first value, and in turn every other value of each list.
fn one_at_a_time(lists: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let first: Option<Vec<Value>> = lists.iter().map(|list| list.first().cloned()).collect();
    let Some(first) = first else {
        return Vec::new();
    };
    let mut rows = vec![first.clone()];
    for (place, list) in lists.iter().enumerate() {
        for value in list.iter().skip(1) {
            let mut row = first.clone();
            if let Some(there) = row.get_mut(place) {
                *there = value.clone();
            }
            rows.push(row);
        }
    }
    rows
}

/// The first of each, then the second of each, so that a cut leaves something of all.
fn interleave(lists: Vec<Vec<Value>>) -> Vec<Value> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .flat_map(|index| {
            lists
                .iter()
                .filter_map(move |list| list.get(index).cloned())
        })
        .collect()
}

/// Objects put together; other values as they are.
fn merge(values: &[Value], parts: &[Value]) -> Vec<Value> {
    let Some(base) = values.last() else {
        return parts.to_vec();
    };
    let Some(part) = parts.first() else {
        return values.to_vec();
    };
    let join = |one: &Value, other: &Value| match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            let mut joined = one.clone();
            joined.extend(other.clone());
            Value::Object(joined)
        }
        (_, other) => other.clone(),
    };
    let mut merged: Vec<Value> = parts.iter().map(|part| join(base, part)).collect();
    merged.extend(values.iter().map(|value| join(value, part)));
    merged
}

/// The bounds, and some numbers between them.
fn numbers(here: &Value, usual: &[&str]) -> Vec<Value> {
    let bound = |name: &str| here.get(name).and_then(Value::as_number).cloned();
    let inside = |number: &Number| {
        let value = number.as_f64().unwrap_or_default();
        let holds = |name: &str, holds: fn(f64, f64) -> bool| {
            here.get(name)
                .and_then(Value::as_f64)
                .is_none_or(|bound| holds(value, bound))
        };
        holds("minimum", |value, bound| value >= bound)
            && holds("maximum", |value, bound| value <= bound)
            && holds("exclusiveMinimum", |value, bound| value > bound)
            && holds("exclusiveMaximum", |value, bound| value < bound)
            && holds("multipleOf", |value, step| (value / step).fract() == 0.0)
            && (here.get("type").is_none_or(|kind| has_type(kind, "number"))
                || value.fract() == 0.0)
    };
    let usual = usual.iter().filter_map(|number| number.parse().ok());
    let beside = ["exclusiveMinimum", "exclusiveMaximum"]
        .iter()
        .filter_map(|name| here.get(*name)?.as_i64());
    let beside = beside
        .flat_map(|bound| [bound.saturating_sub(1), bound.saturating_add(1)])
        .map(Number::from);
    let numbers = usual.chain(beside).chain(
        [bound("multipleOf"), bound("minimum"), bound("maximum")]
            .into_iter()
            .flatten(),
    );
    let mut found: Vec<Value> = Vec::new();
    for number in numbers.filter(inside) {
        let number = Value::Number(number);
        if !found.contains(&number) {
            found.push(number);
        }
    }
    found
}
