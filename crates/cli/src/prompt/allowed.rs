//! Calls that a person has allowed for as long as the session lasts.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use toolpost_core::{AskedCall, Facts, Toolbox};
use toolpost_run::session_file::Kept;

/// Each by a digest of all that the answer is bound to: the tool with its definition, the exact
/// input, the folder that the shell stands in, since a command means something else elsewhere, what
/// its paths lead to, the rule that asked, and what a hook asked. A named session keeps no inputs,
/// only these. A cheap clone.
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
        let decision = asked.decision();
        let objects = decision.binding.iter().flat_map(|bound| &bound.objects);
        let objects: Vec<_> = objects
            .map(|(path, object)| [bytes(path.as_os_str()), bytes(object.as_os_str())])
            .collect();
        let bound = serde_json::json!([
            call.name(),
            call.input(),
            definition,
            definition.as_ref().map(|definition| &definition.origin),
            bytes(facts.working_folder().as_os_str()),
            objects,
            decision.rule,
            asked.is_asked_by_hook().then_some(&decision.reason),
        ]);
        toolpost_policy::digest(&bound.to_string())
    }

    fn calls(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes(name: &OsStr) -> &[u8] {
    name.as_encoded_bytes()
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
