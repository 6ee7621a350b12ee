//! Which name was probably meant. The texts as a whole are in `tests/contract_texts.rs`.

use super::nearest::nearest;

const KNOWN: [&str; 6] = [
    "file_path",
    "offset",
    "limit",
    "output_mode",
    "old_string",
    "new_string",
];

#[test]
fn a_near_name_is_found() {
    for (said, meant) in [
        ("file_pth", "file_path"),
        ("filePath", "file_path"),
        ("FILE-PATH", "file_path"),
        ("path", "file_path"),
        ("ofset", "offset"),
        ("offfset", "offset"),
        ("fofset", "offset"),
        ("mode", "output_mode"),
        ("oldString", "old_string"),
        ("new_str", "new_string"),
    ] {
        assert_eq!(nearest(said, KNOWN), Some(meant), "{said}");
    }
}

#[test]
fn a_far_name_is_not() {
    for said in [
        "",
        "x",
        "zzzzzz",
        "content",
        "recursive",
        "\u{1F600}",
        &"file_path".repeat(20),
    ] {
        assert_eq!(nearest(said, KNOWN), None, "{said}");
    }
    assert_eq!(nearest("a", ["b", "c"]), None);
    assert_eq!(nearest("a", []), None);
}
