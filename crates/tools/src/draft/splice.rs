//! Changes of some bytes as splices, and splices of splices.

use std::ops::Range;

/// Bytes to put in the place of a range of the file's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Splice {
    pub(crate) range: Range<usize>,
    pub(crate) with: Vec<u8>,
}

/// A new content written down from front to back: ranges of the old one, rising, and new bytes.
#[derive(Debug, Default)]
pub(crate) struct Sequence {
    splices: Vec<Splice>,
    /// Up to here the old content is accounted for.
    at: usize,
    with: Vec<u8>,
}

impl Sequence {
    /// Goes on with a range of the old content; what is before it and was not taken is left out.
    pub(crate) fn keep(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        self.flush(range.start);
        self.at = range.end;
    }

    /// Goes on with new bytes.
    pub(crate) fn put(&mut self, bytes: &[u8]) {
        self.with.extend_from_slice(bytes);
    }

    fn flush(&mut self, next: usize) {
        if next > self.at || !self.with.is_empty() {
            self.splices.push(Splice {
                range: self.at..next,
                with: std::mem::take(&mut self.with),
            });
        }
    }

    /// The splices that make it of the old content, which has this many bytes.
    pub(crate) fn into_splices(mut self, length: usize) -> Vec<Splice> {
        self.flush(length);
        self.splices
    }
}

/// The splices that do in one step what `first` does and then `second`. `length` is that of the
/// bytes before the first.
pub(super) fn compose(length: usize, first: Vec<Splice>, second: Vec<Splice>) -> Vec<Splice> {
    let mut middle = Middle::new(length, first);
    let mut whole = Sequence::default();
    for splice in second {
        middle.pass(splice.range.start, Some(&mut whole));
        middle.pass(splice.range.end, None);
        whole.put(&splice.with);
    }
    middle.pass(usize::MAX, Some(&mut whole));
    whole.into_splices(length)
}

enum Part {
    Old(Range<usize>),
    New(Vec<u8>),
}

/// The content between the two, as parts, and how far it was read.
struct Middle {
    parts: std::vec::IntoIter<Part>,
    /// What is left of the part that was begun.
    begun: Option<Part>,
    at: usize,
}

impl Middle {
    fn new(length: usize, first: Vec<Splice>) -> Self {
        let mut parts = Vec::with_capacity(first.len() * 2 + 1);
        let mut from = 0;
        for splice in first {
            parts.push(Part::Old(from..splice.range.start));
            from = splice.range.end;
            parts.push(Part::New(splice.with));
        }
        parts.push(Part::Old(from..length));
        Self {
            parts: parts.into_iter(),
            begun: None,
            at: 0,
        }
    }

    /// Reads on up to a place, and takes what is read into `whole`, where there is one.
    fn pass(&mut self, to: usize, mut whole: Option<&mut Sequence>) {
        while self.at < to {
            let Some(part) = self.begun.take().or_else(|| self.parts.next()) else {
                return;
            };
            let (taken, rest) = part.split(to - self.at);
            self.begun = rest;
            self.at += taken.len();
            match (&mut whole, taken) {
                (Some(whole), Part::Old(range)) => whole.keep(range),
                (Some(whole), Part::New(bytes)) => whole.put(&bytes),
                (None, _) => {}
            }
        }
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Old(range) => range.len(),
            Self::New(bytes) => bytes.len(),
        }
    }

    fn split(self, at: usize) -> (Self, Option<Self>) {
        if self.len() <= at {
            return (self, None);
        }
        match self {
            Self::Old(Range { start, end }) => {
                let middle = start + at;
                (Self::Old(start..middle), Some(Self::Old(middle..end)))
            }
            Self::New(mut bytes) => {
                let rest = bytes.split_off(at);
                (Self::New(bytes), Some(Self::New(rest)))
            }
        }
    }
}
