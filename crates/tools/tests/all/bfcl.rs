//! Real function schemas as tool files: every good call is valid and every bad one is refused with
//! the place of its fault.

use std::path::Path;

use serde_json::Value;
use toolpost_core::{ErrorKind, Facts, Outcome, RawCall, ReadOptions, Toolbox, ValidatedCall};
use toolpost_tools::{add_commands, tool_file};

fn validate(
    toolbox: &Toolbox,
    call: &Value,
    options: &ReadOptions,
) -> Result<ValidatedCall, Box<Outcome>> {
    let name = call["name"].as_str().unwrap();
    let raw = RawCall::new("c", name, call["arguments"].to_string());
    toolbox.validate(raw, &Facts::new("/"), options)
}

#[test]
fn every_line_as_a_tool_file() {
    let Some(cases) = std::env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES is not set");
        return;
    };
    let text = std::fs::read_to_string(Path::new(&cases).join("data/bfcl.jsonl")).unwrap();
    let (mut good, mut bad) = (0, 0);
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let entries = tool_file::parse(&line["tools"].to_string(), Path::new("tools.json"));
        let mut toolbox = Toolbox::new();
        add_commands(&mut toolbox, entries.unwrap()).unwrap();
        for call in line["calls"].as_array().unwrap() {
            let valid = validate(&toolbox, call, &ReadOptions::default());
            assert!(valid.is_ok(), "{call}: {valid:?}");
            good += 1;
        }
        let options = ReadOptions {
            repair: false,
            ..ReadOptions::default()
        };
        for call in line["bad"].as_array().unwrap() {
            let error = validate(&toolbox, call, &options)
                .unwrap_err()
                .error
                .unwrap();
            assert_eq!(error.kind, ErrorKind::InvalidInput, "{call}");
            assert!(
                error
                    .problems
                    .iter()
                    .any(|problem| problem.pointer.starts_with('/')),
                "{call}: {error:?}"
            );
            bad += 1;
        }
    }
    assert_eq!((good, bad), (1_907, 9_075));
}
