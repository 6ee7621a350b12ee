//! The engine against a slow model of itself: decode, replace, encode.

use proptest::prelude::*;

use super::engine::{Replacement, splices};
use super::fault::Fault;
use super::{diff, hint};
use crate::draft::{Splice, pieces};
use crate::text::{Coding, Encoding};

fn apply(bytes: &[u8], coding: Coding, old: &str, new: &str, all: bool) -> Result<Vec<u8>, Fault> {
    let splices = splices(bytes, coding, Replacement { old, new, all })?;
    assert!(
        splices
            .windows(2)
            .all(|pair| pair[0].range.end <= pair[1].range.start)
    );
    Ok(spliced(bytes, &splices))
}

fn spliced(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let pieces = pieces(bytes.len(), splices);
    let bytes: Vec<&[u8]> = pieces.iter().map(|piece| piece.bytes(bytes)).collect();
    bytes.concat()
}

fn utf8(bytes: &[u8], old: &str, new: &str) -> Result<Vec<u8>, Fault> {
    apply(bytes, Coding::UTF8, old, new, false)
}

fn lf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            out.push(*byte);
        }
    }
    out
}

/// Lines of few letters, so that texts are found and found again, with either ending.
fn file() -> impl Strategy<Value = String> {
    prop::collection::vec(
        ("[ab]{0,3}", prop::sample::select(vec!["\n", "\r\n", ""])),
        0..8,
    )
    .prop_map(|lines| lines.into_iter().map(|(text, end)| text + end).collect())
}

/// Pieces that are no UTF-8, too.
fn raw_file() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => file().prop_map(String::into_bytes),
        1 => prop::collection::vec(0x80_u8.., 1..3),
    ];
    prop::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn in_lf_space_an_edit_is_a_plain_replacement(
        bytes in raw_file(), old in "[ab\n]{1,4}", new in "[abc\n]{0,4}", all: bool,
    ) {
        let seen = lf(&bytes);
        let count = memchr::memmem::find_iter(&seen, old.as_bytes()).count();
        match apply(&bytes, Coding::UTF8, &old, &new, all) {
            Ok(edited) => {
                prop_assert!(count == 1 || all && count > 1);
                let mut wanted = Vec::new();
                let mut from = 0;
                for at in memchr::memmem::find_iter(&seen, old.as_bytes()) {
                    wanted.extend_from_slice(&seen[from..at]);
                    wanted.extend_from_slice(new.as_bytes());
                    from = at + old.len();
                }
                wanted.extend_from_slice(&seen[from..]);
                prop_assert_eq!(lf(&edited), wanted);
            }
            Err(Fault::SameText) => prop_assert_eq!(&old, &new),
            Err(Fault::NoMatch) => prop_assert_eq!(count, 0),
            Err(Fault::NotUnique { count: told, .. }) => {
                prop_assert_eq!(told, count);
                prop_assert!(!all && count > 1);
            }
            Err(other) => prop_assert!(false, "{:?}", other),
        }
    }

    #[test]
    fn bytes_outside_an_edit_are_the_same(
        before in raw_file(), after in raw_file(), new in "[abc\n]{0,6}", crlf: bool,
    ) {
        let old = if crlf { "x\r\nyz\r\nx" } else { "x\nyz\nx" };
        let bytes = [&before[..], old.as_bytes(), &after].concat();
        let edited = utf8(&bytes, "x\nyz\nx", &new).unwrap();
        prop_assert!(edited.starts_with(&before));
        prop_assert!(edited.ends_with(&after));
        let middle = &edited[before.len()..edited.len() - after.len()];
        prop_assert_eq!(lf(middle), new.as_bytes());
        let breaks = new.matches('\n').count();
        let crlfs = middle.windows(2).filter(|pair| pair == b"\r\n").count();
        prop_assert_eq!(crlfs, if crlf { breaks } else { 0 });
    }

    #[test]
    fn wide_encodings_are_edited_like_utf_8(
        text in "[ab😀\n]{0,20}", old in "[ab😀\n]{1,3}", new in "[abé\n]{0,3}", all: bool,
    ) {
        let plain = apply(text.as_bytes(), Coding::UTF8, &old, &new, all);
        for encoding in [Encoding::Utf16Le, Encoding::Utf16Be, Encoding::Utf32Le, Encoding::Utf32Be] {
            let coding = Coding { encoding, has_mark: true };
            let bytes = [encoding.mark(), &encoding.encode(&text).unwrap()].concat();
            let edited = apply(&bytes, coding, &old, &new, all).map(|edited| {
                encoding.decode(&edited[encoding.mark().len()..]).into_owned().into_bytes()
            });
            prop_assert_eq!(&edited, &plain);
        }
    }

    #[test]
    fn the_diff_of_any_edit_is_right(bytes in raw_file(), old in "[ab\n]{1,2}", new in "[abc\n]{0,4}") {
        let wanted = Replacement { old: &old, new: &new, all: true };
        if let Ok(splices) = splices(&bytes, Coding::UTF8, wanted) {
            let edited = spliced(&bytes, &splices);
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace("\r\n", "\n");
            check_diff(&diff::unified(&bytes, Coding::UTF8, &splices), &text(&bytes), &text(&edited));
        }
        prop_assert!(!hint::nearest(&bytes, Coding::UTF8, &old).is_empty());
    }
}

