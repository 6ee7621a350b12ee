//! What a call touches: claims on a tree of resources.
//!
//! Two calls may run at the same time unless their footprints conflict. The rule is small on
//! purpose: two footprints conflict when some pair of claims overlaps and one of the pair writes.
//! A tool that says nothing claims everything, so it runs alone.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::facts::Facts;

#[cfg(test)]
mod tests;

/// Whether a claim only looks or also changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Looks at the scope.
    Read,
    /// Changes the scope, or may.
    Write,
}

/// A part of the resource tree: one node, or a node with all below it.
///
/// Nodes are written as paths without a leading slash: `fs/home/u/notes.txt`, `net/example.org`,
/// `shell/cwd`. The empty path is the root of all resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    node: Cow<'static, str>,
    deep: bool,
    /// How the node is compared, where the file system takes several spellings for one name.
    compared: Option<Box<str>>,
}

impl Scope {
    /// One node alone.
    pub fn node(path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            node: path.into(),
            deep: false,
            compared: None,
        }
    }

    /// A node with all below it.
    pub fn deep(path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            node: path.into(),
            deep: true,
            compared: None,
        }
    }

    /// The file or folder at an absolute path, alone.
    pub fn file(path: &Path) -> Self {
        Self::node(file_node(path))
    }

    /// The folder at an absolute path with all below it.
    pub fn tree(path: &Path) -> Self {
        Self::deep(file_node(path))
    }

    /// The node's path in the resource tree.
    pub fn path(&self) -> &str {
        &self.node
    }

    /// Whether all below the node belongs to it.
    pub const fn is_deep(&self) -> bool {
        self.deep
    }

    /// The path of the file system that this is about, if it is about one.
    fn file_path(&self) -> Option<PathBuf> {
        let below = self.node.strip_prefix("fs")?;
        (below.is_empty() || below.starts_with('/'))
            .then(|| Path::new("/").join(below.get(1..).unwrap_or_default()))
    }

    fn key(&self) -> &str {
        self.compared.as_deref().unwrap_or(&self.node)
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (mine, theirs) = (self.key(), other.key());
        match (self.deep, other.deep) {
            (false, false) => mine == theirs,
            (true, false) => is_within(theirs, mine),
            (false, true) => is_within(mine, theirs),
            (true, true) => is_within(theirs, mine) || is_within(mine, theirs),
        }
    }
}

/// Lossy where a name is not UTF-8: two such names may then meet in one node, which only costs a wait.
fn file_node(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = text.trim_matches('/');
    if text.is_empty() {
        "fs".to_owned()
    } else {
        format!("fs/{text}")
    }
}

/// By whole segments: `fs/ab` is not within `fs/a`.
fn is_within(node: &str, above: &str) -> bool {
    match node.strip_prefix(above) {
        Some(rest) => above.is_empty() || rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// One access to one scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Looks or changes.
    pub access: Access,
    /// At what.
    pub scope: Scope,
    /// Whether the rest of the footprint was made from what is there: where an earlier call changes
    /// it, the footprint is not known before that call has ended.
    pub is_basis: bool,
}

impl Claim {
    /// Looks at `scope`.
    pub const fn read(scope: Scope) -> Self {
        Self {
            access: Access::Read,
            scope,
            is_basis: false,
        }
    }

    /// Changes `scope`.
    pub const fn write(scope: Scope) -> Self {
        Self {
            access: Access::Write,
            scope,
            is_basis: false,
        }
    }

    /// Whether the two may not run at the same time.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        (self.access == Access::Write || other.access == Access::Write)
            && self.scope.overlaps(&other.scope)
    }
}

impl Claim {
    fn is_within(&self, whole: &Self) -> bool {
        let may = whole.access == Access::Write || self.access == Access::Read;
        let (mine, theirs) = (&self.scope, &whole.scope);
        let covered = if theirs.deep {
            is_within(mine.key(), theirs.key())
        } else {
            !mine.deep && mine.key() == theirs.key()
        };
        may && covered
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let does = match self.access {
            Access::Read => "reads",
            Access::Write => "writes",
        };
        match (self.scope.path(), self.scope.deep) {
            ("", _) => write!(f, "{does} anything"),
            (node, true) => write!(f, "{does} {node} with all below"),
            (node, false) => write!(f, "{does} {node}"),
        }
    }
}

