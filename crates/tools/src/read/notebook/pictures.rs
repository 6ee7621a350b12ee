//! The pictures in the outputs of cells, as many as there is room for.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolpost_core::Content;

use crate::picture::{self, Picture};
use crate::work::Stop;

/// In all outputs that are shown together.
const MOST_PICTURES: usize = 10;

pub(super) struct Pictures<'s> {
    stop: &'s Stop,
    count: usize,
    bytes: usize,
}

impl<'s> Pictures<'s> {
    pub(super) const fn new(stop: &'s Stop) -> Self {
        Self {
            stop,
            count: 0,
            bytes: 0,
        }
    }

    /// A picture that is given in base64, where it is sound and there is room for it.
    pub(super) fn show(&mut self, text: &str) -> Option<Content> {
        if self.count >= MOST_PICTURES {
            return None;
        }
        let text: String = text.split_whitespace().collect();
        let picture = Picture::new(STANDARD.decode(text).ok()?, self.stop).ok()?;
        if self.bytes + picture.bytes.len() > picture::MOST_BYTES {
            return None;
        }
        self.count += 1;
        self.bytes += picture.bytes.len();
        Some(picture.content())
    }
}
