//! What the shell analysis asks of the disk.

use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::shell::ShellFacts;

#[cfg(test)]
mod tests;

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
            let part: Vec<char> = part.chars().collect();
            let part = part.as_slice();
            let mut next = Vec::new();
            for folder in found {
                let names = self.disk.names(&self.disk.resolve(&folder))?;
                let is_meant = |name: &&String| {
                    let is_hidden = name.starts_with('.') && part.first() != Some(&'.');
                    !is_hidden && fits(part, &name.chars().collect::<Vec<_>>())
                };
                next.extend(names.iter().filter(is_meant).map(|name| folder.join(name)));
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
        let is_all = |folder: &Path| {
            folder.parent().is_none()
                || self
                    .disk
                    .home()
                    .is_some_and(|home| home.starts_with(folder))
        };
        let folder = Path::new(pattern).parent();
        if found.is_empty() && folder.is_none_or(is_all) {
            return None;
        }
        Some(found)
    }
}

/// Whether a name fits one part of a pattern as bash reads it: `*`, `?`, `[…]` and `\\`.
///
/// Only the last star is ever gone back to, so that no pattern takes long.
fn fits(pattern: &[char], name: &[char]) -> bool {
    let (mut pattern, mut name) = (pattern, name);
    let mut back: Option<(&[char], &[char])> = None;
    loop {
        if let Some(('*', rest)) = pattern.split_first() {
            back = Some((rest, name));
            pattern = rest;
            continue;
        }
        match name.split_first() {
            None if pattern.is_empty() => return true,
            Some((c, after)) => {
                if let Some(rest) = step(pattern, *c) {
                    (pattern, name) = (rest, after);
                    continue;
                }
            }
            None => {}
        }
        let Some((rest, tried)) = back else {
            return false;
        };
        let Some((_, after)) = tried.split_first() else {
            return false;
        };
        back = Some((rest, after));
        (pattern, name) = (rest, after);
    }
}

/// What is left of a pattern without a star at its front, if it takes this character.
fn step(pattern: &[char], c: char) -> Option<&[char]> {
    let (first, rest) = pattern.split_first()?;
    let (takes, rest) = match first {
        '?' => (true, rest),
        '[' => match set(rest) {
            Some((set, rest)) => (holds(set, c), rest),
            None => (c == '[', rest),
        },
        '\\' => {
            let (meant, rest) = rest.split_first()?;
            (*meant == c, rest)
        }
        literal => (*literal == c, rest),
    };
    takes.then_some(rest)
}

/// The inside of a set, and what comes after it. A `]` that comes first is one of the set.
fn set(pattern: &[char]) -> Option<(&[char], &[char])> {
    let start = match pattern {
        ['!' | '^', ']', ..] => 2,
        ['!' | '^', ..] | [']', ..] => 1,
        _ => 0,
    };
    let end = pattern.iter().skip(start).position(|c| *c == ']')? + start;
    Some((pattern.get(..end)?, pattern.get(end + 1..)?))
}

/// Whether a set holds a character. Of a class, such as `[:alpha:]`, it is not known, so it may.
fn holds(set: &[char], c: char) -> bool {
    let (is_not, set) = match set.split_first() {
        Some(('!' | '^', rest)) => (true, rest),
        _ => (false, set),
    };
    if set.contains(&':') {
        return true;
    }
    let in_range = set.windows(3).any(|range| match range {
        [from, '-', to] => (*from..=*to).contains(&c),
        _ => false,
    });
    (in_range || set.contains(&c)) != is_not
}