impl Serialize for Claim {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Line<'a> {
            access: Access,
            scope: &'a str,
            deep: bool,
        }
        Line {
            access: self.access,
            scope: self.scope.path(),
            deep: self.scope.deep,
        }
        .serialize(serializer)
    }
}

/// All that a call touches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Footprint {
    /// Anything may be changed: the call runs alone.
    #[default]
    Everything,
    /// These claims and nothing else.
    Claims(Vec<Claim>),
}

impl Footprint {
    /// Touches nothing that another call could touch.
    pub const fn nothing() -> Self {
        Self::Claims(Vec::new())
    }

    /// May look at anything and changes nothing: runs beside other readers, never beside a writer.
    pub fn reads_everything() -> Self {
        Self::nothing().reading(Scope::deep(""))
    }

    /// The same, and looks at `scope`.
    #[must_use]
    pub fn reading(self, scope: Scope) -> Self {
        self.with(Claim::read(scope))
    }

    /// The same, and changes `scope`.
    #[must_use]
    pub fn writing(self, scope: Scope) -> Self {
        self.with(Claim::write(scope))
    }

    /// The same, made from what is at `scope`: where an earlier call changes that, the footprint
    /// must be taken again when that call has ended.
    #[must_use]
    pub fn resting_on(self, scope: Scope) -> Self {
        self.with(Claim {
            is_basis: true,
            ..Claim::read(scope)
        })
    }

    /// The same, with each file compared as its file system compares names.
    pub(crate) fn compared_by(self, facts: &Facts) -> Self {
        let Self::Claims(mut claims) = self else {
            return self;
        };
        for Claim { scope, .. } in &mut claims {
            let folded = scope.file_path().and_then(|path| facts.folded(&path));
            scope.compared = folded.map(|path| file_node(&path).into());
        }
        Self::Claims(claims)
    }

    /// Whether the other footprint rests on something that this call changes.
    pub(crate) fn unsettles(&self, other: &Self) -> bool {
        let (Self::Claims(mine), Self::Claims(theirs)) = (self, other) else {
            return self == &Self::Everything;
        };
        theirs
            .iter()
            .filter(|their| their.is_basis)
            .any(|their| mine.iter().any(|claim| claim.conflicts_with(their)))
    }

    /// Whether the call says of itself that it changes something there.
    pub(crate) fn changes(&self, scope: &Scope) -> bool {
        let read = Claim::read(scope.clone());
        match self {
            Self::Everything => false,
            Self::Claims(claims) => claims.iter().any(|claim| claim.conflicts_with(&read)),
        }
    }

    fn with(self, claim: Claim) -> Self {
        match self {
            Self::Everything => Self::Everything,
            Self::Claims(mut claims) => {
                claims.push(claim);
                Self::Claims(claims)
            }
        }
    }

    /// The claims; for [`Footprint::Everything`], one deep write of the root.
    pub fn claims(&self) -> Cow<'_, [Claim]> {
        match self {
            Self::Everything => Cow::Owned(vec![Claim::write(Scope::deep(""))]),
            Self::Claims(claims) => Cow::Borrowed(claims),
        }
    }

    /// Whether the two calls must run in program order.
    pub fn conflicts_with(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Everything, Self::Everything) => true,
            (Self::Everything, Self::Claims(claims)) | (Self::Claims(claims), Self::Everything) => {
                !claims.is_empty()
            }
            (Self::Claims(mine), Self::Claims(theirs)) => mine
                .iter()
                .any(|claim| theirs.iter().any(|their| claim.conflicts_with(their))),
        }
    }

    /// Whether all that this touches lies within what `whole` claims, with no more than its access.
    pub fn is_within(&self, whole: &Self) -> bool {
        match (self, whole) {
            (_, Self::Everything) => true,
            (Self::Everything, Self::Claims(_)) => false,
            (Self::Claims(mine), Self::Claims(theirs)) => mine
                .iter()
                .all(|claim| theirs.iter().any(|their| claim.is_within(their))),
        }
    }

    /// The first pair of claims that meet, this one's first.
    pub fn conflict(&self, other: &Self) -> Option<(Claim, Claim)> {
        let theirs = other.claims();
        self.claims().iter().find_map(|mine| {
            let met = theirs.iter().find(|their| mine.conflicts_with(their))?;
            Some((mine.clone(), met.clone()))
        })
    }
}

impl Serialize for Footprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let claims = self.claims();
        let mut list = serializer.serialize_seq(Some(claims.len()))?;
        for claim in claims.iter() {
            list.serialize_element(claim)?;
        }
        list.end()
    }
}
