//! Small changes to the schemas that are derived from types.

use schemars::Schema;
use serde_json::{Value, json};

/// Makes the schema of an enum of names a plain list of them, which every model provider takes.
/// The words about each name stay in the field's own description.
pub(crate) fn plain_names(schema: &mut Schema) {
    let Some(Value::Array(variants)) = schema.get("oneOf") else {
        return;
    };
    let names: Option<Vec<Value>> = variants
        .iter()
        .map(|variant| variant.get("const").cloned())
        .collect();
    if let Some(names) = names {
        schema.remove("oneOf");
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("enum".to_owned(), Value::Array(names));
    }
}
