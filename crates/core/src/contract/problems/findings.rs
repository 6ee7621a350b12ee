//! Plain findings, with unions looked into.

use jsonschema::{
    JsonTypeSet, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value;

use super::{fields, unions};
use crate::contract::schema::resolve;

/// One thing that is wrong at one place.
#[derive(Debug, Clone)]
pub(in crate::contract) struct Finding<'e> {
    pub(in crate::contract) pointer: String,
    pub(in crate::contract) value: &'e Value,
    /// The schema that the value breaks, where it is known.
    pub(in crate::contract) schema: Option<&'e Value>,
    pub(in crate::contract) fault: Fault<'e>,
    /// When the value was held against one of several forms: how that one was chosen.
    pub(in crate::contract) note: Option<String>,
}

/// The kinds of finding that are told apart.
#[derive(Debug, Clone)]
pub(in crate::contract) enum Fault<'e> {
    /// Another type is wanted; in a union, what its forms want together.
    Type(JsonTypeSet),
    /// A field is missing.
    Missing(String),
    /// Fields are there that the schema does not know; and those it does.
    Unknown {
        names: Vec<String>,
        known: Vec<String>,
    },
    /// One of these values is wanted.
    Values(Vec<Value>),
    /// A field must say which form is meant, and says none of these.
    Tag {
        name: String,
        said: Option<&'e Value>,
        known: Vec<Value>,
    },
    /// A keyword that needs no look inside.
    Keyword(&'e Kind),
}

/// All findings of the errors.
pub(in crate::contract) fn findings<'e>(
    errors: &'e [ValidationError<'_>],
    root: &'e Value,
) -> Vec<Finding<'e>> {
    let mut found = Vec::new();
    for error in errors {
        collect(error, root, 8, &mut found);
    }
    found
}

/// `left` bounds how deep unions are looked into.
pub(super) fn collect<'e>(
    error: &'e ValidationError<'_>,
    root: &'e Value,
    left: usize,
    found: &mut Vec<Finding<'e>>,
) {
    let schema = owner(error, root);
    let value: &'e Value = error.instance();
    let fault = match error.kind() {
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } if left > 0 => {
            let union = unions::Union {
                pointer: error.instance_path().as_str(),
                value,
                schema,
                root,
                context,
            };
            return union.collect(schema_branches(error, root), left - 1, found);
        }
        Kind::Type { kind } => Fault::Type(types(kind)),
        Kind::Required { property } => {
            Fault::Missing(property.as_str().unwrap_or_default().to_owned())
        }
        Kind::AdditionalProperties { unexpected } => Fault::Unknown {
            names: unexpected.clone(),
            known: fields::known(root, schema),
        },
        Kind::UnevaluatedProperties { unexpected } => {
            let known = fields::known(root, schema);
            // A form that did not fit leaves its fields unevaluated; its own errors say why.
            let names: Vec<String> = unexpected
                .iter()
                .filter(|name| !known.contains(name))
                .cloned()
                .collect();
            if names.is_empty() && !known.is_empty() {
                return;
            }
            Fault::Unknown { names, known }
        }
        Kind::Enum { options } => Fault::Values(options.as_array().cloned().unwrap_or_default()),
        Kind::Constant { expected_value } => Fault::Values(vec![Value::clone(expected_value)]),
        kind => Fault::Keyword(kind),
    };
    let pointer = error.instance_path().as_str().to_owned();
    found.push(Finding {
        pointer,
        value,
        schema,
        fault,
        note: None,
    });
}

pub(super) fn types(kind: &TypeKind) -> JsonTypeSet {
    match kind {
        TypeKind::Single(kind) => JsonTypeSet::empty().insert(*kind),
        TypeKind::Multiple(kinds) => *kinds,
    }
}

/// The schema whose keyword failed.
fn owner<'e>(error: &ValidationError<'_>, root: &'e Value) -> Option<&'e Value> {
    let (owner, _) = error.schema_path().as_str().rsplit_once('/')?;
    root.pointer(owner)
}

/// The forms of a union, as its schema lists them.
fn schema_branches<'e>(error: &ValidationError<'_>, root: &'e Value) -> Vec<&'e Value> {
    let branches = root
        .pointer(error.schema_path().as_str())
        .and_then(Value::as_array);
    branches
        .into_iter()
        .flatten()
        .map(|branch| resolve(root, branch))
        .collect()
}
