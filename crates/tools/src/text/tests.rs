use super::{Binary, Coding, Encoding, Eol, HEAD, LfView, Look, look_at};

fn text(encoding: Encoding, has_mark: bool) -> Look {
    Look::Text(Coding { encoding, has_mark })
}

#[test]
fn marks_come_first() {
    assert_eq!(look_at(b"\xef\xbb\xbfhi"), text(Encoding::Utf8, true));
    assert_eq!(look_at(b"\xff\xfeh\0i\0"), text(Encoding::Utf16Le, true));
    assert_eq!(look_at(b"\xfe\xff\0h\0i"), text(Encoding::Utf16Be, true));
    assert_eq!(
        look_at(b"\xff\xfe\0\0h\0\0\0"),
        text(Encoding::Utf32Le, true)
    );
}

#[test]
fn a_replacement_character_is_text() {
    assert_eq!(
        look_at("a \u{fffd} b".as_bytes()),
        text(Encoding::Utf8, false)
    );
}

#[test]
fn zero_bytes_and_magic_are_binary() {
    assert_eq!(
        look_at(b"ab\0cd"),
        Look::Binary(Binary::Other("binary data"))
    );
    assert_eq!(
        look_at(b"\x89PNG\r\n\x1a\n"),
        Look::Binary(Binary::Picture("a PNG image"))
    );
    assert_eq!(look_at(b"%PDF-1.7"), Look::Binary(Binary::Pdf));
    assert_eq!(look_at(b"BZhello is text"), text(Encoding::Utf8, false));
}

#[test]
fn an_older_encoding_is_guessed() {
    let (gbk, _, _) = encoding_rs::GBK.encode("中文内容，第一行\r\n第二行，还有更多的字\r\n");
    assert_eq!(
        look_at(&gbk).clone(),
        text(Encoding::Older(encoding_rs::GBK), false)
    );
    let Look::Text(coding) = look_at(b"caf\xe9 au lait, s'il vous pla\xeet\n") else {
        panic!()
    };
    assert_eq!(coding.encoding.decode(b"caf\xe9"), "café");
}

#[test]
fn one_stray_byte_among_utf8_is_utf8() {
    assert_eq!(
        look_at("äöü ".repeat(9).as_bytes()),
        text(Encoding::Utf8, false)
    );
    assert_eq!(
        look_at(b"\xc3\xa4\xc3\xb6 \xff\n"),
        text(Encoding::Utf8, false)
    );
}

#[test]
fn a_character_cut_by_the_end_of_the_head_is_no_fault() {
    let mut head = vec![b'a'; HEAD - 1];
    head.push(0xc3);
    assert_eq!(look_at(&head), text(Encoding::Utf8, false));
}

#[test]
fn what_cannot_be_written_is_named() {
    assert_eq!(
        Encoding::Older(encoding_rs::WINDOWS_1252).encode("a→b"),
        Err('→')
    );
    assert_eq!(
        Encoding::Utf16Be.encode("ab").unwrap(),
        b"\0a\0b".as_slice()
    );
}

#[test]
fn places_in_the_view_map_to_the_file() {
    let view = LfView::new(b"a\r\nb\nc\r\n", Encoding::Utf8);
    assert_eq!(view.bytes(), b"a\nb\nc\n");
    let raw: Vec<usize> = (0..=6).map(|at| view.raw(at)).collect();
    assert_eq!(raw, [0, 1, 3, 4, 5, 6, 8]);
    assert_eq!(
        (view.eol_at(1), view.eol_at(3), view.eol_at(5)),
        (Eol::CrLf, Eol::Lf, Eol::CrLf)
    );
    assert_eq!(view.dominant(), Eol::CrLf);
}

#[test]
fn wide_units_are_matched_at_their_own_places() {
    // U+0A0D and U+0D0A hold the bytes of line ends and are none.
    let raw: Vec<u8> = "a\u{0a0d}\u{0d0a}b\r\nc"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let view = LfView::new(&raw, Encoding::Utf16Le);
    assert_eq!(view.breaks(0, view.bytes().len()).collect::<Vec<_>>(), [8]);
    assert_eq!(view.eol_at(8), Eol::CrLf);
    assert_eq!(view.raw(10), 12);
}
