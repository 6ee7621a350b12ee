//! Looking things up in a schema.

use serde_json::{Map, Value};

/// The schema of an input, with its definitions at hand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schema<'s> {
    pub(super) root: &'s Value,
}

/// Keywords that list schemas for the same value.
pub(super) const PARTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];

impl<'s> Schema<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root }
    }

    /// The schema that a reference stands for.
    pub(super) fn resolve(self, schema: &'s Value) -> &'s Value {
        let mut schema = schema;
        for _ in 0..16 {
            let reference = schema.get("$ref").and_then(Value::as_str);
            match reference.and_then(|reference| self.root.pointer(reference.strip_prefix('#')?)) {
                Some(target) => schema = target,
                None => break,
            }
        }
        schema
    }

    /// All schemas that may say something about the value at `pointer`, unions spread out.
    pub(super) fn at(self, pointer: &str) -> Vec<&'s Value> {
        let mut here = Vec::new();
        self.spread(self.root, 8, &mut here);
        for step in pointer.split('/').skip(1) {
            let name = step.replace("~1", "/").replace("~0", "~");
            let mut next = Vec::new();
            for schema in here {
                self.step(schema, &name, &mut next);
            }
            here = next;
        }
        here
    }

    fn step(self, schema: &'s Value, name: &str, next: &mut Vec<&'s Value>) {
        let own = schema
            .get("properties")
            .and_then(|properties| properties.get(name));
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let mut inner: Vec<&'s Value> = own.into_iter().collect();
        if inner.is_empty() {
            inner.extend(patterns.into_iter().flat_map(Map::values));
            inner.extend(schema.get("additionalProperties"));
        }
        if let Ok(index) = name.parse::<usize>() {
            let first = schema.get("prefixItems").and_then(|first| first.get(index));
            inner.extend(first.or_else(|| schema.get("items")));
        }
        inner
            .into_iter()
            .for_each(|schema| self.spread(schema, 8, next));
    }

    /// A schema and those it is composed of.
    pub(super) fn spread(self, schema: &'s Value, left: usize, all: &mut Vec<&'s Value>) {
        let Some(left) = left.checked_sub(1) else {
            return;
        };
        let schema = self.resolve(schema);
        if schema.is_boolean() {
            return;
        }
        all.push(schema);
        for list in PARTS {
            let parts = schema.get(list).and_then(Value::as_array);
            parts
                .into_iter()
                .flatten()
                .for_each(|part| self.spread(part, left, all));
        }
    }

    /// The names of fields that the schema shows at a place.
    pub(super) fn fields(self, pointer: &str) -> Vec<&'s str> {
        let objects = self
            .at(pointer)
            .into_iter()
            .filter_map(|schema| schema.get("properties")?.as_object());
        objects.flat_map(Map::keys).map(String::as_str).collect()
    }

    /// The names of variants that the schema shows at a place: strings that are listed, names
    /// of the only field of an object, and tags.
    pub(super) fn variants(self, pointer: &str) -> Vec<&'s str> {
        let mut names = Vec::new();
        for schema in self.at(pointer) {
            names.extend(strings(schema));
            let properties = schema.get("properties").and_then(Value::as_object);
            for (name, property) in properties.into_iter().flatten() {
                names.push(name.as_str());
                names.extend(strings(self.resolve(property)));
            }
        }
        names
    }

    /// Whether values of this type are taken at a place, whatever else is asked of them.
    pub(super) fn takes_type(self, pointer: &str, value: &Value) -> bool {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.as_f64().is_none_or(|number| number.fract() == 0.0) => {
                "integer"
            }
            Value::Number(_) => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        self.at(pointer)
            .into_iter()
            .filter_map(|schema| schema.get("type"))
            .any(|said| has_type(said, kind) || (kind == "integer" && has_type(said, "number")))
    }

    /// Whether only listed strings are taken at a place.
    pub(super) fn is_listed(self, pointer: &str) -> bool {
        let schemas = self.at(pointer);
        let open = schemas.iter().any(|schema| {
            schema
                .get("type")
                .is_some_and(|kind| has_type(kind, "string"))
                && strings(schema).next().is_none()
        });
        !open
            && schemas
                .iter()
                .any(|schema| strings(schema).next().is_some())
    }
}

/// The strings that a schema lists.
pub(super) fn strings(schema: &Value) -> impl Iterator<Item = &str> {
    let listed = schema
        .get("enum")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    listed.chain(schema.get("const")).filter_map(Value::as_str)
}

pub(super) fn has_type(said: &Value, kind: &str) -> bool {
    match said {
        Value::String(said) => said == kind,
        Value::Array(said) => said.iter().any(|said| said == kind),
        _ => false,
    }
}

/// The pointer to a member.
pub(super) fn member(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}
