//! Here-documents: lines that belong to a redirection further up.

use super::cursor::{Parser, PendingDocument};
use super::{Part, PartKind, Refusal};

impl Parser<'_> {
    /// Reads the lines of every heredoc that waits, in order.
    pub(super) fn read_documents(&mut self) -> Result<(), Refusal> {
        for document in std::mem::take(&mut self.pending) {
            let body = self.read_lines(&document);
            let parts = if document.expands {
                self.nested(|parser| parser.expanding_text(&body))?
            } else {
                vec![Part {
                    quoted: true,
                    kind: PartKind::Text(body),
                }]
            };
            // Each cell is filled once: a document leaves the list when it is read.
            let _ = document.body.set(parts);
        }
        Ok(())
    }

    fn read_lines(&mut self, document: &PendingDocument) -> String {
        let mut body = String::new();
        let mut continues = false;
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                self.note("a heredoc without its end");
                return body;
            }
            let (line, step) = match rest.find('\n') {
                Some(end) => (rest.get(..end).unwrap_or(rest), end + 1),
                None => (rest, rest.len()),
            };
            self.pos += step;
            let line = if document.strips_tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if !continues && line == document.delimiter {
                return body;
            }
            let backslashes = line.len() - line.trim_end_matches('\\').len();
            continues = document.expands && backslashes % 2 == 1;
            body.push_str(line);
            body.push('\n');
        }
    }

    /// Text in which `$`, backticks and backslashes count and quotes do not: heredocs and
    /// arithmetic.
    pub(super) fn expanding_text(&mut self, text: &str) -> Result<Vec<Part>, Refusal> {
        let mut inner = Parser::new(text, self.depth);
        let mut parts = Vec::new();
        let result = inner.quoted_parts(&mut parts, None);
        for note in std::mem::take(&mut inner.notes) {
            self.note(note);
        }
        result.map(|()| parts)
    }
}
