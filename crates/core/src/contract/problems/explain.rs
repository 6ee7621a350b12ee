//! A finding in words: what is wrong, where, what would be right.

use jsonschema::{JsonType, JsonTypeSet, error::ValidationErrorKind as Kind};
use serde_json::Value;

use super::{Fault, Finding, fields, nearest::nearest};
use crate::contract::{Problem, wording};

pub(super) fn explain(finding: &Finding<'_>, root: &Value) -> Vec<Problem> {
    let explained = Explained { finding, root };
    match &finding.fault {
        Fault::Type(types) => vec![explained.wrong_type(*types)],
        Fault::Missing(name) => vec![explained.missing(name)],
        Fault::Unknown { names, known } => names
            .iter()
            .map(|name| explained.unknown(name, known))
            .collect(),
        Fault::Values(options) => vec![explained.wrong_value(options)],
        Fault::Tag { name, said, known } => vec![explained.wrong_tag(name, *said, known)],
        Fault::Keyword(kind) => vec![explained.keyword(kind)],
    }
}

struct Explained<'f> {
    finding: &'f Finding<'f>,
    root: &'f Value,
}

impl Explained<'_> {
    fn problem(&self, message: String) -> Problem {
        self.problem_at(self.finding.pointer.clone(), message)
    }

    fn problem_at(&self, pointer: String, message: String) -> Problem {
        let message = match &self.finding.note {
            Some(note) => format!("{message} ({note})"),
            None => message,
        };
        Problem { pointer, message }
    }

    fn member(&self, name: &str) -> String {
        format!(
            "{}/{}",
            self.finding.pointer,
            name.replace('~', "~0").replace('/', "~1")
        )
    }

    /// What the schema at the place wants.
    fn wanted(&self) -> String {
        self.finding.schema.map_or_else(
            || "another value".to_owned(),
            |schema| wording::phrase(self.root, schema),
        )
    }

    fn wrong_type(&self, types: JsonTypeSet) -> Problem {
        let Finding {
            value,
            pointer,
            schema,
            ..
        } = self.finding;
        let wanted = match schema {
            Some(schema) => wording::phrase(self.root, schema),
            None => type_names(types),
        };
        let wanted = if wanted == "a value" {
            type_names(types)
        } else {
            wanted
        };
        self.problem(format!(
            "{} is {}; give {wanted}",
            wording::place(pointer),
            wording::value(value)
        ))
    }

    fn missing(&self, name: &str) -> Problem {
        let inside = wording::inside(&self.finding.pointer);
        let field = self
            .finding
            .schema
            .and_then(|schema| fields::schema_of(self.root, schema, name));
        let wanted = match field {
            Some(field) => format!(
                "; give {}{}",
                wording::phrase(self.root, field),
                wording::description(self.root, field)
            ),
            None => "; give it".to_owned(),
        };
        self.problem_at(
            self.member(name),
            format!(
                "missing field `{}`{inside}{wanted}",
                wording::clip(name, 60)
            ),
        )
    }

    fn unknown(&self, name: &str, known: &[String]) -> Problem {
        let inside = wording::inside(&self.finding.pointer);
        let given = self.finding.value.as_object();
        let absent = known
            .iter()
            .map(String::as_str)
            .filter(|name| given.is_none_or(|given| !given.contains_key(*name)));
        let remedy = match nearest(name, absent) {
            Some(near) => format!("did you mean `{near}`?"),
            None if known.is_empty() => "leave it out, no field is taken here".to_owned(),
            None => format!(
                "the fields are {}",
                wording::choice(known).replace(" or ", " and ")
            ),
        };
        self.problem_at(
            self.member(name),
            format!(
                "unknown field `{}`{inside}; {remedy}",
                wording::clip(name, 60)
            ),
        )
    }

    fn wrong_value(&self, options: &[Value]) -> Problem {
        let place = wording::place(&self.finding.pointer);
        self.problem(format!(
            "{place} {}",
            not_one_of(self.finding.value, options)
        ))
    }

    fn wrong_tag(&self, name: &str, said: Option<&Value>, known: &[Value]) -> Problem {
        let pointer = self.member(name);
        let message = match said {
            Some(said) => format!("{} {}", wording::place(&pointer), not_one_of(said, known)),
            None => {
                let inside = wording::inside(&self.finding.pointer);
                format!(
                    "missing field `{name}`{inside}, which says what is meant; give {}",
                    values(known)
                )
            }
        };
        self.problem_at(pointer, message)
    }

    fn keyword(&self, kind: &Kind) -> Problem {
        let Finding { value, pointer, .. } = self.finding;
        let place = wording::place(pointer);
        let given = wording::json(value);
        let wanted = self.wanted();
        let message = match kind {
            Kind::Minimum { .. } | Kind::ExclusiveMinimum { .. } => {
                format!("{place} is too small (`{given}`); give {wanted}")
            }
            Kind::Maximum { .. } | Kind::ExclusiveMaximum { .. } => {
                format!("{place} is too large (`{given}`); give {wanted}")
            }
            Kind::MultipleOf { .. } => {
                format!("{place} is no such multiple (`{given}`); give {wanted}")
            }
            Kind::MinLength { .. } => format!("{place} is too short (`{given}`); give {wanted}"),
            Kind::MaxLength { .. } => {
                let length = value.as_str().map_or(0, |string| string.chars().count());
                format!("{place} is too long ({length} characters); give {wanted}")
            }
            Kind::Pattern { pattern } => {
                let pattern = wording::clip(pattern, 80);
                format!(
                    "{place} does not match the pattern (`{given}`); give a string that matches `{pattern}`"
                )
            }
            Kind::Format { format } => {
                let wanted = wording::format(format)
                    .map_or_else(|| format!("of the format `{format}`"), str::to_owned);
                format!("{place} has the wrong format (`{given}`); give a string that is {wanted}")
            }
            Kind::MinItems { .. } => format!(
                "{place} has too few items ({}); give {wanted}",
                length(value)
            ),
            Kind::MaxItems { .. }
            | Kind::AdditionalItems { .. }
            | Kind::UnevaluatedItems { .. } => {
                format!(
                    "{place} has too many items ({}); give {wanted}",
                    length(value)
                )
            }
            Kind::MinProperties { .. } => format!(
                "{place} has too few fields ({}); give {wanted}",
                length(value)
            ),
            Kind::MaxProperties { .. } => format!(
                "{place} has too many fields ({}); give {wanted}",
                length(value)
            ),
            Kind::UniqueItems => match repeated(value) {
                Some(item) => format!(
                    "{place} has the item `{}` more than once; give each once",
                    wording::json(item)
                ),
                None => format!("{place} has an item more than once; give each once"),
            },
            Kind::Contains => format!("{place} lacks an item that the schema asks for"),
            Kind::PropertyNames { error } => return self.bad_name(error.instance(), error.kind()),
            Kind::FalseSchema => format!("{place} must not be there; leave it out"),
            Kind::Not { schema } => {
                format!(
                    "{place} is what the schema rules out (`{given}`); give anything but {}",
                    wording::phrase(self.root, schema)
                )
            }
            Kind::OneOfMultipleValid { .. } => {
                format!(
                    "{place} fits more than one of the forms that exclude each other; give the fields of one only"
                )
            }
            Kind::Custom { message, .. } => format!("{place}: {}", wording::clip(message, 120)),
            Kind::ContentEncoding {
                content_encoding: wanted,
            }
            | Kind::ContentMediaType {
                content_media_type: wanted,
            } => {
                format!("{place} is not encoded right; give a string in the form `{wanted}`")
            }
            Kind::FromUtf8 { .. } => format!("{place} does not decode to text; give encoded UTF-8"),
            other => format!(
                "{place} could not be held against the schema's `{}`; give a simpler value",
                other.keyword()
            ),
        };
        self.problem(message)
    }

    /// A name of a field that the schema does not take.
    fn bad_name(&self, name: &Value, kind: &Kind) -> Problem {
        let said = name.as_str().unwrap_or_default();
        let inside = wording::inside(&self.finding.pointer);
        let wanted = match kind {
            Kind::Pattern { pattern } => format!(
                "name it so that it matches `{}`",
                wording::clip(pattern, 80)
            ),
            Kind::Enum { options } => {
                format!(
                    "the names are {}",
                    values(options.as_array().map(Vec::as_slice).unwrap_or_default())
                )
            }
            _ => "give it another name".to_owned(),
        };
        self.problem_at(
            self.member(said),
            format!(
                "the name `{}`{inside} is not taken; {wanted}",
                wording::clip(said, 60)
            ),
        )
    }
}

