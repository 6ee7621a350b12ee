//! The tree that a text is read into.

use bumpalo::Bump;
use serde_json::{Map, Value};

use super::Number;

/// One JSON value. Strings without escapes are slices of the text, all else is in the arena.
#[derive(Debug, Clone, Copy)]
pub enum Node<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string, with its escapes resolved.
    String(&'t str),
    /// An array.
    Array(&'t [Node<'t>]),
    /// An object: its members in the order of the text, no name twice.
    Object(&'t [(&'t str, Node<'t>)]),
}

impl Node<'_> {
    /// The same value as an owned `serde_json::Value`, numbers as they were written.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.build(&Number::to_number)
    }

    /// The same value with each integral float as an integer, as serde is offered it.
    #[must_use]
    pub fn to_integral_value(&self) -> Value {
        self.build(&|number| number.offered().to_number())
    }

    /// Whether it has more than `weight` values, itself and those inside; 256 bytes of a string
    /// weigh as much as a value.
    #[must_use]
    pub fn is_heavier_than(&self, weight: usize) -> bool {
        self.weigh(weight).is_none()
    }

    fn weigh(&self, left: usize) -> Option<usize> {
        let left = left.checked_sub(1)?;
        match self {
            Self::String(string) => left.checked_sub(string.len() / 256),
            Self::Array(items) => items.iter().try_fold(left, |left, item| item.weigh(left)),
            Self::Object(members) => members
                .iter()
                .try_fold(left, |left, (_, value)| value.weigh(left)),
            _ => Some(left),
        }
    }

    fn build(&self, number: &impl Fn(&Number) -> serde_json::Number) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Number(value) => Value::Number(number(value)),
            Self::String(value) => Value::String((*value).to_owned()),
            Self::Array(items) => items.iter().map(|item| item.build(number)).collect(),
            Self::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| ((*name).to_owned(), value.build(number)));
                Value::Object(members.collect::<Map<_, _>>())
            }
        }
    }
}

impl<'t> Node<'t> {
    /// The tree of a value that is there already, in `bump`.
    #[must_use]
    pub fn from_value(value: &'t Value, bump: &'t Bump) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => Self::Number(Number::from(number)),
            Value::String(string) => Self::String(string),
            Value::Array(items) => Self::Array(
                bump.alloc_slice_fill_iter(items.iter().map(|item| Self::from_value(item, bump))),
            ),
            Value::Object(members) => {
                let members = members
                    .iter()
                    .map(|(name, value)| (name.as_str(), Self::from_value(value, bump)));
                Self::Object(bump.alloc_slice_fill_iter(members))
            }
        }
    }
}
