//! Changes in memory: of texts, by patches, of notebooks.

use serde_json::Value;

use super::{Input, file, text};
use crate::apply_patch::fit::fit;
use crate::apply_patch::parse::{Action, Hunk, Sign, parse};
use crate::draft::{Draft, Splice, pieces};
use crate::edit::{Replacement, replace};
use crate::notebook::{NewCell, Notebook};
use crate::read::notebook::text_of;
use crate::text::{Coding, Encoding, with_lf};
use crate::work::Stop;

fn spliced(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let pieces = pieces(bytes.len(), splices);
    let new: Vec<&[u8]> = pieces.iter().map(|piece| piece.bytes(bytes)).collect();
    new.concat()
}

/// Edits, one after the other: each is the plain replacement in the text as a model sees it, and
/// bytes before the first and after the last change are the same.
pub fn edits(data: &[u8]) {
    let mut input = Input(data);
    let coding = input.coding();
    let content = input.text(200);
    let old_bytes = match input.byte() % 4 {
        // Bytes that are perhaps no text.
        0 => input.bytes(200).to_vec(),
        _ => file(coding, &content).unwrap_or_default(),
    };
    let coding = match old_bytes.starts_with(coding.encoding.mark()) {
        true => coding,
        false => Coding {
            has_mark: false,
            ..coding
        },
    };
    let mut draft = Draft::new(&old_bytes);
    for _ in 0..1 + input.below(3) {
        let before = draft.bytes().to_vec();
        let seen = text(coding, &before);
        let old = match (&seen, input.byte() % 3) {
            // Mostly something that is there.
            (Some(seen), 1..) => {
                let chars: Vec<char> = seen.chars().collect();
                let start = input.below(chars.len() + 1);
                let length = input.below(12).min(chars.len() - start);
                chars[start..start + length].iter().collect()
            }
            _ => input.text(10),
        };
        let new = input.text(10);
        let all = input.byte().is_multiple_of(2);
        let wanted = Replacement {
            old: &old,
            new: &new,
            all,
        };
        if replace(&mut draft, coding, wanted).is_err() {
            assert_eq!(draft.bytes(), before, "a failed edit changes nothing");
            continue;
        }
        if let (Some(seen), Some(after)) = (seen, text(coding, draft.bytes())) {
            let (old, new) = (with_lf(&old), with_lf(&new));
            // What the encoding does not have may be there in UTF-8, in a file that is of both.
            if matches!(coding.encoding, Encoding::Older(_)) && !with_lf(&seen).contains(&*old) {
                continue;
            }
            // A mark at the beginning is no part of what is replaced, and a lone CR before a new
            // line break makes another one.
            if !old.is_empty()
                && !old.contains('\u{feff}')
                && !format!("{seen}{new}").contains('\r')
            {
                assert_eq!(with_lf(&after), with_lf(&seen).replace(&*old, &new));
            }
        }
    }
    let new_bytes = draft.bytes().to_vec();
    let splices = draft.splices().to_vec();
    assert_eq!(spliced(&old_bytes, &splices), new_bytes);
    if let (Some(first), Some(last)) = (splices.first(), splices.last()) {
        assert!(new_bytes.starts_with(&old_bytes[..first.range.start]));
        assert!(new_bytes.ends_with(&old_bytes[last.range.end..]));
    }
    draft.diff(coding);
}