/// A value against the ones that are allowed.
fn not_one_of(said: &Value, options: &[Value]) -> String {
    let near = said
        .as_str()
        .and_then(|said| nearest(said, options.iter().filter_map(Value::as_str)));
    let hint = near
        .map(|near| format!(" (did you mean `{}`?)", Value::from(near)))
        .unwrap_or_default();
    format!(
        "is {}; give {}{hint}",
        wording::value(said),
        values(options)
    )
}

fn values(options: &[Value]) -> String {
    wording::choice(&options.iter().map(wording::json).collect::<Vec<_>>())
}

fn type_names(types: JsonTypeSet) -> String {
    let names: Vec<&str> = types
        .iter()
        .map(|kind| match kind {
            JsonType::Null => "null",
            JsonType::Boolean => "a boolean",
            JsonType::Integer => "an integer",
            JsonType::Number => "a number",
            JsonType::String => "a string",
            JsonType::Array => "an array",
            JsonType::Object => "an object",
        })
        .collect();
    names.join(" or ")
}

fn length(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// The first item that was there before; not sought in a long array.
fn repeated(value: &Value) -> Option<&Value> {
    let items = value.as_array()?;
    let seen = items.get(..items.len().min(200))?;
    seen.iter()
        .enumerate()
        .find(|(index, item)| seen.iter().take(*index).any(|other| other == *item))
        .map(|(_, item)| item)
}
