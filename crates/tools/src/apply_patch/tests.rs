//! Hunks against a slow model: lines as strings, and a patch against its inverse.

use proptest::prelude::*;
use similar::{ChangeTag, TextDiff};

use super::fit::{Misfit, fit};
use super::parse::{Action, Hunk, Sign, parse};
use crate::draft::pieces;
use crate::text::{Coding, Encoding};

fn apply(bytes: &[u8], coding: Coding, hunks: &[Hunk]) -> Result<Vec<u8>, Misfit> {
    let splices = fit(bytes, coding, hunks).map_err(|(_, misfit)| misfit)?;
    let pieces = pieces(bytes.len(), &splices);
    let new: Vec<&[u8]> = pieces.iter().map(|piece| piece.bytes(bytes)).collect();
    Ok(new.concat())
}

/// The hunks of a patch of one file.
fn hunks(body: &str) -> Vec<Hunk> {
    let text = format!("*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n");
    match parse(&text).unwrap().remove(0).action {
        Action::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

fn patched(text: &str, body: &str) -> Result<String, Misfit> {
    let bytes = apply(text.as_bytes(), Coding::UTF8, &hunks(body))?;
    Ok(String::from_utf8(bytes).unwrap())
}

/// One hunk that makes the new lines of the old ones, with all lines of the file in it.
fn whole_hunk(old: &[String], new: &[String]) -> Hunk {
    let old: Vec<&str> = old.iter().map(String::as_str).collect();
    let new: Vec<&str> = new.iter().map(String::as_str).collect();
    let diff = TextDiff::from_slices(&old, &new);
    let lines = diff.iter_all_changes().map(|change| {
        let sign = match change.tag() {
            ChangeTag::Equal => Sign::Keep,
            ChangeTag::Delete => Sign::Remove,
            ChangeTag::Insert => Sign::Add,
        };
        (sign, change.value().to_owned())
    });
    Hunk {
        lines: lines.collect(),
        ..Hunk::default()
    }
}

fn joined(lines: &[String], eol: &str, is_bare: bool) -> String {
    let text: String = lines.iter().map(|line| format!("{line}{eol}")).collect();
    match text.strip_suffix(eol) {
        Some(bare) if is_bare => bare.to_owned(),
        _ => text,
    }
}

proptest! {
    #[test]
    fn a_patch_and_its_inverse_give_the_file_back(
        old in prop::collection::vec("[abé]{1,2}", 1..8),
        new in prop::collection::vec("[abé]{1,2}", 1..8),
        crlf: bool, is_bare: bool, wide: bool,
    ) {
        // One line without an end does not tell which ends the file would have.
        prop_assume!(!(crlf && is_bare && (old.len() == 1 || new.len() == 1)));
        let eol = if crlf { "\r\n" } else { "\n" };
        let encoding = if wide { Encoding::Utf16Be } else { Encoding::Utf8 };
        let coding = Coding { encoding, has_mark: wide };
        let bytes = |lines: &[String]| {
            let text = joined(lines, eol, is_bare);
            let mark = if wide { encoding.mark() } else { b"" };
            [mark, &*encoding.encode(&text).unwrap()].concat()
        };
        let there = apply(&bytes(&old), coding, &[whole_hunk(&old, &new)]).unwrap();
        prop_assert_eq!(&there, &bytes(&new));
        let back = apply(&there, coding, &[whole_hunk(&new, &old)]).unwrap();
        prop_assert_eq!(back, bytes(&old));
    }

    #[test]
    fn what_no_hunk_names_is_the_same_bytes(
        before in prop::collection::vec(("[ab]{0,2}", any::<bool>()), 0..5),
        after in prop::collection::vec(("[ab]{0,2}", any::<bool>()), 0..5),
        stray in prop::collection::vec(0x80_u8.., 0..3),
        new in prop::collection::vec("[ab]{0,2}", 0..4),
        crlf: bool,
    ) {
        let lines = |lines: &[(String, bool)]| -> Vec<u8> {
            lines.iter().flat_map(|(text, crlf)| {
                [&stray[..], text.as_bytes(), if *crlf { b"\r\n" } else { b"\n" }].concat()
            }).collect()
        };
        let (before, after) = (lines(&before), lines(&after));
        let eol: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let middle = [b"x", eol, b"y", eol, b"z", eol].concat();
        let bytes = [&before[..], &middle, &after].concat();
        let mut lines = vec![(Sign::Keep, "x".to_owned()), (Sign::Remove, "y".to_owned())];
        lines.extend(new.iter().map(|line| (Sign::Add, line.clone())));
        lines.push((Sign::Keep, "z".to_owned()));
        let hunk = Hunk { lines, ..Hunk::default() };
        let edited = apply(&bytes, Coding::UTF8, &[hunk]).unwrap();
        let new: Vec<u8> = new.iter().flat_map(|line| [line.as_bytes(), eol].concat()).collect();
        let wanted = [&before[..], b"x", eol, &new, b"z", eol, &after].concat();
        prop_assert_eq!(edited, wanted);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[ +*@-]{0,4}(\\*\\*\\* Begin Patch\n)?([ +@*-]{0,3}[a-z]{0,3}\n|\\*\\*\\* (Add|Update|Delete) File: f\n|\\*\\*\\* End (Patch|of File)\n){0,8}") {
        let _ = parse(&text);
    }
}

const FILE: &str = "fn a() {\n    x();\n}\n\nfn b() {\n    x();\n}\n";

#[test]
fn a_hunk_goes_below_its_anchor() {
    let new = patched(FILE, "@@ fn b() {\n-    x();\n+    y();\n").unwrap();
    assert_eq!(new, FILE.replacen("fn b() {\n    x", "fn b() {\n    y", 1));
    let new = patched(FILE, "@@ fn a() {\n+    first();\n").unwrap();
    assert_eq!(
        new,
        FILE.replacen("fn a() {\n", "fn a() {\n    first();\n", 1)
    );
    let twice = "@@ fn b() {\n fn b() {\n-    x();\n+    y();\n";
    assert!(patched(FILE, twice).unwrap().ends_with("    y();\n}\n"));
    let numbers = "@@ -5,2 +5,2 @@ fn b() {\n-    x();\n+    y();\n";
    assert!(patched(FILE, numbers).unwrap().ends_with("    y();\n}\n"));
    let nested = "class A:\n  def f():\n    1\nclass B:\n  def f():\n    1\n";
    let new = patched(nested, "@@ class B:\n@@ def f():\n-    1\n+    2\n").unwrap();
    assert_eq!(
        new,
        "class A:\n  def f():\n    1\nclass B:\n  def f():\n    2\n"
    );
}

#[test]
fn a_hunk_fits_at_one_place_or_not_at_all() {
    let body = "-    x();\n+    y();\n";
    assert_eq!(
        patched(FILE, body),
        Err(Misfit::NotUnique {
            count: 2,
            lines: vec![2, 6]
        })
    );
    assert_eq!(
        patched(FILE, "@@ fn c() {\n-    x();\n+    y();\n"),
        Err(Misfit::NoAnchor("fn c() {".to_owned()))
    );
    // The last line that is removed is not as the hunk says, so nothing of it is done.
    assert_eq!(
        patched(FILE, " fn a() {\n-    x();\n-{\n+    y();\n"),
        Err(Misfit::NoMatch)
    );
    assert_eq!(
        patched(FILE, "@@ fn b() {\n-}\n+]\n@@\n-fn a() {\n+fn c() {\n"),
        Err(Misfit::OutOfOrder(1))
    );
    assert_eq!(
        patched(FILE, " fn a() {\n+    y();\n*** End of File\n"),
        Err(Misfit::NotAtEnd)
    );
    let new = patched(FILE, "     x();\n-}\n+} // end\n*** End of File\n").unwrap();
    assert!(new.ends_with("    x();\n} // end\n"), "{new}");
}

#[test]
fn a_hunk_that_only_adds_says_where() {
    assert_eq!(patched(FILE, "@@\n+new\n"), Err(Misfit::NoPlace));
    assert_eq!(patched(FILE, "+new\n"), Err(Misfit::NoPlace));
    assert_eq!(
        patched(FILE, "+new\n*** End of File\n").unwrap(),
        format!("{FILE}new\n")
    );
    assert_eq!(patched("", "+new\n").unwrap(), "new\n");
}

#[test]
fn the_end_of_a_file_stays_as_it_is() {
    assert_eq!(patched("a\nb", " a\n-b\n+c\n").unwrap(), "a\nc");
    assert_eq!(patched("a\nb", " a\n-b\n").unwrap(), "a");
    assert_eq!(patched("a\nb", " b\n+c\n").unwrap(), "a\nb\nc");
    assert_eq!(patched("a\r\nb", " b\n+c\n").unwrap(), "a\r\nb\r\nc");
    assert_eq!(patched("a\nb\n", "-a\n-b\n").unwrap(), "");
    assert_eq!(patched("a\nb\n", "-b\n").unwrap(), "a\n");
    assert_eq!(patched("a\nb\nc", "-b\n@@\n-c\n").unwrap(), "a");
}

#[test]
fn new_lines_take_the_ends_of_those_they_replace() {
    assert_eq!(
        patched("a\r\nb\nc\r\n", "-a\n-b\n+1\n+2\n+3\n c\n").unwrap(),
        "1\r\n2\n3\nc\r\n"
    );
    assert_eq!(
        patched("a\r\nb\r\n", " a\n+x\n b\n").unwrap(),
        "a\r\nx\r\nb\r\n"
    );
    // A patch that was itself written with CR LF says the same.
    assert_eq!(patched("a\nb\n", " a\r\n-b\r\n+c\r\n").unwrap(), "a\nc\n");
}
