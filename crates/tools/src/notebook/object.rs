//! An object of JSON with the places of its entries in the text.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object, its entries in the order of the text.
pub(crate) struct Object<'a> {
    /// From the opening to the closing brace.
    pub(crate) place: Range<usize>,
    pub(crate) entries: Vec<Entry<'a>>,
}

/// One entry.
pub(crate) struct Entry<'a> {
    pub(crate) key: String,
    pub(crate) value: &'a RawValue,
    /// Where the value is.
    pub(crate) place: Range<usize>,
}

impl<'a> Object<'a> {
    /// Reads an object that lies in `text`. No key may be there twice: nobody could say which of
    /// the two counts.
    pub(crate) fn parse(text: &str, raw: &'a RawValue) -> Result<Self, String> {
        let Entries(found) = serde_json::from_str(raw.get())
            .map_err(|_| format!("{} is no object", short(raw.get())))?;
        let mut entries: Vec<Entry<'a>> = Vec::with_capacity(found.len());
        for (key, value) in found {
            if entries.iter().any(|entry| entry.key == key) {
                return Err(format!("the key `{key}` is there twice"));
            }
            let place = place(text, value.get());
            entries.push(Entry { key, value, place });
        }
        Ok(Self {
            place: place(text, raw.get()),
            entries,
        })
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a RawValue> {
        self.entry(key).map(|entry| entry.value)
    }

    pub(crate) fn entry(&self, key: &str) -> Option<&Entry<'a>> {
        self.entries.iter().find(|entry| entry.key == key)
    }
}

/// Where a part of a text is in it.
pub(super) fn place(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

fn short(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    format!("`{start}`")
}

struct Entries<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry::<String, &'de RawValue>()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
