//! The errors that the file tools raise: a code to match on, and what to do next.

use std::io;
use std::path::Path;

use toolpost_core::ToolError;

pub(crate) fn cancelled() -> ToolError {
    ToolError::new(
        "cancelled",
        "stopped before it was done; what was not reported was not done",
    )
}

pub(crate) fn no_state(what: &str) -> ToolError {
    ToolError::new(
        "no_state",
        format!("this host keeps no {what}, so the tool cannot work here"),
    )
}

pub(crate) fn is_directory(shown: &str) -> ToolError {
    ToolError::new(
        "is_directory",
        format!("`{shown}` is a folder; use Ls to see what is in it"),
    )
}

pub(crate) fn not_regular(shown: &str, kind: &str) -> ToolError {
    let message = format!("`{shown}` is {kind}, not a file; only regular files are opened");
    ToolError::new("not_regular", message)
}

pub(crate) fn read_only(shown: &str) -> ToolError {
    let message = format!(
        "`{shown}` is read-only (its mode has no write bit); leave it, or have its mode changed first"
    );
    ToolError::new("read_only", message)
}

pub(crate) fn stale(shown: &str) -> ToolError {
    let message =
        format!("`{shown}` has changed since it was read; Read it again, then repeat the change");
    ToolError::new("stale", message)
}

pub(crate) fn not_read(shown: &str) -> ToolError {
    let message = format!("`{shown}` has not been read in this session; Read it first");
    ToolError::new("not_read", message)
}

pub(crate) fn too_large(shown: &str, size: u64, limit: u64) -> ToolError {
    let message = format!(
        "`{shown}` has {size} bytes, more than the {limit} that can be changed at once; use a command for it"
    );
    ToolError::new("too_large", message)
}

/// An error of the system about a path. What the system says exactly goes to the operator.
pub(crate) fn io(error: &io::Error, doing: &str, shown: &str, path: &Path) -> ToolError {
    let (code, message) = match error.kind() {
        io::ErrorKind::NotFound => (
            "not_found",
            format!("cannot {doing} `{shown}`: it is not there"),
        ),
        io::ErrorKind::PermissionDenied => (
            "denied",
            format!("cannot {doing} `{shown}`: the system denies access to it"),
        ),
        io::ErrorKind::IsADirectory => return is_directory(shown),
        io::ErrorKind::NotADirectory => (
            "not_a_directory",
            format!("cannot {doing} `{shown}`: a part of its path is a file, not a folder"),
        ),
        io::ErrorKind::ReadOnlyFilesystem => (
            "read_only",
            format!("cannot {doing} `{shown}`: its file system is read-only"),
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => (
            "no_space",
            format!("cannot {doing} `{shown}`: there is no space left; the file is as it was"),
        ),
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => (
            "loop",
            format!("cannot {doing} `{shown}`: its symbolic links lead round in a circle"),
        ),
        _ if error.raw_os_error() == Some(rustix::io::Errno::NAMETOOLONG.raw_os_error()) => (
            "bad_path",
            format!("cannot {doing} `{shown}`: the name is too long"),
        ),
        _ => ("io", format!("cannot {doing} `{shown}`: {}", plain(error))),
    };
    ToolError::new(code, message).with_operator_text(format!("{}: {error}", path.display()))
}

/// The system's words without the number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}
