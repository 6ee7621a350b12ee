//! Every case of the shared file has the verdict that it should have.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test or a measurement may stop where it stands, and looks at the machine"
)]

use std::path::PathBuf;

use toolpost_policy::Case;

#[test]
fn every_case_is_right() {
    let Some(folder) = std::env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES names no folder of cases");
        return;
    };
    let file = PathBuf::from(folder).join("cases/permission-cases.jsonl");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut wrong = Vec::new();
    let mut right = 0;
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let case = Case::parse(line).unwrap_or_else(|error| panic!("line {}: {error}", number + 1));
        let decision = case.decide();
        if decision.effect == case.expect {
            right += 1;
        } else {
            wrong.push(format!(
                "{}: {:?}, not {:?}: {}",
                case.id, decision.effect, case.expect, decision.reason
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{right} right, {} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    println!("{right} right");
}
