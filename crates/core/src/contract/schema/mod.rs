//! The schema of a Rust type, as the law needs it.
//!
//! `schemars` describes a type; this module makes the description binding. In this order: noise
//! goes ([`tidy`]), numbers and other types get the bounds that they have in Rust ([`bounds`]),
//! objects are closed ([`close`]). A schema that came as data passes through none of it.

mod bounds;
mod close;
mod tidy;
mod walk;

use schemars::{JsonSchema, generate::SchemaSettings};
use serde_json::{Map, Value};

pub(super) use self::walk::resolve;
use super::{ContractError, wording};

/// The schema of the input of a tool.
pub(super) fn of_input<I: JsonSchema>() -> Result<Value, ContractError> {
    let mut schema = generate::<I>(SchemaSettings::draft2020_12().for_deserialize());
    name_object(&mut schema)?;
    // What the type says of itself, the tool's description says already.
    if let Value::Object(root) = &mut schema {
        root.remove("description");
    }
    close::close(&mut schema);
    tidy::drop_unused(&mut schema);
    Ok(schema)
}

/// The schema of the output of a tool. Open: to promise less than one gives is no fault.
pub(super) fn of_output<O: JsonSchema>() -> Value {
    let mut schema = generate::<O>(SchemaSettings::draft2020_12().for_serialize());
    tidy::drop_unused(&mut schema);
    schema
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let settings = settings.with(|settings| settings.meta_schema = None);
    let mut schema = settings
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    walk::each(&mut schema, &mut |schema| {
        bounds::set(schema);
        tidy::tidy(schema);
    });
    bounds::set_times(&mut schema);
    schema
}

/// Says `"type": "object"` at the root, where a union of objects leaves it unsaid.
fn name_object(schema: &mut Value) -> Result<(), ContractError> {
    let root = schema.clone();
    if !walk::is_object(&root, &root) {
        return Err(ContractError::NotAnObject {
            found: wording::phrase(&root, &root),
        });
    }
    if let Value::Object(members) = schema
        && !members.contains_key("type")
    {
        let rest = std::mem::take(members);
        *members = Map::from_iter([("type".to_owned(), Value::from("object"))]);
        members.extend(rest);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
