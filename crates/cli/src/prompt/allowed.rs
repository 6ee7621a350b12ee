//! Calls that a person has allowed for as long as the session lasts.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use toolpost_core::{AskedCall, Facts, Toolbox};
use toolpost_run::session_file::Kept;

/// Each by a digest of all that the answer is bound to: the tool with its definition, the exact
/// input, the folder that the shell stands in, since a command means something else elsewhere, and
/// whether a hook asks. A named session keeps no inputs, only these. A cheap clone.
#[derive(Clone)]
pub(crate) struct Allowed {
    toolbox: Arc<Toolbox>,
    calls: Arc<Mutex<BTreeSet<String>>>,
}

impl Allowed {
    pub(crate) fn new(toolbox: Arc<Toolbox>) -> Self {
        let calls = Arc::default();
        Self { toolbox, calls }
    }

    pub(super) fn insert(&self, asked: &AskedCall, facts: &Facts) {
        let key = self.key(asked, facts);
        self.calls().insert(key);
    }

    pub(super) fn contains(&self, asked: &AskedCall, facts: &Facts) -> bool {
        let key = self.key(asked, facts);
        self.calls().contains(&key)
    }

    fn key(&self, asked: &AskedCall, facts: &Facts) -> String {
        let call = asked.call();
        let definition = self.toolbox.definition(call.name()).and_then(Result::ok);
        let bound = serde_json::json!([
            call.name(),
            call.input(),
            definition,
            definition.as_ref().map(|definition| &definition.origin),
            facts.working_folder().as_os_str().as_encoded_bytes(),
            asked.is_asked_by_hook(),
        ]);
        toolpost_policy::digest(&bound.to_string())
    }

    fn calls(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept for Allowed {
    fn key(&self) -> &'static str {
        "allowed"
    }

    fn save(&self) -> Value {
        serde_json::to_value(&*self.calls()).unwrap_or_default()
    }

    fn restore(&self, value: Value) -> Result<(), String> {
        let calls: BTreeSet<String> =
            serde_json::from_value(value).map_err(|error| error.to_string())?;
        self.calls().extend(calls);
        Ok(())
    }
}