/// Patches: no text makes the reading of them panic, a hunk that fits gives the lines it says,
/// and its inverse gives the file back.
pub fn patches(data: &[u8]) {
    let mut input = Input(data);
    let patch = input.text(200);
    for whole in [
        patch.clone(),
        format!("*** Begin Patch\n{patch}\n*** End Patch"),
    ] {
        for section in parse(&whole).unwrap_or_default() {
            if let Action::Update { hunks, .. } = section.action {
                let bytes = input.bytes(100);
                let coding = input.coding();
                if let Ok(splices) = fit(bytes, coding, &hunks) {
                    spliced(bytes, &splices);
                }
            }
        }
    }
    let coding = input.coding();
    let eol = ["\n", "\r\n"][input.below(2)];
    let is_bare = input.byte().is_multiple_of(2);
    let mut lines = |least: usize| -> Vec<String> {
        (0..least + input.below(8))
            .map(|_| input.text(3).replace(['\r', '\n', '\u{feff}'], "x") + "-")
            .collect()
    };
    let (old, new) = (lines(2), lines(2));
    let bytes = |lines: &[String]| {
        let text = lines.join(eol) + if is_bare { "" } else { eol };
        file(coding, &text)
    };
    let (Some(old_bytes), Some(new_bytes)) = (bytes(&old), bytes(&new)) else {
        return;
    };
    let there = fit(&old_bytes, coding, &[hunk(&old, &new)]).unwrap();
    assert_eq!(spliced(&old_bytes, &there), new_bytes);
    let back = fit(&new_bytes, coding, &[hunk(&new, &old)]).unwrap();
    assert_eq!(spliced(&new_bytes, &back), old_bytes);
}

/// A hunk with all lines of both: what both begin with stays.
fn hunk(old: &[String], new: &[String]) -> Hunk {
    let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let kept = old[..same].iter().map(|line| (Sign::Keep, line.clone()));
    let gone = old[same..].iter().map(|line| (Sign::Remove, line.clone()));
    let come = new[same..].iter().map(|line| (Sign::Add, line.clone()));
    Hunk {
        lines: kept.chain(gone).chain(come).collect(),
        ..Hunk::default()
    }
}

/// Notebooks: whatever is changed, the result is one, and the other cells are the same bytes.
pub fn notebooks(data: &[u8]) {
    let mut input = Input(data);
    let source = input.text(20);
    let kind = ["code", "markdown", "raw"][input.below(3)];
    let rest = String::from_utf8_lossy(input.0);
    let stop = Stop::new(toolpost_core::CancellationToken::new());
    for text in [
        rest.to_string(),
        format!("{{\"nbformat\":4,\"nbformat_minor\":5,\"cells\":[{rest}]}}"),
    ] {
        let Ok(notebook) = Notebook::parse(&text) else {
            continue;
        };
        text_of(&notebook, &stop);
        let count = notebook.cells.len();
        for index in 0..count.min(4) {
            let new = changed(&text, &notebook.delete(index));
            check(&notebook, &new, index, index, 0);
            if !notebook.cells[index].kind().is_empty() {
                let new = changed(&text, &notebook.replace(index, Some(&source), Some(kind)));
                let read = check(&notebook, &new, index, index, 1);
                assert_eq!(read["cells"][index]["cell_type"], kind, "{new}");
            }
        }
        for index in 0..=count.min(3) {
            let cell = NewCell {
                kind,
                source: &source,
            };
            let new = changed(&text, &notebook.insert(index, cell).0);
            if let Some(before) = index.checked_sub(1) {
                check(&notebook, &new, before, before, 2);
            }
        }
    }
}

fn changed(text: &str, splices: &[Splice]) -> String {
    String::from_utf8(spliced(text.as_bytes(), splices)).expect("text stays text")
}

/// The new text is a notebook in which the cells of `old` before and after one are the same;
/// `instead` cells have its place.
fn check(old: &Notebook<'_>, new: &str, before: usize, at: usize, instead: usize) -> Value {
    let read = Notebook::parse(new).unwrap_or_else(|why| panic!("{why}: {new}"));
    assert_eq!(read.cells.len(), old.cells.len() - 1 + instead);
    let raw = |notebook: &Notebook<'_>, index: usize| {
        let place = notebook.cells[index].object.place.clone();
        notebook.text[place].to_owned()
    };
    for index in 0..before {
        assert_eq!(raw(old, index), raw(&read, index));
    }
    for index in at + 1..old.cells.len() {
        assert_eq!(raw(old, index), raw(&read, index + instead - 1));
    }
    serde_json::from_str(new).unwrap()
}
