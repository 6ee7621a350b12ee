//! Digests: of inputs, definitions and outcomes, and of all that an approval is bound to.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;
use sha2::{Digest as _, Sha256};
use toolpost_core::{Definition, Outcome};

/// SHA-256 over parts, each with its length, so that no two lists of parts are the same.
#[derive(Default)]
pub(super) struct Parts(Sha256);

impl Parts {
    pub(super) fn and(mut self, part: &[u8]) -> Self {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    pub(super) fn hex(self) -> String {
        let bytes = self.0.finalize();
        bytes
            .iter()
            .fold(String::with_capacity(64), |mut hex, byte| {
                // Writing to a string cannot fail.
                let _ = write!(hex, "{byte:02x}");
                hex
            })
    }
}

/// SHA-256 of a text, in hexadecimal.
pub(super) fn of_text(text: &str) -> String {
    Parts(Sha256::new_with_prefix(text)).hex()
}

/// What a definition says, and what stands behind it.
pub(super) fn of_definition(definition: &Definition) -> String {
    let origin = definition.origin.as_deref().unwrap_or_default();
    let mut hash = Sha256::new();
    write(&mut hash, definition);
    Parts(hash).and(origin.as_bytes()).hex()
}

/// What a model reads of an outcome.
pub(super) fn of_outcome(outcome: &Outcome) -> String {
    let mut hash = Sha256::new();
    write(&mut hash, &outcome.content);
    write(&mut hash, &outcome.structured);
    write(&mut hash, &outcome.error);
    Parts(hash).hex()
}

fn write(hash: &mut Sha256, value: &impl Serialize) {
    struct Into<'h>(&'h mut Sha256);
    impl io::Write for Into<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    // A value that cannot be serialized ends where it could not; the same one always does there.
    drop(serde_json::to_writer(Into(hash), value));
}
