//! A path in all the forms that patterns are held against, taken once for all rules.

use std::path::{Path, PathBuf};

use crate::disk::Folding;
use crate::place::{Place, Spot, parts};
use crate::rule::path::fold;

/// Everything folds for the keys of the index; what it finds is compared exactly afterwards.
pub(crate) const LOOSE: Folding = Folding {
    case: true,
    form: true,
};

/// A path that a call names, ready to be held against rules.
#[derive(Debug, Clone)]
pub(crate) struct Forms {
    pub(crate) spot: Spot,
    /// How it is shown.
    pub(crate) shown: String,
    pub(crate) is_inside: bool,
    /// One of these must fit a broad pattern.
    pub(crate) broad: Vec<Form>,
    /// In each group, one must fit a narrow pattern.
    pub(crate) narrow: Vec<Vec<Form>>,
    pub(crate) folding: Folding,
}

/// One absolute path, cut into names.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) names: Vec<String>,
    /// The names, folded.
    pub(crate) folded: Vec<String>,
    /// The path and every folder above it, folded: `/`, `/proj`, `/proj/a`.
    pub(crate) keys: Vec<String>,
}

impl Form {
    fn new(path: &Path) -> Self {
        let names = parts(path);
        let folded: Vec<String> = names.iter().map(|name| fold(name, LOOSE)).collect();
        let mut keys = vec!["/".to_owned()];
        let mut key = String::new();
        for name in &folded {
            key.push('/');
            key.push_str(name);
            keys.push(key.clone());
        }
        Self {
            names,
            folded,
            keys,
        }
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The key of the path itself.
    pub(crate) fn key(&self) -> &str {
        self.keys.last().map_or("/", String::as_str)
    }
}

/// The key under which the index has a pattern that begins with this path.
pub(crate) fn key_of(prefix: &Path) -> String {
    let mut key = String::new();
    for name in parts(prefix) {
        key.push('/');
        key.push_str(&fold(&name, LOOSE));
    }
    if key.is_empty() { "/".to_owned() } else { key }
}

impl Forms {
    pub(crate) fn new(spot: Spot, place: &Place<'_>) -> Self {
        let form = |path: &PathBuf| Form::new(path);
        let broad = place.broad_forms(&spot).iter().map(form).collect();
        let narrow = place
            .narrow_forms(&spot)
            .iter()
            .map(|group| group.iter().map(form).collect())
            .collect();
        Self {
            shown: place.shown(&spot.spelled),
            is_inside: place.is_inside(&spot),
            broad,
            narrow,
            folding: place.folding,
            spot,
        }
    }
}
