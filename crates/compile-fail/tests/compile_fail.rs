//! The stages of a call cannot be skipped, and a tool that is written wrong is told how to write
//! it right. The expected messages stand beside the programs.

#[test]
fn the_stages_hold() {
    trybuild::TestCases::new().compile_fail("tests/stages/*.rs");
}

#[test]
fn a_wrong_tool_is_told_what_is_wrong() {
    trybuild::TestCases::new().compile_fail("tests/tool/*.rs");
}
