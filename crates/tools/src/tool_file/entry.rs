//! One tool of a tool file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolpost_core::{Effects, Exposure};

use super::claims::{Claims, Template};
use super::{Wrong, duration};
use crate::near;

const KEYS: [&str; 11] = [
    "name",
    "description",
    "input_schema",
    "output_schema",
    "command",
    "effects",
    "reads",
    "writes",
    "timeout",
    "search_hint",
    "exposure",
];
const EFFECTS: [&str; 4] = ["read_only", "destructive", "idempotent", "open_world"];

/// One tool of a tool file: its definition, and the command that runs it.
#[derive(Debug, Clone)]
pub struct ToolFileEntry {
    /// What a model calls it by.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The schema of its input.
    pub input_schema: Value,
    /// The schema of its output; with one, the command writes JSON.
    pub output_schema: Option<Value>,
    /// The program and its arguments; none where the definition cannot run.
    pub command: Option<Vec<String>>,
    /// What a call may do to the world.
    pub effects: Effects,
    /// The longest that a call may run.
    pub timeout: Option<Duration>,
    /// Words that a tool search matches.
    pub search_hint: Option<String>,
    /// How a model gets to know of it.
    pub exposure: Exposure,
    pub(crate) claims: Claims,
    /// The folder of the tool file; a program that begins with `./` is taken from it.
    pub(crate) folder: Option<PathBuf>,
}

impl ToolFileEntry {
    /// A definition that cannot run.
    pub(super) fn new(name: String, description: String, input_schema: Value) -> Self {
        Self {
            name,
            description,
            input_schema,
            output_schema: None,
            command: None,
            effects: Effects::UNKNOWN,
            timeout: None,
            search_hint: None,
            exposure: Exposure::Direct,
            claims: Claims::default(),
            folder: None,
        }
    }

    /// Reads an entry from a value with this project's own keys, such as a `[[tool]]` table of
    /// the settings. `file` says where it is from.
    ///
    /// # Errors
    ///
    /// What is wrong with it: the key, where it is about one, and a sentence.
    pub fn from_value(value: Value, file: &Path) -> Result<Self, (Option<String>, String)> {
        let mut entry = Self::from_own(value).map_err(|wrong| (wrong.key, wrong.message))?;
        entry.set_folder(file);
        Ok(entry)
    }

    /// Made absolute now, so that a call does not depend on where the process stands by then.
    #[expect(
        clippy::disallowed_methods,
        reason = "the host names the file from where it stands"
    )]
    pub(super) fn set_folder(&mut self, file: &Path) {
        let file = std::path::absolute(file).unwrap_or_else(|_| file.to_path_buf());
        self.folder = file.parent().map(Path::to_path_buf);
    }

    pub(super) fn from_own(value: Value) -> Result<Self, Wrong> {
        let Value::Object(object) = value else {
            return Err(Wrong::new(None, "a tool is a table of keys"));
        };
        known_keys(&object, &KEYS, "")?;
        let fields = Fields(&object);
        let name = fields
            .text("name")?
            .ok_or_else(|| Wrong::new(None, "a tool needs a `name`"))?;
        // A tool without one can be used, badly; the lint finds it.
        let description = fields.text("description")?.unwrap_or_default();
        let input_schema = fields.schema("input_schema")?.unwrap_or_else(no_input);
        let claims = Claims {
            reads: fields.claims("reads")?,
            writes: fields.claims("writes")?,
        };
        known_fields(&claims, &input_schema)?;
        Ok(Self {
            output_schema: fields.schema("output_schema")?,
            command: fields.command()?,
            effects: fields.effects()?,
            timeout: fields.timeout()?,
            search_hint: fields.text("search_hint")?,
            exposure: fields.exposure()?,
            claims,
            ..Self::new(name, description, input_schema)
        })
    }
}

/// The schema of a tool that takes nothing.
pub(super) fn no_input() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

fn known_keys(object: &Map<String, Value>, keys: &[&str], within: &str) -> Result<(), Wrong> {
    let Some(key) = object.keys().find(|key| !keys.contains(&key.as_str())) else {
        return Ok(());
    };
    let near = near::near_among(key, keys.iter().map(ToString::to_string));
    let hint = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are `{}`", keys.join("`, `")),
    };
    // A key within a table is told with the line of the table.
    let place = within.split('`').nth(1).unwrap_or(key);
    Err(Wrong {
        key: Some(place.to_owned()),
        message: format!("unknown key `{key}`{within}; {hint}"),
    })
}

