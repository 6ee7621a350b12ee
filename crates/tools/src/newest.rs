//! The newest of many files, in bounded memory and in an order that does not depend on threads.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::path::PathBuf;
use std::time::SystemTime;

/// A place in the order: newest first, then by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rank {
    pub(crate) modified: SystemTime,
    pub(crate) path: PathBuf,
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .modified
            .cmp(&self.modified)
            .then_with(|| self.path.cmp(&other.path))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The first few in the order, and how many there were in all.
#[derive(Debug)]
pub(crate) struct Newest {
    most: usize,
    /// The last of those kept is on top.
    kept: BinaryHeap<Rank>,
    pub(crate) total: u64,
}

impl Newest {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            kept: BinaryHeap::new(),
            total: 0,
        }
    }

    pub(crate) fn add(&mut self, rank: Rank) {
        self.total += 1;
        if self.kept.len() < self.most {
            self.kept.push(rank);
        } else if let Some(mut last) = self.kept.peek_mut()
            && rank < *last
        {
            *last = rank;
        }
    }

    /// Adds a file that may have been added before. One that was, and was left out again since,
    /// comes after all that are kept, so it stays out.
    pub(crate) fn add_once(&mut self, rank: Rank) {
        let is_after =
            self.kept.len() >= self.most && self.kept.peek().is_some_and(|last| *last < rank);
        if !is_after && !self.kept.iter().any(|kept| kept.path == rank.path) {
            self.add(rank);
        }
    }

    pub(crate) fn into_sorted(self) -> Vec<PathBuf> {
        self.kept
            .into_sorted_vec()
            .into_iter()
            .map(|rank| rank.path)
            .collect()
    }
}
