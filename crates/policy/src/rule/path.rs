//! Patterns of paths: `./secrets/**`, `/etc/hosts`, `~/notes/*.md`, `*.env`.

use std::path::{Component, Path, PathBuf};

use toolpost_core::Verdict;
use unicode_normalization::UnicodeNormalization;

use super::glob;
use crate::disk::Folding;

/// A pattern as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathPattern {
    anchor: Anchor,
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    /// From the project's root.
    Root,
    /// From `/`.
    Top,
    /// From the home folder.
    Home,
    /// At any depth.
    Anywhere,
}

/// One part of a pattern between slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Segment {
    /// This name.
    Name(String),
    /// A name with `*` in it.
    Wild(String),
    /// `**`: any number of names, also none.
    Deep,
}

impl PathPattern {
    pub(crate) fn parse(text: &str, effect: Verdict) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("a path has no NUL character; take it out".into());
        }
        let (anchor, rest) = if text == "~" {
            (Anchor::Home, "")
        } else if let Some(rest) = text.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if text.starts_with('/') {
            (Anchor::Top, text)
        } else if text.contains('/') || text == "." || text == ".." || text == "**" {
            (Anchor::Root, text)
        } else {
            (Anchor::Anywhere, text)
        };
        let mut segments = Vec::new();
        for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
            segments.push(match part {
                "**" if segments.last() == Some(&Segment::Deep) => continue,
                "**" => Segment::Deep,
                part if part.contains("**") => {
                    return Err(format!(
                        "`**` stands alone between slashes; write `{}`",
                        text.replace("**", "*")
                    ));
                }
                part if part.contains('*') => Segment::Wild(part.to_owned()),
                part => Segment::Name(part.to_owned()),
            });
        }
        if rest.ends_with('/') && segments.last() != Some(&Segment::Deep) {
            segments.push(Segment::Deep);
        }
        let anchor = match (anchor, segments.first()) {
            // Where it denies it holds wherever the file lies.
            (Anchor::Root, Some(Segment::Deep))
                if effect != Verdict::Allow && !text.starts_with('.') && segments.len() > 1 =>
            {
                Anchor::Top
            }
            (anchor, _) => anchor,
        };
        Ok(Self { anchor, segments })
    }

    /// The pattern from `/` on; nothing where it needs a home folder and there is none.
    pub(crate) fn placed(
        &self,
        root: &Path,
        home: Option<&Path>,
        is_broad: bool,
    ) -> Option<PathGlob> {
        let base = match self.anchor {
            Anchor::Root => root,
            Anchor::Top => Path::new("/"),
            Anchor::Home => home?,
            Anchor::Anywhere if is_broad => Path::new("/"),
            Anchor::Anywhere => root,
        };
        let mut segments: Vec<Segment> = names(base).map(Segment::Name).collect();
        if self.anchor == Anchor::Anywhere {
            segments.push(Segment::Deep);
        }
        for segment in &self.segments {
            match segment {
                Segment::Name(name) if name == ".." => {
                    segments.pop();
                }
                other => segments.push(other.clone()),
            }
        }
        Some(PathGlob { segments })
    }

    /// The names that stand in the pattern as they are, in order.
    pub(crate) fn spelled(&self) -> impl Iterator<Item = &str> {
        self.segments.iter().filter_map(|segment| match segment {
            Segment::Name(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// The names of an absolute path.
pub(crate) fn names(path: &Path) -> impl Iterator<Item = String> + '_ {
    path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
        _ => None,
    })
}

/// A pattern from `/` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathGlob {
    pub(crate) segments: Vec<Segment>,
}

impl PathGlob {
    /// The folder or file that the pattern surely begins with.
    pub(crate) fn prefix(&self) -> PathBuf {
        let mut path = PathBuf::from("/");
        path.extend(self.segments.iter().map_while(|segment| match segment {
            Segment::Name(name) => Some(name),
            _ => None,
        }));
        path
    }

    /// Whether the path with these names fits. A broad match also covers what lies below a name
    /// that the pattern ends with.
    pub(crate) fn matches(&self, path: &[&str], folding: Folding, is_broad: bool) -> bool {
        let covers_below = is_broad && matches!(self.segments.last(), Some(Segment::Name(_)));
        fits(&self.segments, path, folding, covers_below)
    }
}

fn fits(pattern: &[Segment], path: &[&str], folding: Folding, covers_below: bool) -> bool {
    // Where the last `**` stood, and how much of the path was left there: the only place to go
    // back to, since a later one takes whatever an earlier one could.
    let (mut pattern, mut path) = (pattern, path);
    let mut back: Option<(&[Segment], &[&str])> = None;
    loop {
        match (pattern.split_first(), path.split_first()) {
            (Some((Segment::Deep, rest)), _) => {
                back = Some((rest, path));
                pattern = rest;
                continue;
            }
            (Some((segment, rest)), Some((name, below)))
                if segment_fits(segment, name, folding) =>
            {
                (pattern, path) = (rest, below);
                continue;
            }
            (None, None) => return true,
            (None, Some(_)) if covers_below => return true,
            _ => {}
        }
        match back {
            Some((rest, tried)) => match tried.split_first() {
                Some((_, below)) => {
                    back = Some((rest, below));
                    (pattern, path) = (rest, below);
                }
                None => return false,
            },
            None => return false,
        }
    }
}

fn segment_fits(segment: &Segment, name: &str, folding: Folding) -> bool {
    match segment {
        Segment::Deep => true,
        Segment::Name(own) if own == name => true,
        Segment::Wild(own) if glob::matches(own, name) => true,
        _ if !folding.case && !folding.form => false,
        Segment::Name(own) => fold(own, folding) == fold(name, folding),
        Segment::Wild(own) => glob::matches(&fold(own, folding), &fold(name, folding)),
    }
}

/// A name as a file system of this kind compares it.
pub(crate) fn fold(name: &str, folding: Folding) -> String {
    let composed = |name: &str| -> String {
        if folding.form && !name.is_ascii() {
            name.nfc().collect()
        } else {
            name.to_owned()
        }
    };
    if folding.case {
        composed(&composed(name).to_lowercase())
    } else {
        composed(name)
    }
}
