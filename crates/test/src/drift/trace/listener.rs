//! A deserializer over a value that reads as `serde_json` does, and notes what it is asked for.

use std::{cell::RefCell, slice};

use serde::{
    de::{
        DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, Unexpected,
        VariantAccess, Visitor, value::StrDeserializer,
    },
    forward_to_deserialize_any,
};
use serde_json::{Value, map};

use super::{
    super::{noted::Noted, schema::member},
    Asked, Traced,
};

/// Requests that tell nothing.
macro_rules! plain {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
            self.read(visitor)
        }
    )*};
}

/// Requests for an integer as a key of a map.
macro_rules! integer_keys {
    ($($method:ident $visit:ident $integer:ident,)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
            self.object.note(|asked| asked.integer_key = Some(stringify!($integer)));
            match self.name.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(Noted::invalid_value(Unexpected::Str(self.name), &stringify!($integer))),
            }
        }
    )*};
}

#[derive(Clone)]
pub(super) struct Listener<'v> {
    value: &'v Value,
    pointer: String,
    log: &'v RefCell<Traced>,
}

impl<'v> Listener<'v> {
    pub(super) fn new(value: &'v Value, pointer: String, log: &'v RefCell<Traced>) -> Self {
        Self {
            value,
            pointer,
            log,
        }
    }

    fn note(&self, note: impl FnOnce(&mut Asked)) {
        note(self.log.borrow_mut().place(&self.pointer));
    }

    fn read<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        match self.value {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(value), _) => visitor.visit_u64(value),
                (None, Some(value)) => visitor.visit_i64(value),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            Value::String(value) => visitor.visit_str(value),
            Value::Array(items) => visitor.visit_seq(Items {
                rest: items.iter().enumerate(),
                list: self.clone(),
            }),
            Value::Object(members) => visitor.visit_map(Members {
                rest: members.iter(),
                value: None,
                object: self.clone(),
            }),
        }
    }
}

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Noted;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        self.note(|asked| asked.buffered = true);
        self.read(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        if self.value.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Noted> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Noted> {
        self.note(|asked| asked.add(fields, &[]));
        self.read(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        self.note(|asked| asked.map = true);
        self.read(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Noted> {
        self.note(|asked| asked.add(&[], variants));
        match self.value {
            Value::String(name) => visitor.visit_enum(Variant {
                name,
                content: None,
            }),
            Value::Object(members) if members.len() == 1 => match members.iter().next() {
                Some((name, value)) => {
                    let content = Listener::new(value, member(&self.pointer, name), self.log);
                    visitor.visit_enum(Variant {
                        name,
                        content: Some(content),
                    })
                }
                None => Err(Noted::custom("an empty object is no variant")),
            },
            _ => self.read(visitor),
        }
    }

    plain! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_seq deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Noted> {
        self.read(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Noted> {
        self.read(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Noted> {
        self.read(visitor)
    }
}

struct Items<'v> {
    rest: std::iter::Enumerate<slice::Iter<'v, Value>>,
    list: Listener<'v>,
}

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Noted;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Noted> {
        let Some((index, item)) = self.rest.next() else {
            return Ok(None);
        };
        let pointer = format!("{}/{index}", self.list.pointer);
        seed.deserialize(Listener::new(item, pointer, self.list.log))
            .map(Some)
    }
}

struct Members<'v> {
    rest: map::Iter<'v>,
    value: Option<(&'v String, &'v Value)>,
    object: Listener<'v>,
}

impl<'de> MapAccess<'de> for Members<'_> {
    type Error = Noted;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Noted> {
        self.value = self.rest.next();
        let Some((name, _)) = self.value else {
            return Ok(None);
        };
        seed.deserialize(Key {
            name,
            object: &self.object,
        })
        .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Noted> {
        match self.value.take() {
            Some((name, value)) => seed.deserialize(Listener::new(
                value,
                member(&self.object.pointer, name),
                self.object.log,
            )),
            None => Err(Noted::custom("a value was asked for before its name")),
        }
    }
}

/// A name of a field or key of a map.
struct Key<'v> {
    name: &'v str,
    object: &'v Listener<'v>,
}

impl<'de> Deserializer<'de> for Key<'_> {
    type Error = Noted;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        visitor.visit_str(self.name)
    }

    integer_keys! {
        deserialize_i8 visit_i8 i8, deserialize_i16 visit_i16 i16, deserialize_i32 visit_i32 i32,
        deserialize_i64 visit_i64 i64, deserialize_i128 visit_i128 i128, deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16, deserialize_u32 visit_u32 u32, deserialize_u64 visit_u64 u64,
        deserialize_u128 visit_u128 u128,
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        match self.name.parse() {
            Ok(value) => visitor.visit_bool(value),
            Err(_) => Err(Noted::invalid_value(
                Unexpected::Str(self.name),
                &"`true` or `false`",
            )),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Noted> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Noted> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Noted> {
        visitor.visit_enum(StrDeserializer::new(self.name))
    }

    forward_to_deserialize_any! {
        <V: Visitor<'de>>
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

/// A variant of an enum, with what it holds.
struct Variant<'v> {
    name: &'v str,
    content: Option<Listener<'v>>,
}

impl<'v> Variant<'v> {
    fn content(self) -> Result<Listener<'v>, Noted> {
        self.content
            .ok_or_else(|| Noted::custom("the variant holds something"))
    }
}

impl<'de> EnumAccess<'de> for Variant<'_> {
    type Error = Noted;
    type Variant = Self;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self), Noted> {
        Ok((seed.deserialize(StrDeserializer::new(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_> {
    type Error = Noted;

    fn unit_variant(self) -> Result<(), Noted> {
        match self.content {
            None => Ok(()),
            Some(content) => serde::Deserialize::deserialize(content),
        }
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, Noted> {
        seed.deserialize(self.content()?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Noted> {
        self.content()?.read(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Noted> {
        let content = self.content()?;
        content.note(|asked| asked.add(fields, &[]));
        content.read(visitor)
    }
}
