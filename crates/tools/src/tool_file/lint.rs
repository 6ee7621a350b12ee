//! What an entry says of itself that cannot be true.

use std::sync::Arc;

use toolpost_core::{Contract, Definition, OutputContract};

use super::ToolFileEntry;

impl ToolFileEntry {
    /// The entry's definition as data, whether or not it could be used.
    pub fn definition(&self) -> Definition {
        Definition {
            name: self.name.as_str().into(),
            description: self.description.as_str().into(),
            input_schema: Arc::new(self.input_schema.clone()),
            output_schema: self.output_schema.clone().map(Arc::new),
            exposure: self.exposure,
            search_hint: self.search_hint.as_deref().map(Into::into),
            origin: None,
            strict: true,
        }
    }

    /// What does not fit together: a code for programs, and a sentence.
    pub fn contradictions(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        if let Some(words) = self.effects.contradiction() {
            let message = format!("`effects` {words}; only one can be true");
            found.push(("contradictory_effects", message));
        }
        if self.effects.read_only && self.claims.writes.iter().flatten().next().is_some() {
            let message = "it says `read_only` and claims `writes`; leave one of them out";
            found.push(("read_only_writes", message.to_owned()));
        }
        if let Err(error) = Contract::from_schema(self.input_schema.clone()) {
            found.push((
                "bad_schema",
                format!("the input schema cannot be used: {error}"),
            ));
        }
        let output = self.output_schema.clone().map(OutputContract::from_schema);
        if let Some(Err(error)) = output {
            found.push((
                "bad_schema",
                format!("the output schema cannot be used: {error}"),
            ));
        }
        found
    }
}
