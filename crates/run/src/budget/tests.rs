use std::sync::Arc;

use toolpost_core::{Content, ErrorKind, Outcome, OutcomeError};

use super::{BatchBudget, Budget};

fn outcome(text: &str) -> Outcome {
    let id: Arc<str> = "c/1".into();
    let error = OutcomeError::new(ErrorKind::BadLine, "");
    Outcome {
        content: vec![Content::text(text)],
        ..Outcome::invalid(&id, "t", error)
    }
}

fn text(outcome: &Outcome) -> &str {
    outcome.content[0].as_text().unwrap()
}

fn small(limit: usize, folder: Option<std::path::PathBuf>) -> Budget {
    Budget {
        call_chars: limit,
        ..Budget::new(folder)
    }
}

#[test]
fn exactly_at_the_limit_nothing_is_cut() {
    let whole = "ä".repeat(100);
    assert_eq!(text(&small(100, None).fit(outcome(&whole), None)), whole);
}

#[test]
fn over_the_limit_head_and_tail_stay_and_the_rest_is_counted() {
    let whole: String = (0..100).map(|n| format!("line {n}\n")).collect();
    let cut = small(80, None).fit(outcome(&whole), None);
    let cut = text(&cut);
    assert!(cut.starts_with("line 0\n"), "{cut}");
    assert!(cut.ends_with("line 99\n"), "{cut}");
    let kept: usize = cut
        .lines()
        .filter(|line| line.starts_with("line"))
        .map(|l| l.len() + 1)
        .sum();
    let note = cut.lines().find(|line| line.starts_with("[…")).unwrap();
    let left_out: usize = note.split(' ').nth(1).unwrap().parse().unwrap();
    assert!(
        (whole.len() - kept).abs_diff(left_out) <= 1,
        "{note}: kept {kept} of {}",
        whole.len()
    );
}

#[test]
fn one_long_line_of_wide_characters_is_cut_between_characters() {
    let cut = small(10, None).fit(outcome(&"日".repeat(50)), None);
    assert!(text(&cut).contains("40 characters"), "{}", text(&cut));
}

#[test]
fn the_whole_result_is_in_the_spill_file() {
    let folder = tempfile::tempdir().unwrap();
    let whole = "x".repeat(500);
    let cut = small(100, Some(folder.path().join("spill"))).fit(outcome(&whole), None);
    let path = text(&cut).split('`').nth(1).unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), whole);
}

#[test]
fn a_batch_shares_one_budget() {
    let budget = Budget {
        batch_chars: 150,
        ..small(100, None)
    };
    let mut batch = BatchBudget::new(budget);
    assert_eq!(text(&batch.fit(outcome(&"a".repeat(100)))).len(), 100);
    assert!(text(&batch.fit(outcome(&"b".repeat(100)))).contains("left out"));
}
