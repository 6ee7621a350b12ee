//! Critical removals: recursive ones of `/`, of the home, or of something undecidable.

use std::path::Path;

use super::{Context, Finding};
use crate::shell::analysis::{PathUse, Word};

pub(super) fn check(program: &str, argv: &[Word], context: &Context<'_>, finding: &mut Finding) {
    let texts = || argv.iter().skip(1).filter_map(Word::literal);
    let is_recursive = match program {
        "rm" => argv.iter().skip(1).any(|word| match word.literal() {
            Some("--recursive") => true,
            Some(text) if text.starts_with("--") => {
                text.len() > 3 && "--recursive".starts_with(text)
            }
            Some(text) => text.starts_with('-') && text.contains(['r', 'R']),
            None => false,
        }),
        "find" => texts().any(|text| text == "-delete"),
        "chmod" | "chown" | "chgrp" => texts().any(|text| {
            text == "--recursive" || (text.starts_with('-') && !text.starts_with("--") && text.contains('R'))
        }),
        _ => false,
    };
    if !is_recursive {
        return;
    }
    let home = context.facts.home();
    finding.critical = finding.writes.iter().find_map(|path| critical(path, home));
}

fn critical(target: &PathUse, home: Option<&Path>) -> Option<String> {
    if let Some(path) = &target.path {
        let is_home = home.is_some_and(|home| home.starts_with(path));
        if path.parent().is_none() || is_home || (target.glob.is_some() && is_parent(path, home)) {
            return Some(format!("it removes all of `{}`", path.display()));
        }
        return None;
    }
    match &target.glob {
        Some(glob) => {
            let folder = glob.rsplit_once('/').map_or("", |(folder, _)| folder);
            let is_high = folder.is_empty()
                || folder.contains(['*', '?', '['])
                || home.is_some_and(|home| home.starts_with(folder));
            is_high.then(|| format!("it removes all that `{glob}` matches"))
        }
        None => Some(format!("it removes `{}`, which is only known later", target.raw)),
    }
}

/// Whether a path stands directly in `/` or in the home.
fn is_parent(path: &Path, home: Option<&Path>) -> bool {
    let parent = path.parent();
    parent == Some(Path::new("/")) || (parent.is_some() && parent == home)
}
