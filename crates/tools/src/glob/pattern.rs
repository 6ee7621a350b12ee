//! What a glob pattern asks for: where to look, and which paths match.

use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toolpost_core::{Facts, ToolError};

use crate::place;

const META: [char; 7] = ['*', '?', '[', ']', '{', '}', '!'];

/// A pattern made ready for one folder.
pub(super) struct Plan {
    /// Where to look, as spelled: the folder of the call with the plain beginning of the pattern.
    pub(super) folder: PathBuf,
    /// The rest of the pattern.
    pattern: String,
    is_negated: bool,
}

impl Plan {
    pub(super) fn of(pattern: &str, path: Option<&Path>, facts: &Facts) -> Self {
        let mut folder = match path {
            Some(path) => place::existing(path, facts),
            None => facts.root().to_path_buf(),
        };
        let is_literal = |text: &str| {
            facts
                .absolute(&folder.join(text))
                .symlink_metadata()
                .is_ok()
        };
        let (is_negated, pattern) = match pattern.strip_prefix('!') {
            Some(rest) if !is_literal(pattern) => (true, rest),
            _ => (false, pattern),
        };
        let pattern = place::spelled(Path::new(pattern), facts)
            .to_string_lossy()
            .into_owned();
        let mut parts: Vec<&str> = pattern.split('/').collect();
        let mut plain = PathBuf::new();
        if !is_negated {
            let count = parts.iter().take_while(|part| !part.contains(META)).count();
            let count = count.min(parts.len().saturating_sub(1));
            for part in parts.drain(..count) {
                plain.push(if part.is_empty() && plain.as_os_str().is_empty() {
                    "/"
                } else {
                    part
                });
            }
        }
        if pattern.starts_with('/') || !plain.as_os_str().is_empty() {
            folder.push(plain);
        }
        let pattern = parts
            .into_iter()
            .filter(|part| *part != ".")
            .collect::<Vec<_>>()
            .join("/");
        Self {
            folder,
            pattern,
            is_negated,
        }
    }

    /// The paths below `folder` that match. A part that is there literally, brackets and all, is
    /// meant literally as well.
    pub(super) fn matcher(&self, folder: &Path) -> Result<Matcher, ToolError> {
        let mut set = GlobSetBuilder::new();
        let mut add = |pattern: &str| {
            let glob = GlobBuilder::new(pattern).literal_separator(true).build();
            glob.map(|glob| {
                set.add(glob);
            })
        };
        let literal = self.literal(folder);
        let made = add(&self.pattern);
        if let Some(literal) = &literal {
            // The pattern need not be a valid one, if something has that very name.
            add(literal).map_err(|error| self.fault(&error))?;
        } else {
            made.map_err(|error| self.fault(&error))?;
        }
        let set = set.build().map_err(|error| self.fault(&error))?;
        Ok(Matcher {
            set,
            is_negated: self.is_negated,
        })
    }

    /// The pattern with the parts escaped that are there literally.
    fn literal(&self, folder: &Path) -> Option<String> {
        let mut there = folder.to_path_buf();
        let mut is_escaped = false;
        let mut is_there = true;
        let parts = self.pattern.split('/').map(|part| {
            is_there = is_there && part != "**" && there.join(part).symlink_metadata().is_ok();
            if is_there {
                there.push(part);
                is_escaped |= part.contains(META);
                globset::escape(part)
            } else {
                part.to_owned()
            }
        });
        let literal = parts.collect::<Vec<_>>().join("/");
        is_escaped.then_some(literal)
    }

    /// The one path that the pattern names, when something is there.
    pub(super) fn named(&self, folder: &Path) -> Option<PathBuf> {
        let path = folder.join(&self.pattern);
        let is_plain = path
            .components()
            .all(|part| !matches!(part, Component::ParentDir));
        (!self.is_negated && is_plain && path.is_file()).then_some(path)
    }

    /// The path that the pattern would be, taken literally.
    pub(super) fn path(&self, facts: &Facts) -> PathBuf {
        facts.resolve(&self.folder.join(&self.pattern))
    }

    /// Whether it can match one path only.
    pub(super) fn is_plain(&self) -> bool {
        !self.is_negated && !self.pattern.contains(META)
    }

    /// Whether it matches only in the folder itself.
    pub(super) fn is_shallow(&self) -> bool {
        !self.pattern.contains('/') && !self.pattern.contains("**")
    }

    /// How many levels of folders it can match in.
    pub(super) fn max_depth(&self) -> Option<usize> {
        let is_bounded =
            !self.is_negated && !self.pattern.contains("**") && !self.pattern.contains('{');
        is_bounded.then(|| self.pattern.split('/').count())
    }

    fn fault(&self, error: &globset::Error) -> ToolError {
        let message = format!("`{}` is not a glob pattern: {}", self.pattern, error.kind());
        ToolError::new("bad_pattern", message)
    }
}

/// Tells which relative paths match.
pub(super) struct Matcher {
    set: GlobSet,
    is_negated: bool,
}

impl Matcher {
    pub(super) fn is_match(&self, relative: &Path) -> bool {
        self.set.is_match(relative) != self.is_negated
    }
}
