//! Choices that no tag tells apart, seen in the schema.

use serde_json::Value;

use super::{DriftKind, Found, schema::Schema, trace::Traced};

const MESSAGE: &str = "an untagged choice: serde takes the first variant that reads, which need not be the one \
                       that fits the schema; give the enum a tag (`#[serde(tag = \"…\")]`)";

/// Adds every untagged choice. Where the type was seen to read in another way, it is none.
pub(super) fn find(schema: Schema<'_>, traced: &Traced, found: &mut Found) {
    walk(schema, schema.root, "", 6, &mut |pointer| {
        if traced.may_buffer(pointer) {
            found.add(DriftKind::Untagged, pointer, MESSAGE.to_owned(), None);
        }
    });
}

fn walk(schema: Schema<'_>, here: &Value, pointer: &str, left: usize, add: &mut impl FnMut(&str)) {
    let Some(left) = left.checked_sub(1) else {
        return;
    };
    let resolved = schema.resolve(here);
    if is_choice(schema, resolved) {
        add(pointer);
    }
    for list in super::schema::PARTS {
        let parts = resolved.get(list).and_then(Value::as_array);
        parts
            .into_iter()
            .flatten()
            .for_each(|part| walk(schema, part, pointer, left, add));
    }
    let properties = resolved.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        walk(
            schema,
            property,
            &super::schema::member(pointer, name),
            left,
            add,
        );
    }
    if let Some(items) = resolved.get("items") {
        walk(schema, items, &format!("{pointer}/0"), left, add);
    }
    if let Some(values) = resolved.get("additionalProperties") {
        walk(schema, values, &format!("{pointer}/key"), left, add);
    }
    let prefix = resolved.get("prefixItems").and_then(Value::as_array);
    for (index, item) in prefix.into_iter().flatten().enumerate() {
        walk(schema, item, &format!("{pointer}/{index}"), left, add);
    }
}

/// `anyOf` with two forms or more; `null`, an empty schema, and a bare format are none.
fn is_choice(schema: Schema<'_>, here: &Value) -> bool {
    let Some(forms) = here.get("anyOf").and_then(Value::as_array) else {
        return false;
    };
    let real = forms.iter().filter(|form| {
        let form = schema.resolve(form);
        let null = form.get("type").is_some_and(|kind| kind == "null");
        let says = |name: &str| form.get(name).is_some();
        !null
            && [
                "type",
                "properties",
                "oneOf",
                "anyOf",
                "allOf",
                "enum",
                "const",
            ]
            .iter()
            .any(|name| says(name))
    });
    real.count() > 1
}
