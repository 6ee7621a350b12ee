//! The tree as the `jsonschema` crate sees it: its validator walks the arena in place.

use std::{borrow::Cow, slice};

use jsonschema::{
    JsonType,
    json::{Array, Json, JsonNumber, Node as JsonNode, NodeIdentity, Object, cmp},
};
use serde_json::Value;

use super::{Node, Number};

/// The representation: a validator for it is `Validator<Tree>`.
#[derive(Debug)]
pub struct Tree;

impl Json for Tree {
    type Node<'a> = &'a Node<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    const KEYS_PER_LOOKUP: usize = 2;
    const ACYCLIC: bool = true;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>(
        (): &mut (),
        string: &str,
        work: impl FnOnce(<Self as Json>::Node<'_>) -> T,
    ) -> T {
        work(&Node::String(string))
    }
}

impl<'a> JsonNode<'a, Tree> for &'a Node<'a> {
    type Object = &'a [(&'a str, Node<'a>)];
    type Array = &'a [Node<'a>];
    type Number = Number;

    #[inline]
    fn as_object(&self) -> Option<Self::Object> {
        if let Node::Object(members) = **self {
            Some(members)
        } else {
            None
        }
    }

    #[inline]
    fn as_array(&self) -> Option<Self::Array> {
        if let Node::Array(items) = **self {
            Some(items)
        } else {
            None
        }
    }

    #[inline]
    fn as_string(&self) -> Option<Cow<'a, str>> {
        if let Node::String(string) = **self {
            Some(Cow::Borrowed(string))
        } else {
            None
        }
    }

    #[inline]
    fn as_number(&self) -> Option<Number> {
        if let Node::Number(number) = **self {
            Some(number)
        } else {
            None
        }
    }

    #[inline]
    fn as_boolean(&self) -> Option<bool> {
        if let Node::Bool(value) = **self {
            Some(value)
        } else {
            None
        }
    }

    #[inline]
    fn is_null(&self) -> bool {
        matches!(self, Node::Null)
    }

    #[inline]
    fn json_type(&self) -> JsonType {
        match self {
            Node::Null => JsonType::Null,
            Node::Bool(_) => JsonType::Boolean,
            Node::Number(_) => JsonType::Number,
            Node::String(_) => JsonType::String,
            Node::Array(_) => JsonType::Array,
            Node::Object(_) => JsonType::Object,
        }
    }

    /// A code point has one to four bytes, which often decides it without counting.
    fn string_length_within(&self, min: u64, max: u64) -> Option<bool> {
        let Node::String(string) = self else {
            return None;
        };
        let bytes = string.len() as u64;
        let fewest = bytes.div_ceil(4);
        if bytes < min || fewest > max {
            return Some(false);
        }
        if min <= fewest && bytes <= max {
            return Some(true);
        }
        Some((min..=max).contains(&(string.chars().count() as u64)))
    }

    fn equals_value(&self, expected: &Value) -> bool {
        match (self, expected) {
            (Node::String(string), Value::String(expected)) => string == expected,
            (Node::String(_), _) | (_, Value::String(_)) => false,
            _ => cmp::equal(&Node::to_value(self), expected),
        }
    }

    fn to_value(&self) -> Cow<'a, Value> {
        Cow::Owned(Node::to_value(self))
    }

    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(
            std::ptr::from_ref::<Node<'_>>(*self).addr(),
        ))
    }
}

/// The members of an object.
#[derive(Debug)]
pub struct Members<'a>(slice::Iter<'a, (&'a str, Node<'a>)>);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a str, &'a Node<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().map(|(name, value)| (*name, value))
    }
}

impl<'a> Object<'a, Tree> for &'a [(&'a str, Node<'a>)] {
    type Node = &'a Node<'a>;
    type MemberName = &'a str;
    type MembersIter = Members<'a>;

    #[inline]
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    #[inline]
    fn get(&self, key: &Box<str>) -> Option<&'a Node<'a>> {
        self.iter()
            .find(|(name, _)| *name == &**key)
            .map(|(_, value)| value)
    }

    #[inline]
    fn members(&self) -> Members<'a> {
        Members(self.iter())
    }
}

impl<'a> Array<'a, Tree> for &'a [Node<'a>] {
    type Node = &'a Node<'a>;
    type ElementsIter = slice::Iter<'a, Node<'a>>;

    #[inline]
    fn len(&self) -> usize {
        <[_]>::len(self)
    }

    #[inline]
    fn elements(&self) -> Self::ElementsIter {
        self.iter()
    }
}

impl JsonNumber for Number {
    #[inline]
    fn as_u64(&self) -> Option<u64> {
        match *self {
            Self::Signed(value) => u64::try_from(value).ok(),
            Self::Unsigned(value) => Some(value),
            Self::Float(_) => None,
        }
    }

    #[inline]
    fn as_i64(&self) -> Option<i64> {
        match *self {
            Self::Signed(value) => Some(value),
            Self::Unsigned(_) | Self::Float(_) => None,
        }
    }

    #[inline]
    fn as_f64(&self) -> Option<f64> {
        Some(Number::to_f64(*self))
    }

    fn as_str(&self) -> Cow<'_, str> {
        Cow::Owned(Number::to_number(self).to_string())
    }

    fn to_number(&self) -> Cow<'_, serde_json::Number> {
        Cow::Owned(Number::to_number(self))
    }

    #[inline]
    fn is_integer(&self) -> bool {
        Number::is_integer(*self)
    }

    #[inline]
    fn is_written_as_integer(&self) -> bool {
        !matches!(self, Self::Float(_))
    }
}
