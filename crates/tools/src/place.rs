//! From a path as a call spells it to the file that is opened, and back to how it is shown.

use std::path::{Path, PathBuf};

use toolpost_core::{Facts, Footprint, Scope, ToolError};

use crate::near;

/// The home folder that `~` stands for. Without this state `~` is a name like any other.
#[derive(Debug, Clone)]
pub struct Home(pub PathBuf);

/// The path with `~` put in, otherwise as it was spelled: what policies are told.
pub(crate) fn spelled(path: &Path, facts: &Facts) -> PathBuf {
    match (path.strip_prefix("~"), facts.state().get::<Home>()) {
        (Ok(rest), Some(Home(home))) => home.join(rest),
        _ => path.to_path_buf(),
    }
}

/// The path of something that should exist: as spelled, or the one name that looks the same.
pub(crate) fn existing(path: &Path, facts: &Facts) -> PathBuf {
    let spelled = spelled(path, facts);
    let absolute = facts.absolute(&spelled);
    match absolute.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            near::look_alike(&absolute).unwrap_or(spelled)
        }
        _ => spelled,
    }
}

/// The path of something that may be new: where its name is one that others can look the same as,
/// the one that is there.
pub(crate) fn target(path: &Path, facts: &Facts) -> PathBuf {
    if near::has_look_alikes(path) {
        existing(path, facts)
    } else {
        spelled(path, facts)
    }
}

/// Claims what [`existing`] and [`not_found`] look at where nothing is at `path`: the names in the
/// folder that it would be in.
pub(crate) fn with_neighbours(footprint: Footprint, path: &Path, facts: &Facts) -> Footprint {
    let path = facts.resolve(path);
    if path.symlink_metadata().is_ok() {
        return footprint;
    }
    match path.ancestors().skip(1).find(|folder| folder.is_dir()) {
        Some(folder) => footprint.reading(Scope::tree(folder)),
        None => footprint,
    }
}

/// A path as the texts for a model show it: relative to the root where it is inside, with control
/// characters escaped.
pub(crate) fn shown(path: &Path, facts: &Facts) -> String {
    let relative = match path.strip_prefix(facts.root()) {
        Ok(rest) => Some(rest.to_path_buf()),
        Err(_) => path
            .strip_prefix(facts.resolve(facts.root()))
            .ok()
            .map(Path::to_path_buf),
    };
    match relative {
        Some(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
        Some(rest) => escaped(&rest.to_string_lossy()),
        None => escaped(&path.to_string_lossy()),
    }
}

/// A name without characters that would break a line or a terminal.
pub(crate) fn escaped(name: &str) -> String {
    if !name.chars().any(char::is_control) {
        return name.to_owned();
    }
    name.chars().fold(String::new(), |mut out, c| {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
        out
    })
}

/// The error for a path with nothing there, with near names.
pub(crate) fn not_found(path: &Path, facts: &Facts) -> ToolError {
    let shown = shown(path, facts);
    let parent_is_there = path.parent().is_none_or(Path::exists);
    let message = if parent_is_there {
        format!(
            "no file `{shown}`{}",
            near::did_you_mean(&near_paths(path, facts))
        )
    } else {
        let missing = path
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.exists())
            .last();
        let folder = missing.unwrap_or(path);
        let near = near::did_you_mean(&near_paths(folder, facts));
        format!(
            "no file `{shown}`: there is no folder `{}`{near}",
            self::shown(folder, facts)
        )
    };
    let hint = if message.ends_with('?') {
        ""
    } else {
        "; look with Ls or Glob"
    };
    ToolError::new("not_found", format!("{message}{hint}"))
}

fn near_paths(path: &Path, facts: &Facts) -> Vec<String> {
    let Some(parent) = path.parent() else {
        return Vec::new();
    };
    near::near_names(path)
        .iter()
        .map(|name| shown(&parent.join(name), facts))
        .collect()
}

/// The topmost folder above `path` that does not exist yet.
pub(crate) fn topmost_missing(path: &Path) -> Option<&Path> {
    path.ancestors()
        .skip(1)
        .take_while(|folder| folder.symlink_metadata().is_err())
        .last()
}

/// An error unless a resolved path is a folder.
pub(crate) fn folder(path: &Path, facts: &Facts) -> Result<(), ToolError> {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => Ok(()),
        Ok(_) => {
            let message = format!(
                "`{}` is a file, not a folder; give a folder",
                shown(path, facts)
            );
            Err(ToolError::new("not_a_directory", message))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(not_found(path, facts)),
        Err(error) => Err(crate::failure::io(
            &error,
            "look into",
            &shown(path, facts),
            path,
        )),
    }
}
