//! Modes: what happens to a call that no rule is about.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::layer::Layer;

/// How permission is given where no rule matches. Deny and ask rules hold in every mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Looking inside the root is allowed, all else is asked.
    #[default]
    Default,
    /// As `default`, and the editing tools may write inside the root.
    AcceptEdits,
    /// A ceiling: what does not only look is denied, whatever is allowed.
    Plan,
    /// As `default`, and what would be asked is denied.
    DontAsk,
    /// What no rule is about is allowed.
    Bypass,
}

/// A word that names no mode.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is no mode; use default, accept-edits, plan, dont-ask or bypass")]
pub struct UnknownMode(pub String);

impl Mode {
    /// All modes, the strictest of the family of `default` first.
    pub const ALL: [Self; 5] = [
        Self::Plan,
        Self::Default,
        Self::DontAsk,
        Self::AcceptEdits,
        Self::Bypass,
    ];

    /// The mode as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::AcceptEdits => "accept-edits",
            Self::Plan => "plan",
            Self::DontAsk => "dont-ask",
            Self::Bypass => "bypass",
        }
    }

    /// The mode that holds when `layer` requests `wanted` and `self` held before: `bypass` may be
    /// set by a person's own layers only, and by none once it is disabled.
    #[must_use]
    pub fn requested(self, wanted: Self, layer: Layer, trust: Trust) -> Self {
        let is_refused = match wanted {
            Self::Bypass => layer.is_of_workspace() || trust.bypass_is_disabled,
            _ => layer.is_of_workspace() && !trust.workspace,
        };
        if is_refused { self } else { wanted }
    }
}

/// What is trusted where modes are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    /// Whether the workspace's own files are trusted.
    pub workspace: bool,
    /// Whether the managed settings forbid `bypass`.
    pub bypass_is_disabled: bool,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(text: &str) -> Result<Self, UnknownMode> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.name() == text)
            .ok_or_else(|| UnknownMode(text.to_owned()))
    }
}
