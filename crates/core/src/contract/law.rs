//! The part of a contract that knows no Rust type: the compiled schema, and the way through it.

use std::sync::Arc;

use jsonschema::{Retrieve, ValidationError, ValidationOptions, Validator, json::Json};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{
    ContractError, Problem, ReadOptions, Refusal, Repair,
    problems::problems,
    repair::{repair, unwrap_text},
    wording,
};
use crate::json::{
    Node, NodeDeserializer, Path, Scratch, SyntaxError, Told, Tree, parse, with_scratch,
};

/// A schema and its validator.
pub(super) struct Law {
    schema: Arc<Value>,
    validator: Validator<Tree>,
}

/// As [`super::Reading`]; this one is made without knowing what is read.
pub(super) struct Read<T> {
    pub(super) input: T,
    pub(super) repairs: Vec<Repair>,
    pub(super) text: Option<String>,
}

/// Whether `format` refuses a string or only describes it.
#[doc(hidden)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Formats {
    /// It refuses. What every contract does.
    Assert,
    /// It describes, as the official test suite has it.
    Annotate,
}

/// How every schema is compiled: nothing is fetched, from the network or the disk.
#[doc(hidden)]
#[must_use]
pub fn validator_options<F: Json>(
    formats: Formats,
) -> ValidationOptions<'static, Arc<dyn Retrieve>, F> {
    jsonschema::options_for::<F>()
        .offline()
        .should_validate_formats(formats == Formats::Assert)
}

pub(super) fn compile<F: Json>(
    options: &ValidationOptions<'_, Arc<dyn Retrieve>, F>,
    schema: &Value,
) -> Result<Validator<F>, ContractError> {
    options
        .build(schema)
        .map_err(|error| ContractError::Compile {
            pointer: error.instance_path().as_str().to_owned(),
            message: wording::clip(&error.to_string(), 200),
        })
}

impl Law {
    pub(super) fn new(schema: Value) -> Result<Self, ContractError> {
        let validator = compile(&validator_options(Formats::Assert), &schema)?;
        Ok(Self {
            schema: Arc::new(schema),
            validator,
        })
    }

    pub(super) fn schema(&self) -> &Arc<Value> {
        &self.schema
    }

    /// Text to tree to checked to typed. The common way costs one parse, one `is_valid` and one
    /// pass of serde; everything else is in cold functions.
    #[inline]
    pub(super) fn read<T>(
        &self,
        text: &str,
        options: &ReadOptions,
        typed: impl Fn(Node<'_>) -> Result<T, Problem>,
    ) -> Result<Read<T>, Refusal> {
        with_scratch(|scratch| {
            let Scratch { bump, stacks } = scratch;
            if is_nothing(text) {
                let repaired = Repaired {
                    value: Value::Object(serde_json::Map::new()),
                    repairs: Vec::new(),
                };
                return self.read_repaired(repaired, options, typed);
            }
            let root = parse(text, bump, stacks, &options.limits).map_err(invalid_json)?;
            if matches!(root, Node::Object(_)) && self.validator.is_valid(&root) {
                let input = typed(root).map_err(Refusal::Drift)?;
                return Ok(Read {
                    input,
                    repairs: Vec::new(),
                    text: None,
                });
            }
            let repaired = self.refused(&root, options)?;
            self.read_repaired(repaired, options, typed)
        })
    }

    /// What an input that was refused may be repaired to.
    #[cold]
    fn refused(&self, root: &Node<'_>, options: &ReadOptions) -> Result<Repaired, Refusal> {
        if !options.repair {
            return match root {
                Node::Object(_) => Err(self.invalid(root)),
                other => Err(self.not_an_object(&other.to_value())),
            };
        }
        let mut value = root.to_value();
        let mut repairs = Vec::new();
        if !value.is_object() {
            let Some((inner, done)) = unwrap_text(&value, &options.limits) else {
                return Err(self.not_an_object(&value));
            };
            value = inner;
            repairs.push(done);
        }
        repairs.extend(repair(self, &mut value, &options.limits));
        Ok(Repaired { value, repairs })
    }

    #[cold]
    fn read_repaired<T>(
        &self,
        repaired: Repaired,
        options: &ReadOptions,
        typed: impl Fn(Node<'_>) -> Result<T, Problem>,
    ) -> Result<Read<T>, Refusal> {
        let Repaired { value, repairs } = repaired;
        // Read from its text again, so that what is run and what is journalled are one thing,
        // held to the same limits.
        let text = value.to_string();
        let mut scratch = Scratch::default();
        let root = parse(&text, &scratch.bump, &mut scratch.stacks, &options.limits)
            .map_err(invalid_json)?;
        if !self.validator.is_valid(&root) {
            return Err(self.invalid(&root));
        }
        let input = typed(root).map_err(Refusal::Drift)?;
        Ok(Read {
            input,
            repairs,
            text: Some(text),
        })
    }

    fn invalid(&self, root: &Node<'_>) -> Refusal {
        Refusal::InvalidInput(problems(&self.errors(root), &self.schema))
    }

    /// Everything that is wrong; of a huge tree only the first thing, because each error holds a
    /// copy of its value.
    #[cold]
    pub(super) fn errors<'i>(&'i self, root: &'i Node<'i>) -> Vec<ValidationError<'i>> {
        const HUGE: usize = 50_000;
        if root.is_heavier_than(HUGE) {
            return self.validator.validate(root).err().into_iter().collect();
        }
        self.validator.iter_errors(root).collect()
    }

    fn not_an_object(&self, value: &Value) -> Refusal {
        let message = format!(
            "the arguments must be an object such as {}, not {}",
            wording::example(&self.schema),
            wording::kind(value)
        );
        Refusal::InvalidInput(vec![Problem {
            pointer: String::new(),
            message,
        }])
    }
}

/// A value that was changed to fit, and how.
struct Repaired {
    value: Value,
    repairs: Vec<Repair>,
}

/// Whether the arguments are left out: no text, white space, or `null`.
#[inline]
fn is_nothing(text: &str) -> bool {
    // Nearly every text that is something shows it with its first byte.
    !text.starts_with('{') && matches!(text.trim_matches([' ', '\t', '\n', '\r']), "" | "null")
}

#[cold]
fn invalid_json(error: SyntaxError) -> Refusal {
    let pointer = error.path.to_string();
    let message = match pointer.as_str() {
        "" => error.to_string(),
        pointer => format!("{error}, at `{}`", wording::clip(pointer, 120)),
    };
    Refusal::InvalidJson(Problem { pointer, message })
}

/// A validated tree as the type, or why the type does not take what its own schema took.
#[inline]
pub(super) fn typed<I: DeserializeOwned>(root: Node<'_>) -> Result<I, Problem> {
    I::deserialize(NodeDeserializer::<crate::json::Untold>::new(root)).or_else(|_| retyped(root))
}

#[cold]
fn retyped<I: DeserializeOwned>(root: Node<'_>) -> Result<I, Problem> {
    // Some types read through a protocol of their own with `serde_json`, such as `RawValue`.
    if let Ok(input) = serde_json::from_value(root.to_integral_value()) {
        return Ok(input);
    }
    match I::deserialize(NodeDeserializer::<Told>::new(root)) {
        Ok(input) => Ok(input),
        Err(told) => Err(drift(told.into_parts())),
    }
}

#[cold]
fn drift((path, words): (Path, String)) -> Problem {
    let pointer = path.to_string();
    let place = wording::place(&pointer);
    let message = format!(
        "{place} fits the schema but the tool cannot read it ({})",
        wording::clip(&words, 200)
    );
    Problem { pointer, message }
}
