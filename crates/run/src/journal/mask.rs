//! What must not be written: texts that match an expression are replaced before anything is kept.
//!
//! In JSON, also in a text of it that is JSON itself, the expressions see each text and each name of
//! a field, unescaped. A field whose name matches loses its whole value, so `(?i)api_?key` masks `{"api_key": "…"}`. What matches only
//! across the structure is replaced in the text of the JSON, which may then be JSON no more; that
//! nothing slips through matters more.

use regex::Regex;
use serde_json::{Map, Value};
use thiserror::Error;

#[cfg(test)]
mod tests;

/// What stands in place of what was masked. It may be masked again, which does no harm.
pub(super) const MASKED: &str = "[masked]";

/// Expressions of what must not be kept.
#[derive(Debug, Clone, Default)]
pub struct Mask(Vec<Regex>);

/// An expression that cannot be used.
#[derive(Debug, Clone, Error)]
#[error("`{expression}` is no regular expression: {problem}")]
pub struct MaskError {
    /// The expression.
    pub expression: String,
    /// What is wrong with it, in one line.
    pub problem: String,
}

impl Mask {
    /// A mask of these expressions.
    ///
    /// # Errors
    ///
    /// The first expression that cannot be used.
    pub fn new<T: AsRef<str>>(expressions: impl IntoIterator<Item = T>) -> Result<Self, MaskError> {
        let compile = |expression: T| {
            let expression = expression.as_ref();
            Regex::new(expression).map_err(|error| MaskError {
                expression: expression.to_owned(),
                problem: last_line(&error.to_string()),
            })
        };
        let expressions = expressions.into_iter().map(compile);
        Ok(Self(expressions.collect::<Result<_, _>>()?))
    }

    /// The text as it may be kept; nothing where it is to be kept as it is.
    pub fn text(&self, text: &str) -> Option<String> {
        let mut masked: Option<String> = None;
        for expression in &self.0 {
            let now = masked.as_deref().unwrap_or(text);
            let after = replaced(expression, now);
            masked = after.or(masked);
        }
        masked
    }

    /// The text of a JSON value as it may be kept; nothing where it is to be kept as it is.
    pub fn json(&self, text: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let Ok(mut value) = serde_json::from_str(text) else {
            return self.text(text);
        };
        if self.value(&mut value) {
            let text = value.to_string();
            return Some(self.text(&text).unwrap_or(text));
        }
        self.text(text)
    }

    /// Masks in place, and says whether anything was.
    fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let masked = match text.trim_start().chars().next() {
                    // Fields of JSON in a text have names too.
                    Some('{' | '[') => self.json(text),
                    _ => self.text(text),
                };
                let is_any = masked.is_some();
                *text = masked.unwrap_or_else(|| std::mem::take(text));
                is_any
            }
            Value::Array(items) => items
                .iter_mut()
                .fold(false, |any, item| self.value(item) | any),
            Value::Object(fields) => self.fields(fields),
            _ => false,
        }
    }

    fn fields(&self, fields: &mut Map<String, Value>) -> bool {
        let mut any = false;
        for (mut name, mut value) in std::mem::take(fields) {
            match self.text(&name) {
                Some(masked) => {
                    (name, value) = (masked, Value::from(MASKED));
                    any = true;
                }
                None => any |= self.value(&mut value),
            }
            fields.insert(name, value);
        }
        any
    }
}

fn replaced(expression: &Regex, text: &str) -> Option<String> {
    let mut masked = String::new();
    let mut from = 0;
    for found in expression.find_iter(text).filter(|found| !found.is_empty()) {
        masked.push_str(text.get(from..found.start()).unwrap_or_default());
        masked.push_str(MASKED);
        from = found.end();
    }
    (from > 0).then(|| masked + text.get(from..).unwrap_or_default())
}

fn last_line(text: &str) -> String {
    let line = text.lines().last().unwrap_or_default();
    line.trim_start_matches("error: ").to_owned()
}
