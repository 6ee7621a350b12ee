//! Exit codes: a contract with whoever runs the command in a script.

use std::collections::HashSet;
use std::fmt;
use std::io;

use toolpost_core::Status;

/// All done.
pub(crate) const DONE: u8 = 0;
/// Something that should not happen, or something found wrong by a check.
pub(crate) const UNEXPECTED: u8 = 1;
/// The command line or the settings are wrong.
pub(crate) const USAGE: u8 = 2;
/// Some call failed, timed out, was cancelled or skipped.
const FAILED: u8 = 10;
/// Some call was denied.
const DENIED: u8 = 11;
/// Some call waits for an approval.
const PENDING: u8 = 12;
/// Some call was invalid.
const INVALID: u8 = 13;
/// Interrupted.
pub(crate) const INTERRUPTED: u8 = 130;

/// A mistake in the command line or the settings.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// A usage error with this message.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}

/// `message` as a usage error, with the name among `known` that was probably meant.
pub(crate) fn unknown<'k>(
    message: String,
    name: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> anyhow::Error {
    match toolpost_core::contract::nearest(name, known) {
        Some(near) => usage(format!("{message}; did you mean `{near}`?")),
        None => usage(message),
    }
}

pub(crate) fn code_of(error: &anyhow::Error) -> u8 {
    if error.is::<Usage>() {
        USAGE
    } else {
        UNEXPECTED
    }
}

pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// What came of the calls so far.
#[derive(Debug, Default)]
pub(crate) struct Tally(HashSet<Status>);

impl Tally {
    pub(crate) fn count(&mut self, status: Status) {
        self.0.insert(status);
    }

    /// With several, the first of denied, pending, invalid and failed.
    pub(crate) fn code(&self) -> u8 {
        let any = |statuses: &[Status]| statuses.iter().any(|status| self.0.contains(status));
        if any(&[Status::Denied]) {
            DENIED
        } else if any(&[Status::Pending]) {
            PENDING
        } else if any(&[Status::Invalid]) {
            INVALID
        } else if self
            .0
            .iter()
            .any(|status| !matches!(status, Status::Done | Status::Planned))
        {
            FAILED
        } else {
            DONE
        }
    }
}
