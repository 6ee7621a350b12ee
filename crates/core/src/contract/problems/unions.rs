//! Which form of a union was meant.
//!
//! In this order: the form that a tag names; the only form of the right type; the form with the
//! fewest faults, said as such. When no form has the right type, the types of all are wanted;
//! when a tag names none, the tags are listed.

use jsonschema::{JsonTypeSet, ValidationError, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::findings::{Fault, Finding, collect, types};
use crate::contract::{schema::resolve, wording};

/// A union that took a value under none of its forms.
pub(super) struct Union<'e> {
    pub(super) pointer: &'e str,
    pub(super) value: &'e Value,
    /// The schema that holds the union.
    pub(super) schema: Option<&'e Value>,
    pub(super) root: &'e Value,
    /// The errors under each form.
    pub(super) context: &'e [Vec<ValidationError<'static>>],
}

/// One form: its schema, where it is known, and what is wrong under it.
struct Form<'e> {
    schema: Option<&'e Value>,
    findings: Vec<Finding<'e>>,
    /// What the form wants instead, when the value has another type.
    wants: Option<JsonTypeSet>,
}

impl<'e> Union<'e> {
    pub(super) fn collect(
        self,
        schemas: Vec<&'e Value>,
        left: usize,
        found: &mut Vec<Finding<'e>>,
    ) {
        if let Some(values) = all_values(&schemas, self.value) {
            return found.push(self.finding(Fault::Values(values)));
        }
        if let Some(tag) = Tag::of(self.root, &schemas).filter(|tag| tag.can_name(self.value)) {
            return self.collect_tagged(&tag, left, found);
        }
        let mut forms: Vec<Form<'e>> = self
            .context
            .iter()
            .enumerate()
            .map(|(index, errors)| self.form(schemas.get(index).copied(), errors, left))
            .collect();
        let typed = forms.iter().filter(|form| form.wants.is_none()).count();
        if typed == 0 {
            let wanted = forms
                .iter()
                .filter_map(|form| form.wants)
                .fold(JsonTypeSet::empty(), JsonTypeSet::union);
            return found.push(self.finding(Fault::Type(wanted)));
        }
        forms.retain(|form| form.wants.is_none());
        let nearest = forms.into_iter().min_by_key(|form| weight(&form.findings));
        let Some(nearest) = nearest else { return };
        let note = (typed > 1).then(|| match nearest.schema {
            Some(schema) => {
                format!(
                    "read as {}, the nearest of {typed} forms",
                    wording::phrase(self.root, schema)
                )
            }
            None => format!("read as the nearest of {typed} forms"),
        });
        found.extend(nearest.findings.into_iter().map(|mut finding| {
            finding.note = finding.note.or_else(|| note.clone());
            finding
        }));
    }

    fn form(
        &self,
        schema: Option<&'e Value>,
        errors: &'e [ValidationError<'static>],
        left: usize,
    ) -> Form<'e> {
        let mut findings = Vec::new();
        let mut wants = None;
        for error in errors {
            if let (Kind::Type { kind }, true) =
                (error.kind(), error.instance_path().as_str() == self.pointer)
            {
                wants = Some(types(kind));
            }
            collect(error, self.root, left, &mut findings);
        }
        // A union inside that wants another type makes the form one that wants it.
        wants = wants.or_else(|| match findings.as_slice() {
            [
                Finding {
                    pointer,
                    fault: Fault::Type(types),
                    ..
                },
            ] if pointer == self.pointer => Some(*types),
            _ => None,
        });
        Form {
            schema,
            findings,
            wants,
        }
    }

    /// The errors of the form that the tag names, or the tags.
    fn collect_tagged(&self, tag: &Tag<'e>, left: usize, found: &mut Vec<Finding<'e>>) {
        let named = tag
            .named_by(self.value)
            .and_then(|index| self.context.get(index));
        if let Some(errors) = named {
            for error in errors {
                collect(error, self.root, left, found);
            }
            return;
        }
        found.push(match (tag, self.value) {
            (Tag::Field { name, values }, Value::Object(members)) => {
                let known = values.iter().map(|(_, value)| (*value).clone()).collect();
                let said = members.get(*name);
                self.finding(Fault::Tag {
                    name: (*name).to_owned(),
                    said,
                    known,
                })
            }
            (Tag::Name { names }, _) => {
                let forms = names.iter().map(|(_, _, form)| form.clone());
                self.finding(Fault::Values(forms.collect()))
            }
            (Tag::Field { .. }, _) => {
                let wanted = self
                    .context
                    .iter()
                    .flatten()
                    .filter_map(|error| match error.kind() {
                        Kind::Type { kind } if error.instance_path().as_str() == self.pointer => {
                            Some(types(kind))
                        }
                        _ => None,
                    });
                self.finding(Fault::Type(
                    wanted.fold(JsonTypeSet::empty(), JsonTypeSet::union),
                ))
            }
        });
    }

    fn finding(&self, fault: Fault<'e>) -> Finding<'e> {
        Finding {
            pointer: self.pointer.to_owned(),
            value: self.value,
            schema: self.schema,
            fault,
            note: None,
        }
    }
}

