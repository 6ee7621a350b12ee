//! What a call touches: claims on a tree of resources.
//!
//! Two calls may run at the same time unless their footprints conflict. The rule is small on
//! purpose: two footprints conflict when some pair of claims overlaps and one of the pair writes.
//! A tool that says nothing claims everything, so it runs alone.

use std::borrow::Cow;
use std::path::Path;

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

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
}

impl Scope {
    /// One node alone.
    pub fn node(path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            node: path.into(),
            deep: false,
        }
    }

    /// A node with all below it.
    pub fn deep(path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            node: path.into(),
            deep: true,
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

    fn overlaps(&self, other: &Self) -> bool {
        match (self.deep, other.deep) {
            (false, false) => self.node == other.node,
            (true, false) => is_within(&other.node, &self.node),
            (false, true) => is_within(&self.node, &other.node),
            (true, true) => {
                is_within(&other.node, &self.node) || is_within(&self.node, &other.node)
            }
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
}

impl Claim {
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
            is_within(&mine.node, &theirs.node)
        } else {
            !mine.deep && mine.node == theirs.node
        };
        may && covered
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
        self.with(Claim {
            access: Access::Read,
            scope,
        })
    }

    /// The same, and changes `scope`.
    #[must_use]
    pub fn writing(self, scope: Scope) -> Self {
        self.with(Claim {
            access: Access::Write,
            scope,
        })
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
            Self::Everything => Cow::Owned(vec![Claim {
                access: Access::Write,
                scope: Scope::deep(""),
            }]),
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
