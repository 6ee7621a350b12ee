//! What a command sees of the host's environment.
//!
//! It is given what programs need (`PATH`, `HOME`, `LANG` and all else), but no variable whose name
//! says that it holds a secret, and none that would load foreign code into it.

use std::ffi::{OsStr, OsString};

/// Names with one of these in them hold secrets.
const SECRET: [&str; 6] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL"];
/// Names that begin so steer the loader.
const LOADER: [&str; 2] = ["LD_", "DYLD_"];
/// Names that make an interpreter run something first.
const STARTUP: [&str; 6] = [
    "BASH_ENV",
    "ENV",
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "PERL5OPT",
    "RUBYOPT",
];

/// The variable that every command of a call is given, with the id of the call. Where it is set,
/// a process works for a model: it may not answer for a person.
pub const CALL_MARK: &str = "TOOLPOST_CALL";

/// The environment that commands are given. A host may put its own into the state; without one
/// it is the host's own when the tools were made, without secrets.
#[derive(Debug, Clone)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// Exactly these variables.
    pub fn new(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(variables.into_iter().collect())
    }

    /// The host's own, without what commands are not to see.
    #[expect(
        clippy::disallowed_methods,
        reason = "read where tools are made, never in a call"
    )]
    pub fn of_host() -> Self {
        Self(
            std::env::vars_os()
                .filter(|(name, _)| is_given(name))
                .collect(),
        )
    }

    pub(crate) fn variables(&self) -> &[(OsString, OsString)] {
        &self.0
    }
}

/// The value of [`CALL_MARK`] for a call; an id may have a character that no variable can hold.
pub(crate) fn mark(id: &str) -> String {
    id.replace('\0', "")
}

fn is_given(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_uppercase();
    !SECRET.iter().any(|part| name.contains(part))
        && !LOADER.iter().any(|start| name.starts_with(start))
        && !STARTUP.contains(&name.as_str())
        && !name.starts_with("BASH_FUNC_")
}

#[cfg(test)]
mod tests {
    use super::is_given;

    #[test]
    fn secrets_and_loaders_are_kept_back() {
        for name in [
            "PATH",
            "HOME",
            "LANG",
            "VIRTUAL_ENV",
            "TERM",
            "XDG_CONFIG_HOME",
        ] {
            assert!(is_given(name.as_ref()), "{name}");
        }
        let kept_back = [
            "OPENAI_API_KEY",
            "github_token",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
        ];
        for name in kept_back
            .into_iter()
            .chain(["LD_PRELOAD", "BASH_ENV", "NODE_OPTIONS"])
        {
            assert!(!is_given(name.as_ref()), "{name}");
        }
    }
}