/// How far a value is from a form.
fn weight(findings: &[Finding<'_>]) -> usize {
    findings
        .iter()
        .map(|finding| match &finding.fault {
            Fault::Unknown { names, .. } => names.len(),
            _ => 1,
        })
        .sum()
}

/// The values of a union that lists values and nothing else (besides null): an enum whose
/// variants have descriptions.
fn all_values(schemas: &[&Value], value: &Value) -> Option<Vec<Value>> {
    let mut values = Vec::new();
    for schema in schemas {
        match (schema.get("const"), schema.get("enum"), schema.get("type")) {
            (Some(only), _, _) => values.push(only.clone()),
            (_, Some(Value::Array(options)), _) => values.extend(options.iter().cloned()),
            (_, _, Some(kind)) if kind == "null" => values.push(Value::Null),
            (_, _, _) => return None,
        }
    }
    let same_type = values
        .iter()
        .any(|option| std::mem::discriminant(option) == std::mem::discriminant(value));
    (same_type && !values.is_empty()).then_some(values)
}

/// What tells the forms of a tagged union apart. The numbers are places in the list of forms.
enum Tag<'e> {
    /// A field with a value of its own in each form.
    Field {
        name: &'e str,
        values: Vec<(usize, &'e Value)>,
    },
    /// The name of the only field, or a string: `{"move": {…}}`, `"stop"`. Each with an example.
    Name { names: Vec<(usize, &'e str, Value)> },
}

impl<'e> Tag<'e> {
    fn of(root: &'e Value, schemas: &[&'e Value]) -> Option<Self> {
        if schemas.len() < 2 {
            return None;
        }
        Self::field(root, schemas).or_else(|| Self::name(schemas))
    }

    fn field(root: &'e Value, schemas: &[&'e Value]) -> Option<Self> {
        let first = schemas.first()?.get("properties")?.as_object()?;
        first.keys().find_map(|name| {
            let values = schemas.iter().enumerate().map(|(index, schema)| {
                let tag = resolve(root, schema.get("properties")?.get(name)?);
                let only = match tag.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
                    Some([only]) => Some(only),
                    _ => tag.get("const"),
                };
                Some((index, only?))
            });
            Some(Self::Field {
                name,
                values: values.collect::<Option<Vec<_>>>()?,
            })
        })
    }

    fn name(schemas: &[&'e Value]) -> Option<Self> {
        let mut names = Vec::new();
        let mut objects = 0;
        for (index, schema) in schemas.iter().enumerate() {
            let strings = schema
                .get("enum")
                .and_then(Value::as_array)
                .map(Vec::as_slice)
                .unwrap_or_default();
            let strings: Vec<&Value> = strings.iter().chain(schema.get("const")).collect();
            if !strings.is_empty() {
                for string in strings {
                    names.push((index, string.as_str()?, string.clone()));
                }
                continue;
            }
            let properties = schema.get("properties")?.as_object()?;
            let required = schema.get("required")?.as_array()?;
            let (1, [only]) = (properties.len(), required.as_slice()) else {
                return None;
            };
            objects += 1;
            let only = only.as_str()?;
            names.push((index, only, serde_json::json!({ only: "…" })));
        }
        (objects > 0).then_some(Self::Name { names })
    }

    /// Whether a value can say at all which form it is: without a field for it, an object of
    /// several fields cannot.
    fn can_name(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Field { .. }, _) | (_, Value::String(_)) => true,
            (Self::Name { .. }, Value::Object(members)) => members.len() == 1,
            (Self::Name { .. }, _) => false,
        }
    }

    /// The form that a value says it is.
    fn named_by(&self, value: &Value) -> Option<usize> {
        match (self, value) {
            (Self::Field { name, values }, Value::Object(members)) => {
                let said = members.get(*name)?;
                values
                    .iter()
                    .find(|(_, value)| *value == said)
                    .map(|(index, _)| *index)
            }
            (Self::Name { names }, Value::Object(members)) => {
                let said = members.keys().next().filter(|_| members.len() == 1)?;
                names
                    .iter()
                    .find(|(_, name, form)| name == said && form.is_object())
                    .map(|(index, _, _)| *index)
            }
            _ => None,
        }
    }
}