/// An error for a claim about a field that no input can have: it would claim everything each time.
fn known_fields(claims: &Claims, schema: &Value) -> Result<(), Wrong> {
    let is_plain = ["$ref", "allOf", "anyOf", "oneOf"]
        .iter()
        .all(|key| schema.get(key).is_none());
    let Some(Value::Object(properties)) = schema.get("properties").filter(|_| is_plain) else {
        return Ok(());
    };
    let lists = [("reads", &claims.reads), ("writes", &claims.writes)];
    for (key, template) in lists
        .iter()
        .flat_map(|(key, list)| list.iter().flatten().map(move |one| (*key, one)))
    {
        let Some(field) = template
            .fields()
            .find(|field| !properties.contains_key(*field))
        else {
            continue;
        };
        let near = near::near_among(field, properties.keys().cloned());
        let hint = near::did_you_mean(&near);
        return Err(Wrong::new(
            key,
            format!("`{key}` names `{field}`, which is no field of the input{hint}"),
        ));
    }
    Ok(())
}

/// The keys of an entry with their types.
pub(super) struct Fields<'a>(pub(super) &'a Map<String, Value>);

impl Fields<'_> {
    pub(super) fn text(&self, key: &'static str) -> Result<Option<String>, Wrong> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(Wrong::new(key, format!("`{key}` must be a text"))),
        }
    }

    pub(super) fn schema(&self, key: &'static str) -> Result<Option<Value>, Wrong> {
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(schema @ Value::Object(_)) => Ok(Some(schema.clone())),
            Some(_) => Err(Wrong::new(
                key,
                format!("`{key}` must be a JSON schema, which is a table of keys"),
            )),
        }
    }

    fn texts(&self, key: &'static str) -> Result<Option<Vec<String>>, Wrong> {
        let wrong = || Wrong::new(key, format!("`{key}` must be a list of texts"));
        match self.0.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(list)) => {
                let texts = list.iter().map(|item| item.as_str().map(str::to_owned));
                texts
                    .collect::<Option<Vec<String>>>()
                    .map(Some)
                    .ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }

    fn command(&self) -> Result<Option<Vec<String>>, Wrong> {
        let command = self.texts("command")?;
        if command
            .as_ref()
            .is_some_and(|words| words.first().is_none_or(String::is_empty))
        {
            return Err(Wrong::new(
                "command",
                "`command` must begin with a program; leave it out for a definition that cannot run",
            ));
        }
        Ok(command)
    }

    fn claims(&self, key: &'static str) -> Result<Option<Vec<Template>>, Wrong> {
        let texts = self.texts(key)?;
        let parse = |texts: Vec<String>| {
            texts
                .iter()
                .map(|text| {
                    Template::parse(text)
                        .map_err(|said| Wrong::new(key, format!("`{key}`: {said}")))
                })
                .collect()
        };
        texts.map(parse).transpose()
    }

    fn timeout(&self) -> Result<Option<Duration>, Wrong> {
        let Some(text) = self.text("timeout")? else {
            return Ok(None);
        };
        match duration::parse(&text) {
            Some(time) if !time.is_zero() => Ok(Some(time)),
            _ => Err(Wrong::new(
                "timeout",
                format!("`{text}` is not a time; write it like `30s`, `500ms` or `2m`"),
            )),
        }
    }

    fn exposure(&self) -> Result<Exposure, Wrong> {
        match self.text("exposure")?.as_deref() {
            None | Some("direct") => Ok(Exposure::Direct),
            Some("deferred") => Ok(Exposure::Deferred),
            Some("hidden") => Ok(Exposure::Hidden),
            Some(_) => Err(Wrong::new(
                "exposure",
                "`exposure` must be `direct`, `deferred` or `hidden`",
            )),
        }
    }

    /// What is left out is as for a tool that says nothing, and beside `read_only = true` as for
    /// one that only reads on this machine.
    fn effects(&self) -> Result<Effects, Wrong> {
        let object = match self.0.get("effects") {
            None | Some(Value::Null) => return Ok(Effects::UNKNOWN),
            Some(Value::Object(object)) => object,
            Some(_) => {
                return Err(Wrong::new(
                    "effects",
                    "`effects` must be a table such as `{ read_only = true }`",
                ));
            }
        };
        known_keys(object, &EFFECTS, " in `effects`")?;
        effects(|key| match object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(is)) => Ok(Some(*is)),
            Some(_) => Err(Wrong::new(
                "effects",
                format!("`{key}` in `effects` must be true or false"),
            )),
        })
    }
}

/// Effects from the parts that were said, asked for by their names in [`EFFECTS`].
pub(super) fn effects(
    said: impl Fn(&'static str) -> Result<Option<bool>, Wrong>,
) -> Result<Effects, Wrong> {
    let read_only = said("read_only")?;
    let base = if read_only == Some(true) {
        Effects::READ_ONLY
    } else {
        Effects::UNKNOWN
    };
    Ok(Effects {
        read_only: read_only.unwrap_or(base.read_only),
        destructive: said("destructive")?.unwrap_or(base.destructive),
        idempotent: said("idempotent")?.unwrap_or(base.idempotent),
        open_world: said("open_world")?.unwrap_or(base.open_world),
    })
}
