//! What hooks before permission answered. The policy does not run them.

use serde::{Deserialize, Serialize};

/// One hook's answer about one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookAnswer {
    /// It has nothing against it: lifts an ask that no rule made, and nothing else.
    Allow,
    /// A person must be asked.
    Ask,
    /// It must not run.
    Deny,
    /// The hook broke or took too long, which is no consent: a person must be asked.
    Error,
}