/// Every line of a diff is where its numbers say, in the old text and in the new one, and what no
/// hunk covers is the same in both.
fn check_diff(diff: &str, old: &str, new: &str) {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let (mut old_at, mut new_at) = (0, 0);
    assert!(diff.starts_with("@@ "), "{diff}");
    for line in diff.lines() {
        if let Some(places) = line
            .strip_prefix("@@ -")
            .and_then(|rest| rest.strip_suffix(" @@"))
        {
            let (minus, plus) = places.split_once(" +").unwrap();
            let start = |place: &str| {
                let (line, count) = place.split_once(',').unwrap();
                let line: usize = line.parse().unwrap();
                if count == "0" { line } else { line - 1 }
            };
            let (minus, plus) = (start(minus), start(plus));
            assert_eq!(old[old_at..minus], new[new_at..plus], "{diff}");
            (old_at, new_at) = (minus, plus);
        } else if !line.starts_with('\\') {
            let (sign, text) = line.split_at(1);
            if sign != "+" {
                assert_eq!(old[old_at], text, "{diff}");
                old_at += 1;
            }
            if sign != "-" {
                assert_eq!(new[new_at], text, "{diff}");
                new_at += 1;
            }
        }
    }
    assert_eq!(old[old_at..], new[new_at..], "{diff}");
}

fn diff_of(text: &str, old: &str, new: &str) -> String {
    let replacement = Replacement {
        old,
        new,
        all: true,
    };
    let splices = splices(text.as_bytes(), Coding::UTF8, replacement).unwrap();
    diff::unified(text.as_bytes(), Coding::UTF8, &splices)
}

fn numbered(count: usize) -> String {
    (1..=count).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn far_changes_have_hunks_of_their_own_with_the_new_numbers() {
    let text = numbered(30)
        .replace("line 5\n", "mark\n")
        .replace("line 25\n", "mark\n");
    insta::assert_snapshot!(diff_of(&text, "mark\n", "new\nlines\n"), @"
    @@ -2,7 +2,8 @@
     line 2
     line 3
     line 4
    -mark
    +new
    +lines
     line 6
     line 7
     line 8
    @@ -22,7 +23,8 @@
     line 22
     line 23
     line 24
    -mark
    +new
    +lines
     line 26
     line 27
     line 28
    ");
}

#[test]
fn near_changes_share_a_hunk() {
    let text = "a\nx\nb\nx\nc\n";
    insta::assert_snapshot!(diff_of(text, "x", "y"), @"
    @@ -1,5 +1,5 @@
     a
    -x
    +y
     b
    -x
    +y
     c
    ");
}

#[test]
fn a_missing_last_line_end_is_told() {
    insta::assert_snapshot!(diff_of("a\nb", "b", "c"), @r#"
    @@ -1,2 +1,2 @@
     a
    -b
    \ no newline at end of file
    +c
    \ no newline at end of file
    "#);
}

#[test]
fn a_long_diff_is_cut() {
    let text = "x\n\n\n\n\n\n\n\n\n".repeat(100);
    let diff = diff_of(&text, "x", "y");
    assert!(diff.lines().count() <= 210);
    assert!(
        diff.ends_with(" more changes"),
        "{}",
        diff.lines().last().unwrap()
    );
}

#[test]
fn line_endings_of_added_lines_follow_their_neighbours() {
    assert_eq!(
        utf8(b"a\r\nb\nc", "b\n", "b\nx\n").unwrap(),
        b"a\r\nb\nx\nc"
    );
    assert_eq!(
        utf8(b"a\r\nb\nc", "a\n", "a\nx\n").unwrap(),
        b"a\r\nx\r\nb\nc"
    );
    assert_eq!(
        utf8(b"a\r\nb\r\nc", "c", "c\nd").unwrap(),
        b"a\r\nb\r\nc\r\nd"
    );
    assert_eq!(utf8(b"one", "one", "1\n2").unwrap(), b"1\n2");
}

#[test]
fn a_gbk_needle_is_found_at_whole_characters_only() {
    let encoding = Encoding::Older(encoding_rs::GBK);
    let coding = Coding {
        encoding,
        has_mark: false,
    };
    let bytes = encoding.encode("啊阿").unwrap().into_owned();
    // The second byte of the first and the first byte of the second look like another character.
    let between = encoding.decode(&bytes[1..3]).into_owned();
    assert_eq!(
        apply(&bytes, coding, &between, "x", false),
        Err(Fault::NoMatch)
    );
}
