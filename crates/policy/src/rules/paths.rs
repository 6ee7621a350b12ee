//! Path rules by where their patterns begin and end.

use super::*;

/// For each folder or file that patterns surely begin with, the patterns by how they end.
#[derive(Debug, Clone, Default)]
pub(super) struct PathIndex {
    buckets: BTreeMap<String, Bucket>,
    broad_prefixes: HashMap<String, PathBuf>,
    /// The first deny or ask rule for each tool that path rules name.
    any_broad: HashMap<String, Id>,
}

#[derive(Debug, Clone, Default)]
struct Bucket {
    /// Patterns with a name after the first wildcard that the path must have.
    by_name: HashMap<String, Vec<Id>>,
    /// Patterns that end with `*.ext`.
    by_extension: HashMap<String, Vec<Id>>,
    /// All others.
    rest: Vec<Id>,
    /// The first deny or ask rule for each tool.
    broad: HashMap<String, Id>,
    /// The same, of those with a wildcard.
    broad_wild: HashMap<String, Id>,
}

impl PathIndex {
    pub(super) fn add(&mut self, id: Id, tool: &str, glob: &PathGlob, is_broad: bool) {
        let prefix = glob.prefix();
        let key = key_of(&prefix);
        let literal = prefix.components().count().saturating_sub(1);
        let tail = glob.segments.get(literal..).unwrap_or_default();
        let bucket = self.buckets.entry(key.clone()).or_default();
        if is_broad {
            self.any_broad.entry(tool.to_owned()).or_insert(id);
            bucket.broad.entry(tool.to_owned()).or_insert(id);
            if !tail.is_empty() {
                bucket.broad_wild.entry(tool.to_owned()).or_insert(id);
            }
            self.broad_prefixes.entry(key).or_insert(prefix);
        }
        let named = tail.iter().rev().find_map(|segment| match segment {
            Segment::Name(name) => Some(fold(name, LOOSE)),
            _ => None,
        });
        let extension = match tail.last() {
            Some(Segment::Wild(wild)) => {
                let end = wild.rsplit('*').next().unwrap_or_default();
                end.rsplit_once('.')
                    .map(|(_, extension)| fold(extension, LOOSE))
            }
            _ => None,
        };
        let ids = match (named, extension) {
            (_, Some(extension)) => bucket.by_extension.entry(extension).or_default(),
            (Some(name), None) => bucket.by_name.entry(name).or_default(),
            (None, None) => &mut bucket.rest,
        };
        ids.push(id);
    }

    /// Every rule that may fit, in the order of the list.
    pub(super) fn candidates(&self, forms: &Forms) -> Vec<Id> {
        let mut found = Vec::new();
        for form in &forms.broad {
            let extension = form
                .folded
                .last()
                .and_then(|name| name.rsplit_once('.'))
                .map(|(_, extension)| extension);
            for bucket in form.keys.iter().filter_map(|key| self.buckets.get(key)) {
                found.extend(&bucket.rest);
                if !bucket.by_name.is_empty() {
                    for name in &form.folded {
                        found.extend(bucket.by_name.get(name).into_iter().flatten());
                    }
                }
                found.extend(
                    extension
                        .and_then(|e| bucket.by_extension.get(e))
                        .into_iter()
                        .flatten(),
                );
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// A deny or ask rule of `tool` that may fit something below the path.
    pub(super) fn below(&self, tool: &str, forms: &Forms) -> Option<Id> {
        forms.broad.iter().find_map(|form| {
            let wild_above = form
                .keys
                .iter()
                .filter_map(|key| self.buckets.get(key))
                .find_map(|bucket| bucket.broad_wild.get(tool));
            let under = match form.key() {
                "/" => "/".to_owned(),
                key => format!("{key}/"),
            };
            let inside = self
                .buckets
                .range(under.clone()..)
                .take_while(|(key, _)| key.starts_with(&under))
                .find_map(|(_, bucket)| bucket.broad.get(tool));
            wild_above.or(inside).copied()
        })
    }

    pub(super) fn any_broad(&self, tool: &str) -> Option<Id> {
        self.any_broad.get(tool).copied()
    }

    pub(super) fn broad_prefixes(&self) -> impl Iterator<Item = &Path> {
        self.broad_prefixes.values().map(PathBuf::as_path)
    }
}
