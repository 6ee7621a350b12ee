//! What in the settings would stop a run, besides what the policy finds by itself.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use toolpost_core::Toolbox;
use toolpost_policy::Hook;

use crate::args::Common;
use crate::settings::Loaded;
use crate::{hooks, keeping, setup};

/// All of them, each in one sentence.
pub(crate) fn of(common: &Common, loaded: &Loaded, root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let toolbox = setup::tools(common, loaded).unwrap_or_else(|error| {
        found.push(error.to_string());
        setup::builtins(common).unwrap_or_else(|_| Toolbox::new())
    });
    found.extend(
        setup::check_flags(common, &toolbox)
            .err()
            .map(|error| error.to_string()),
    );
    found.extend(hooks::mistakes(loaded, root, &toolbox));
    let limits = setup::Limits::of(common, loaded).err();
    let journal = keeping::Wanted::of(loaded).err();
    found.extend(limits.iter().chain(&journal).map(ToString::to_string));
    found
}

/// Programs of hooks that are not there: a person would be asked about every call.
pub(crate) fn missing_hooks(loaded: &Loaded, root: &Path) -> Vec<String> {
    let mut missing = Vec::new();
    for file in loaded.trusted_files() {
        for hook in file.hooks.before.iter().chain(&file.hooks.after) {
            if !is_there(hook, &hooks::folder(file, root), root) {
                let program = hook.command.first().map_or("", String::as_str);
                missing.push(format!(
                    "{}: the hook's program `{program}` is not there or cannot be run",
                    hook.source
                ));
            }
        }
    }
    missing
}

fn is_there(hook: &Hook, folder: &Path, root: &Path) -> bool {
    let Some(program) = hook.command.first() else {
        return false;
    };
    if program.starts_with("./") || program.starts_with("../") {
        return is_program(&folder.join(program));
    }
    if program.contains('/') {
        return is_program(&root.join(program));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder: PathBuf| is_program(&folder.join(program)))
}

fn is_program(path: &Path) -> bool {
    path.metadata()
        .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
