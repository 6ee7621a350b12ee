//! serde over the name of a field or the key of a map.
//!
//! A key of a map may be an integer, a float or a boolean, spelled in exactly one way: `7` is a
//! key, `07` and `+7` are none.

use std::marker::PhantomData;

use serde::{
    de::{Deserializer, Unexpected, Visitor, value::BorrowedStrDeserializer},
    forward_to_deserialize_any,
};

use super::Trouble;

pub(super) struct NameDeserializer<'t, E> {
    name: &'t str,
    error: PhantomData<fn() -> E>,
}

impl<'t, E> NameDeserializer<'t, E> {
    pub(super) fn new(name: &'t str) -> Self {
        Self {
            name,
            error: PhantomData,
        }
    }
}

macro_rules! integers {
    ($($method:ident $visit:ident $integer:ty,)*) => {$(
        fn $method<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
            match self.name.parse::<$integer>() {
                Ok(value) if is_plain(self.name) => visitor.$visit(value),
                _ => Err(E::invalid_value(Unexpected::Str(self.name), &stringify!($integer))),
            }
        }
    )*};
}

/// Whether an integer is spelled without a needless sign or zero.
fn is_plain(name: &str) -> bool {
    let digits = name.strip_prefix('-').unwrap_or(name);
    name == "0" || !digits.starts_with(['0', '+'])
}

impl<'t, E: Trouble> Deserializer<'t> for NameDeserializer<'t, E> {
    type Error = E;

    #[inline]
    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_borrowed_str(self.name)
    }

    integers! {
        deserialize_i8 visit_i8 i8,
        deserialize_i16 visit_i16 i16,
        deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64,
        deserialize_i128 visit_i128 i128,
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
    }

    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        match self.name.parse::<f64>() {
            Ok(value) if value.is_finite() => visitor.visit_f64(value),
            _ => Err(E::invalid_value(Unexpected::Str(self.name), &"a number")),
        }
    }

    fn deserialize_f32<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_bool<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        match self.name {
            "true" => visitor.visit_bool(true),
            "false" => visitor.visit_bool(false),
            _ => Err(E::invalid_value(
                Unexpected::Str(self.name),
                &"`true` or `false`",
            )),
        }
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, E> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, E> {
        visitor.visit_enum(BorrowedStrDeserializer::new(self.name))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'t>>
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
