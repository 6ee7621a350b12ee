//! Line endings: a model sees LF, a file has what it has.

use std::borrow::Cow;

use super::Encoding;

/// The ending of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Eol {
    Lf,
    CrLf,
}

impl Eol {
    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}

/// A text with LF for each CR LF, which is how a model sees it.
pub(crate) fn with_lf(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

/// Bytes of a file with the CR of each CR LF left out, and where they were.
pub(crate) struct LfView<'a> {
    bytes: Cow<'a, [u8]>,
    /// For each CR that was left out, where its LF is in `bytes`; rising.
    left_out: Vec<usize>,
    encoding: Encoding,
}

impl<'a> LfView<'a> {
    /// The view of a file's bytes without its mark.
    pub(crate) fn new(raw: &'a [u8], encoding: Encoding) -> Self {
        let ends = crlf_positions(raw, encoding);
        if ends.is_empty() {
            return Self {
                bytes: Cow::Borrowed(raw),
                left_out: ends,
                encoding,
            };
        }
        let width = encoding.width();
        let mut bytes = Vec::with_capacity(raw.len());
        let mut from = 0;
        let mut left_out = Vec::with_capacity(ends.len());
        for cr in ends {
            bytes.extend_from_slice(raw.get(from..cr).unwrap_or_default());
            left_out.push(bytes.len());
            from = cr + width;
        }
        bytes.extend_from_slice(raw.get(from..).unwrap_or_default());
        Self {
            bytes: Cow::Owned(bytes),
            left_out,
            encoding,
        }
    }

    /// The bytes as they are, for texts on one line, to which line endings do not matter.
    pub(crate) fn of_one_line(raw: &'a [u8], encoding: Encoding) -> Self {
        Self {
            bytes: Cow::Borrowed(raw),
            left_out: Vec::new(),
            encoding,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where a place in the view is in the file.
    pub(crate) fn raw(&self, at: usize) -> usize {
        at + self.left_out.partition_point(|lf| *lf < at) * self.encoding.width()
    }

    /// Where the line breaks within `from..to` are.
    pub(crate) fn breaks(&self, from: usize, to: usize) -> impl Iterator<Item = usize> + '_ {
        let part = self.bytes.get(from..to).unwrap_or_default();
        break_positions(part, self.encoding).map(move |at| from + at)
    }

    /// The ending that the line break at this place has in the file.
    pub(crate) fn eol_at(&self, at: usize) -> Eol {
        if self.left_out.binary_search(&at).is_ok() {
            Eol::CrLf
        } else {
            Eol::Lf
        }
    }

    /// The ending that a line at this place has: its own, else that of the line before, else the
    /// one that most lines have.
    pub(crate) fn eol_near(&self, at: usize) -> Eol {
        let own = self.breaks(at, self.bytes.len()).next();
        let found = own.or_else(|| last_break(self.bytes.get(..at)?, self.encoding));
        found.map_or(Eol::Lf, |at| self.eol_at(at))
    }

    /// Whether there is more than one line.
    pub(crate) fn has_breaks(&self) -> bool {
        break_positions(&self.bytes, self.encoding).next().is_some()
    }

    /// The ending that most lines have.
    pub(crate) fn dominant(&self) -> Eol {
        let all = break_positions(&self.bytes, self.encoding).count();
        if self.left_out.len() * 2 > all {
            Eol::CrLf
        } else {
            Eol::Lf
        }
    }
}

/// Where the line feeds are.
pub(crate) fn break_positions(
    bytes: &[u8],
    encoding: Encoding,
) -> impl Iterator<Item = usize> + '_ {
    let (unit, width) = encoding.unit(b'\n');
    let low = unit
        .iter()
        .take(width)
        .position(|byte| *byte == b'\n')
        .unwrap_or(0);
    memchr::memchr_iter(b'\n', bytes).filter_map(move |at| {
        let start = at.checked_sub(low)?;
        let is_unit = start % width == 0
            && bytes
                .get(start..start + width)
                .is_some_and(|found| found == unit.get(..width).unwrap_or_default());
        is_unit.then_some(start)
    })
}

fn last_break(bytes: &[u8], encoding: Encoding) -> Option<usize> {
    if encoding.width() == 1 {
        return memchr::memrchr(b'\n', bytes);
    }
    break_positions(bytes, encoding).last()
}

/// Where the carriage returns before line feeds are. Most files have none, which is soon seen.
fn crlf_positions(raw: &[u8], encoding: Encoding) -> Vec<usize> {
    let (cr, width) = encoding.unit(b'\r');
    let (lf, _) = encoding.unit(b'\n');
    let (cr, lf) = (
        cr.get(..width).unwrap_or_default(),
        lf.get(..width).unwrap_or_default(),
    );
    let low = cr.iter().position(|byte| *byte == b'\r').unwrap_or(0);
    let is_pair = |at: &usize| {
        at.is_multiple_of(width)
            && raw.get(*at..at + width) == Some(cr)
            && raw.get(at + width..at + 2 * width) == Some(lf)
    };
    memchr::memchr_iter(b'\r', raw)
        .filter_map(|at| at.checked_sub(low))
        .filter(is_pair)
        .collect()
}
