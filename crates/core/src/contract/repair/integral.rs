//! `3.0` where the schema wants an integer is valid; once an input is written anew it is written
//! as `3`, and said.

use serde_json::Value;

use super::{
    super::{schema::resolve, wording},
    Repair,
    place::member_pointer,
};
use crate::json::Number;

pub(super) fn write_as_integers(root: &Value, value: &mut Value) -> Vec<Repair> {
    let mut repairs = Vec::new();
    walk(root, &[root], value, "", &mut repairs);
    repairs
}

/// `schemas` are all that apply to `value`.
fn walk(
    root: &Value,
    schemas: &[&Value],
    value: &mut Value,
    pointer: &str,
    repairs: &mut Vec<Repair>,
) {
    let mut all = Vec::new();
    schemas
        .iter()
        .for_each(|schema| applicable(root, schema, 8, &mut all));
    match value {
        Value::Number(number)
            if number.is_f64() && all.iter().any(|schema| wants_integer(schema)) =>
        {
            let integer = Number::from(&*number).offered().to_number();
            if !integer.is_f64() {
                let from = wording::json(value);
                *value = Value::Number(integer);
                repairs.push(Repair {
                    pointer: pointer.to_owned(),
                    from,
                    to: Some(value.clone()),
                });
            }
        }
        Value::Object(members) => {
            for (name, member) in members.iter_mut() {
                let inner: Vec<&Value> = all
                    .iter()
                    .filter_map(|schema| of_member(schema, name))
                    .collect();
                if !inner.is_empty() {
                    walk(
                        root,
                        &inner,
                        member,
                        &member_pointer(pointer, name),
                        repairs,
                    );
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                let inner: Vec<&Value> = all
                    .iter()
                    .filter_map(|schema| of_item(schema, index))
                    .collect();
                if !inner.is_empty() {
                    walk(root, &inner, item, &format!("{pointer}/{index}"), repairs);
                }
            }
        }
        _ => {}
    }
}

/// A schema and those it is composed of, references followed.
fn applicable<'s>(root: &'s Value, schema: &'s Value, left: usize, all: &mut Vec<&'s Value>) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    all.push(schema);
    let target = resolve(root, schema);
    if !std::ptr::eq(target, schema) {
        applicable(root, target, left, all);
    }
    for list in ["allOf", "anyOf", "oneOf"] {
        let parts = schema.get(list).and_then(Value::as_array);
        parts
            .into_iter()
            .flatten()
            .for_each(|part| applicable(root, part, left, all));
    }
}

fn of_member<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    schema
        .get("properties")
        .and_then(|own| own.get(name))
        .or_else(|| schema.get("additionalProperties"))
}

fn of_item(schema: &Value, index: usize) -> Option<&Value> {
    let first = schema.get("prefixItems").and_then(|first| first.get(index));
    first.or_else(|| schema.get("items").filter(|items| items.is_object()))
}

fn wants_integer(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == "integer",
        Some(Value::Array(kinds)) => {
            kinds.iter().any(|kind| kind == "integer") && !kinds.iter().any(|kind| kind == "number")
        }
        _ => false,
    }
}
