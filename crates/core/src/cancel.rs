//! Being told to stop.
//!
//! A call's token is made only when somebody asks for it: most calls are over before anyone does.

use std::sync::OnceLock;

pub use tokio_util::sync::CancellationToken;

/// A place in the tree of cancellation: session, batch, call.
#[derive(Debug, Default)]
pub(crate) struct Cancel {
    parent: Option<CancellationToken>,
    own: OnceLock<CancellationToken>,
}

impl Cancel {
    pub(crate) const fn below(parent: Option<CancellationToken>) -> Self {
        Self {
            parent,
            own: OnceLock::new(),
        }
    }

    pub(crate) fn token(&self) -> &CancellationToken {
        self.own.get_or_init(|| {
            let parent = self.parent.as_ref();
            parent.map_or_else(CancellationToken::new, CancellationToken::child_token)
        })
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        let token = self.own.get().or(self.parent.as_ref());
        token.is_some_and(CancellationToken::is_cancelled)
    }
}
