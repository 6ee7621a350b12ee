//! Where a call stands, and the paths it names as they are spelled and as they resolve.

use std::path::{Component, Path, PathBuf};

use crate::disk::{Disk, Folding, NoDisk};
use crate::rule::path::names;

/// The folders that a decision is about, with the disk to look at.
#[derive(Clone)]
pub struct Place<'a> {
    pub(crate) disk: &'a dyn Disk,
    pub(crate) root: PathBuf,
    pub(crate) working_folder: PathBuf,
    /// The root and the further folders that count as inside, as spelled and as they resolve.
    inside: Vec<(PathBuf, PathBuf)>,
    pub(crate) folding: Folding,
    /// Where prefixes of broad patterns lead, with the prefixes as they are spelled.
    aliases: Vec<(PathBuf, PathBuf)>,
}

/// A path that a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spot {
    /// Absolute, without `.` and `..`.
    pub(crate) spelled: PathBuf,
    /// What it leads to.
    pub(crate) real: PathBuf,
    /// What it leads to when `..` is taken after links, where that is something else.
    pub(crate) other: Option<PathBuf>,
}

impl<'a> Place<'a> {
    /// A place with this root, which is also the working folder.
    pub fn new(root: impl Into<PathBuf>, disk: &'a dyn Disk) -> Self {
        let root = root.into();
        Self {
            disk,
            folding: disk.folding(&root),
            working_folder: root.clone(),
            inside: vec![(root.clone(), disk.resolve(&root))],
            root,
            aliases: Vec::new(),
        }
    }

    /// The same with further folders that count as inside; relative ones are taken from the root.
    #[must_use]
    pub fn with_roots(mut self, roots: impl IntoIterator<Item = PathBuf>) -> Self {
        for folder in roots {
            let folder = clean(&self.root.join(folder));
            let real = self.disk.resolve(&folder);
            self.inside.push((folder, real));
        }
        self
    }

    /// The same with another working folder.
    #[must_use]
    pub fn with_working_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.working_folder = folder.into();
        self
    }

    /// The same, knowing where these folders and files lead.
    #[must_use]
    pub(crate) fn with_prefixes<'p>(
        mut self,
        prefixes: impl IntoIterator<Item = &'p Path>,
    ) -> Self {
        for prefix in prefixes {
            let real = self.disk.resolve(prefix);
            if real != *prefix {
                self.aliases.push((real, prefix.to_path_buf()));
            }
        }
        self
    }

    /// The same, knowing these leads already.
    #[must_use]
    pub(crate) fn with_aliases(mut self, aliases: &[(PathBuf, PathBuf)]) -> Self {
        self.aliases.extend_from_slice(aliases);
        self
    }

    /// The same with what is known of links by now, looking at nothing any more: for paths that
    /// are resolved already.
    pub(crate) fn settled(self) -> Place<'static> {
        Place {
            disk: &NoDisk,
            root: self.root,
            working_folder: self.working_folder,
            inside: self.inside,
            folding: self.folding,
            aliases: self.aliases,
        }
    }

    /// Where the prefixes lead that are not what they seem.
    pub(crate) fn into_aliases(self) -> Vec<(PathBuf, PathBuf)> {
        self.aliases
    }

    /// A path as a tool's input spells it: `~` is the home, relative is from the root.
    pub(crate) fn spot(&self, given: &str) -> Spot {
        let home = self.disk.home();
        let path = match (given.strip_prefix('~'), home) {
            (Some(""), Some(home)) => home.to_path_buf(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.root.join(given),
        };
        self.spot_at(&path)
    }

    /// An absolute path, which may still have `..` in it.
    pub(crate) fn spot_at(&self, path: &Path) -> Spot {
        let spelled = clean(path);
        let real = self.disk.resolve(&spelled);
        let other = path
            .components()
            .any(|part| part == Component::ParentDir)
            .then(|| clean(&self.disk.resolve(path)))
            .filter(|other| *other != real);
        Spot {
            spelled,
            real,
            other,
        }
    }

    /// Whether a path lies inside, both as it is spelled and as it resolves.
    pub(crate) fn is_inside(&self, spot: &Spot) -> bool {
        let is_within = |path: &Path| {
            self.inside
                .iter()
                .any(|(folder, real)| path.starts_with(folder) || path.starts_with(real))
        };
        let really = |path: &Path| self.inside.iter().any(|(_, real)| path.starts_with(real));
        is_within(&spot.spelled) && really(&spot.real) && spot.other.as_deref().is_none_or(really)
    }

    /// The forms of a path that a broad pattern is held against: any of them is enough.
    pub(crate) fn broad_forms(&self, spot: &Spot) -> Vec<PathBuf> {
        let mut forms = vec![spot.spelled.clone()];
        let mut add = |form: PathBuf| {
            if !forms.contains(&form) {
                forms.push(form);
            }
        };
        for path in [Some(&spot.real), spot.other.as_ref()]
            .into_iter()
            .flatten()
        {
            add(path.clone());
            for form in self.rebased(path) {
                add(form);
            }
        }
        for form in self.rebased(&spot.spelled) {
            add(form);
        }
        forms
    }

    /// The forms that a narrow pattern is held against: of each group one must fit.
    pub(crate) fn narrow_forms(&self, spot: &Spot) -> Vec<Vec<PathBuf>> {
        let group =
            |path: &PathBuf| {
                let mut group = vec![path.clone()];
                let root = self.inside.first();
                group.extend(root.and_then(|(root, real)| {
                    path.strip_prefix(real).ok().map(|rest| root.join(rest))
                }));
                group
            };
        let mut groups = vec![group(&spot.spelled)];
        if spot.real != spot.spelled {
            groups.push(group(&spot.real));
        }
        groups.extend(spot.other.as_ref().map(group));
        groups
    }

    /// A real path as it would be spelled through the root or through a pattern's own link.
    fn rebased(&self, path: &Path) -> Vec<PathBuf> {
        let roots = self.inside.iter().take(1).map(|(root, real)| (real, root));
        let aliases = self.aliases.iter().map(|(real, prefix)| (real, prefix));
        roots
            .chain(aliases)
            .filter_map(|(real, spelled)| {
                let rest = path.strip_prefix(real).ok()?;
                Some(if rest.as_os_str().is_empty() {
                    spelled.clone()
                } else {
                    spelled.join(rest)
                })
            })
            .collect()
    }

    /// How a path is shown: from the root where it lies below it.
    pub(crate) fn shown(&self, path: &Path) -> String {
        let shown = match path.strip_prefix(&self.root) {
            Ok(rest) if rest.as_os_str().is_empty() => ".".to_owned(),
            Ok(rest) => rest.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        };
        escaped(&shown)
    }
}

/// Text without characters that would break a line or mislead a reader.
pub(crate) fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        let misleads = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}');
        if misleads {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        out
    })
}

/// A path without `.` and `..`, as it is spelled.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            _ => {}
        }
    }
    out
}

/// The names of a path, for patterns.
pub(crate) fn parts(path: &Path) -> Vec<String> {
    names(path).collect()
}

impl std::fmt::Debug for Place<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place")
            .field("root", &self.root)
            .field("working_folder", &self.working_folder)
            .finish_non_exhaustive()
    }
}
