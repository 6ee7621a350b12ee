use super::{Action, Fault, parse};

fn wrong(text: &str) -> String {
    let Fault { line, message } = parse(text).unwrap_err();
    format!("{line}: {message}")
}

fn in_patch(body: &str) -> String {
    format!("*** Begin Patch\n{body}\n*** End Patch")
}

#[test]
fn what_is_no_patch_is_told_with_its_line() {
    insta::assert_snapshot!(wrong(""), @"1: a patch begins with `*** Begin Patch`");
    insta::assert_snapshot!(wrong("diff --git a/f b/f\n"), @"1: a patch begins with `*** Begin Patch`");
    insta::assert_snapshot!(wrong("*** Begin Patch\n*** Delete File: f\n"), @"3: the patch ends without `*** End Patch`, so a part may be missing");
    insta::assert_snapshot!(wrong("*** Begin Patch\n*** End Patch"), @"1: the patch names no file");
    insta::assert_snapshot!(wrong(&in_patch("*** Update File: f\n@@\n a\n*** Add Fille: x")), @"5: `*** Add File:`, `*** Update File:`, `*** Delete File:` or `*** End Patch` should be here, each with one path");
    insta::assert_snapshot!(wrong(&in_patch("*** Add File:  ")), @"2: a path is missing");
    insta::assert_snapshot!(wrong(&in_patch("*** Add File: f\n+a\nb")), @"4: each line of a new file begins with `+`");
    insta::assert_snapshot!(wrong(&in_patch("*** Update File: f")), @"2: nothing is asked of this file: give it a hunk, or a `*** Move to:` line");
    insta::assert_snapshot!(wrong(&in_patch("*** Update File: f\n@@\nfoo")), @"4: a line of a hunk begins with a space, `-`, `+` or `@@`");
    insta::assert_snapshot!(wrong(&in_patch("*** Update File: f\n@@ x")), @"3: this hunk has no lines");
    insta::assert_snapshot!(wrong(&in_patch("*** Update File: f\n*** End of File")), @"3: `*** End of File` stands after a hunk");
    insta::assert_snapshot!(wrong(&in_patch("*** Delete File: a\0b")), @"2: a path has no NUL character");
    insta::assert_snapshot!(wrong(&(in_patch("*** Delete File: f") + "\nand more")), @"4: there is text after `*** End Patch`; leave it out");
}

#[test]
fn empty_lines_round_a_patch_and_between_sections_do_not_count() {
    let body = "*** Add File: a\n+x\n\n*** Update File: b\n@@\n-x\n+y\n\n\n*** Delete File: c\n";
    let sections = parse(&format!("\n\n{}\n\n", in_patch(body))).unwrap();
    assert_eq!(sections.len(), 3);
    assert_eq!(sections[0].action, Action::Add("x\n".to_owned()));
    let Action::Update { hunks, .. } = &sections[1].action else {
        panic!()
    };
    assert_eq!(hunks[0].lines.len(), 2);
    assert_eq!((hunks[0].line, sections[2].line), (8, 13));
}
