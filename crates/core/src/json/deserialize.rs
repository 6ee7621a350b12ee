//! serde over the tree.
//!
//! Reads what `serde_json` reads from the same text, and two things more: an integral float
//! where an integer is asked for (`3.0`, `1e2`, `-0`), and the same inside enums that serde
//! buffers first. It is more lenient than the schema in places, as serde is; the schema has
//! looked at the tree before.

use std::{marker::PhantomData, slice};

use serde::{
    de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor},
    forward_to_deserialize_any,
};

use super::{
    Node, Number, Trouble, Untold, deserialize_enum::Variant, deserialize_key::NameDeserializer,
};

/// Reads one node. `E` says how much is kept of a failure.
pub struct NodeDeserializer<'t, E = Untold> {
    node: Node<'t>,
    error: PhantomData<fn() -> E>,
}

impl<'t, E> NodeDeserializer<'t, E> {
    /// A reader of `node`.
    #[must_use]
    pub fn new(node: Node<'t>) -> Self {
        Self {
            node,
            error: PhantomData,
        }
    }
}

fn number<'t, E: Trouble, V: Visitor<'t>>(number: Number, visitor: V) -> Result<V::Value, E> {
    match number {
        // As `serde_json`: what is not negative is offered as unsigned.
        Number::Signed(value) => match u64::try_from(value) {
            Ok(value) => visitor.visit_u64(value),
            Err(_) => visitor.visit_i64(value),
        },
        Number::Unsigned(value) => visitor.visit_u64(value),
        Number::Float(value) => visitor.visit_f64(value),
    }
}

/// A request for an integer: integral floats are offered as one.
macro_rules! integers {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
            match self.node {
                Node::Number(value) => number(value.integral(), visitor),
                _ => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'t, E: Trouble> Deserializer<'t> for NodeDeserializer<'t, E> {
    type Error = E;

    #[inline]
    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        match self.node {
            Node::Null => visitor.visit_unit(),
            Node::Bool(value) => visitor.visit_bool(value),
            Node::Number(value) => number(value.offered(), visitor),
            Node::String(value) => visitor.visit_borrowed_str(value),
            Node::Array(items) => {
                let mut items = Items {
                    rest: items.iter(),
                    index: 0,
                    error: PhantomData,
                };
                let value = visitor.visit_seq(&mut items)?;
                if items.rest.as_slice().is_empty() {
                    Ok(value)
                } else {
                    Err(E::invalid_length(
                        items.index + items.rest.len(),
                        &"fewer items",
                    ))
                }
            }
            Node::Object(members) => {
                let mut members = Members::new(members);
                let value = visitor.visit_map(&mut members)?;
                if members.rest.as_slice().is_empty() {
                    Ok(value)
                } else {
                    Err(E::custom("more fields than expected"))
                }
            }
        }
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    #[inline]
    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        match self.node {
            Node::Number(value) => number(value, visitor),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_f32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        self.deserialize_f64(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        match self.node {
            Node::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    /// An object, or an array for a struct; never `null`, which a map's visitor takes as empty.
    #[inline]
    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        match self.node {
            Node::Null => Err(E::invalid_type(serde::de::Unexpected::Unit, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    #[inline]
    fn deserialize_ignored_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        match self.node {
            Node::String(name) => visitor.visit_enum(Variant::named(name)),
            Node::Object([(name, content)]) => visitor.visit_enum(Variant::with(name, *content)),
            Node::Object(_) => Err(E::custom(
                "expected an object with one field, the name of the variant",
            )),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool char str string bytes byte_buf unit unit_struct seq tuple tuple_struct struct identifier
    }
}

struct Items<'t, E> {
    rest: slice::Iter<'t, Node<'t>>,
    index: usize,
    error: PhantomData<fn() -> E>,
}

impl<'t, E: Trouble> SeqAccess<'t> for Items<'t, E> {
    type Error = E;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'t>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, E> {
        let Some(node) = self.rest.next() else {
            return Ok(None);
        };
        let index = self.index;
        self.index += 1;
        match seed.deserialize(NodeDeserializer::new(*node)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(E::in_item(error, index)),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'t, E> {
    rest: slice::Iter<'t, (&'t str, Node<'t>)>,
    value: Option<&'t (&'t str, Node<'t>)>,
    error: PhantomData<fn() -> E>,
}

impl<'t, E> Members<'t, E> {
    fn new(members: &'t [(&'t str, Node<'t>)]) -> Self {
        Self {
            rest: members.iter(),
            value: None,
            error: PhantomData,
        }
    }
}

impl<'t, E: Trouble> MapAccess<'t> for Members<'t, E> {
    type Error = E;

    #[inline]
    fn next_key_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<Option<S::Value>, E> {
        self.value = self.rest.next();
        match self.value {
            Some((name, _)) => match seed.deserialize(NameDeserializer::new(name)) {
                Ok(value) => Ok(Some(value)),
                Err(error) => Err(E::in_member(error, name)),
            },
            None => Ok(None),
        }
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'t>>(&mut self, seed: S) -> Result<S::Value, E> {
        match self.value.take() {
            Some((name, node)) => seed
                .deserialize(NodeDeserializer::new(*node))
                .map_err(|error| E::in_member(error, name)),
            None => Err(E::custom("a value was asked for before its name")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
