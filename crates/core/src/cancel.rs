//! Being told to stop.
//!
//! A call's token is made only when somebody asks for it: most calls are over before anyone does.

use std::sync::OnceLock;

pub use tokio_util::sync::CancellationToken;

/// A place in the tree of cancellation: session, batch, call.
#[derive(Debug, Default)]
pub(crate) struct Cancel {
    parent: CancellationToken,
    own: OnceLock<CancellationToken>,
}

impl Cancel {
    pub(crate) const fn below(parent: CancellationToken) -> Self {
        Self {
            parent,
            own: OnceLock::new(),
        }
    }

    pub(crate) fn token(&self) -> &CancellationToken {
        self.own.get_or_init(|| self.parent.child_token())
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.own.get().map_or_else(
            || self.parent.is_cancelled(),
            CancellationToken::is_cancelled,
        )
    }
}
