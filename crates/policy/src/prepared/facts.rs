//! What the shell analysis asks of the disk.

use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::rule::glob;
use crate::shell::ShellFacts;

/// More names than this are not put in for a pattern: it stays undecided instead.
const MOST_NAMES: usize = 1_000;

impl ShellFacts for Place<'_> {
    fn home(&self) -> Option<&Path> {
        self.disk.home()
    }

    fn glob(&self, pattern: &str) -> Option<Vec<PathBuf>> {
        let mut found = vec![PathBuf::from("/")];
        for part in pattern.split('/').filter(|part| !part.is_empty()) {
            if !part.contains(['*', '?', '[', '\\']) {
                for path in &mut found {
                    path.push(part);
                }
                continue;
            }
            // Only the plain star is put in; the rest stays undecided.
            if part.contains(['?', '[', '\\']) {
                return None;
            }
            let mut next = Vec::new();
            for folder in found {
                let names = self.disk.names(&self.disk.resolve(&folder))?;
                let fits = |name: &&String| {
                    glob::matches(part, name) && (part.starts_with('.') || !name.starts_with('.'))
                };
                next.extend(names.iter().filter(fits).map(|name| folder.join(name)));
            }
            if next.len() > MOST_NAMES {
                return None;
            }
            found = next;
        }
        // A name after a wildcard need not be in every folder that fits it.
        found.retain(|path| match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self
                .disk
                .names(&self.disk.resolve(parent))
                .is_none_or(|names| names.iter().any(|n| **n == *name.to_string_lossy())),
            _ => true,
        });
        // What nothing matches is passed on as it is typed. Where all of a disk or of a home is
        // meant, that it is empty is not believed.
        let is_all = |folder: &Path| folder.parent().is_none() || self.disk.home().is_some_and(|home| home.starts_with(folder));
        let folder = Path::new(pattern).parent();
        if found.is_empty() && folder.is_none_or(is_all) {
            return None;
        }
        Some(found)
    }
}
