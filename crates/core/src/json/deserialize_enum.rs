//! serde's enums over the tree: a string for a variant without content, or an object with one
//! field for one with content.

use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Unexpected, VariantAccess, Visitor,
};

use super::{Node, NodeDeserializer, Trouble, deserialize_key::NameDeserializer};

/// One variant: its name, and what it holds.
pub(super) struct Variant<'t, E> {
    name: &'t str,
    content: Option<Node<'t>>,
    error: PhantomData<fn() -> E>,
}

impl<'t, E> Variant<'t, E> {
    pub(super) fn named(name: &'t str) -> Self {
        Self {
            name,
            content: None,
            error: PhantomData,
        }
    }

    pub(super) fn with(name: &'t str, content: Node<'t>) -> Self {
        Self {
            name,
            content: Some(content),
            error: PhantomData,
        }
    }
}

impl<'t, E: Trouble> Variant<'t, E> {
    fn content(self, expected: &'static str) -> Result<NodeDeserializer<'t, E>, E> {
        self.content
            .map(NodeDeserializer::new)
            .ok_or_else(|| E::invalid_type(Unexpected::UnitVariant, &expected).in_member(self.name))
    }
}

impl<'t, E: Trouble> EnumAccess<'t> for Variant<'t, E> {
    type Error = E;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<(S::Value, Self), E> {
        let variant = seed.deserialize(NameDeserializer::new(self.name))?;
        Ok((variant, self))
    }
}

impl<'t, E: Trouble> VariantAccess<'t> for Variant<'t, E> {
    type Error = E;

    fn unit_variant(self) -> Result<(), E> {
        match self.content {
            None => Ok(()),
            Some(content) => <()>::deserialize(NodeDeserializer::<E>::new(content))
                .map_err(|error| error.in_member(self.name)),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'t>>(self, seed: S) -> Result<S::Value, E> {
        let name = self.name;
        seed.deserialize(self.content("a variant with a value")?)
            .map_err(|error| error.in_member(name))
    }

    fn tuple_variant<V: Visitor<'t>>(self, _: usize, visitor: V) -> Result<V::Value, E> {
        let name = self.name;
        self.content("a variant with a list")?
            .deserialize_any(visitor)
            .map_err(|error| error.in_member(name))
    }

    fn struct_variant<V: Visitor<'t>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        let name = self.name;
        self.content("a variant with fields")?
            .deserialize_any(visitor)
            .map_err(|error| error.in_member(name))
    }
}
