//! What a call may do to the world, as far as its input tells.

use serde::{Deserialize, Serialize};

/// What one call may do, judged from its actual input.
///
/// The default is the safe one: it may write, may be repeated only with care, and may reach
/// outside. Modes, prompts and MCP annotations are derived from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effects {
    /// Changes nothing at all.
    pub read_only: bool,
    /// May remove or overwrite something that cannot be had back.
    pub destructive: bool,
    /// Doing it twice is the same as doing it once.
    pub idempotent: bool,
    /// Reaches things outside this machine, such as a web page.
    pub open_world: bool,
}

impl Effects {
    /// Writes, not known to destroy, not to be repeated, reaches outside: what is assumed of a
    /// tool that says nothing.
    pub const UNKNOWN: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: true,
    };

    /// Only reads, and only on this machine. A tool that reads from the network says
    /// [`Effects::reaching_out`] as well.
    pub const READ_ONLY: Self = Self {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };

    /// Writes on this machine, without destroying what was there.
    pub const WRITES: Self = Self {
        read_only: false,
        destructive: false,
        idempotent: false,
        open_world: false,
    };

    /// The same, and may destroy.
    #[must_use]
    pub const fn and_destroys(mut self) -> Self {
        self.destructive = true;
        self.read_only = false;
        self
    }

    /// The same, and may be repeated without harm.
    #[must_use]
    pub const fn and_idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }

    /// The same, and reaches outside this machine.
    #[must_use]
    pub const fn reaching_out(mut self) -> Self {
        self.open_world = true;
        self
    }

    /// The same, with a contradiction taken at its worse: what may destroy is not read-only.
    #[must_use]
    pub const fn at_worst(mut self) -> Self {
        if self.destructive {
            self.read_only = false;
        }
        self
    }

    /// What contradicts itself here, if anything: something read-only cannot destroy.
    pub const fn contradiction(&self) -> Option<&'static str> {
        if self.read_only && self.destructive {
            Some("says both read_only and destructive")
        } else {
            None
        }
    }
}

impl Default for Effects {
    fn default() -> Self {
        Self::UNKNOWN
    }
}
