//! What parsing keeps from call to call: the arena and its stacks.

use std::cell::Cell;

use bumpalo::Bump;

use super::Node;

/// The arena of one tree, with what its parser needs.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Holds the tree.
    pub bump: Bump,
    /// The parser's own stacks.
    pub stacks: Stacks,
}

/// Values of which the parser does not yet know how many there will be. Empty between calls.
#[derive(Debug, Default)]
pub struct Stacks {
    pub(super) items: Vec<Node<'static>>,
    pub(super) members: Vec<(&'static str, Node<'static>)>,
    pub(super) unescaped: String,
}

/// An arena or stack that grew over this many bytes is not kept.
const KEEP: usize = 1 << 20;

thread_local! {
    static KEPT: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// Runs `work` with this thread's scratch, and clears it afterwards.
///
/// A reader that reads again inside `work` gets a scratch of its own.
pub fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    let mut scratch = KEPT.take().unwrap_or_default();
    let result = work(&mut scratch);
    if scratch.bump.allocated_bytes() > KEEP {
        scratch.bump = Bump::new();
    } else {
        scratch.bump.reset();
    }
    scratch.stacks.shrink();
    KEPT.set(Some(scratch));
    result
}

impl Stacks {
    fn shrink(&mut self) {
        let node = size_of::<Node<'_>>();
        if self.items.capacity() * node > KEEP {
            self.items = Vec::new();
        }
        if self.members.capacity() * node * 2 > KEEP {
            self.members = Vec::new();
        }
        if self.unescaped.capacity() > KEEP {
            self.unescaped = String::new();
        }
    }
}

/// The same empty vector for values of another lifetime. Collecting in place keeps the allocation.
#[inline]
#[expect(
    clippy::unnecessary_filter_map,
    reason = "a filter could not change the lifetime"
)]
pub(super) fn items_for<'to>(mut items: Vec<Node<'_>>) -> Vec<Node<'to>> {
    items.clear();
    items.into_iter().filter_map(|_| None).collect()
}

/// As [`items_for`], for members.
#[inline]
#[expect(
    clippy::unnecessary_filter_map,
    reason = "a filter could not change the lifetime"
)]
pub(super) fn members_for<'to>(mut members: Vec<(&str, Node<'_>)>) -> Vec<(&'to str, Node<'to>)> {
    members.clear();
    members.into_iter().filter_map(|_| None).collect()
}
