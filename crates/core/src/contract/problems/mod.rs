//! From the errors of the validator to what a model reads.
//!
//! The validator says that a value is valid under none of the schemas of an `anyOf`; a model
//! needs to hear which of them it meant, and what is wrong with that one. [`findings`] looks
//! inside unions and gives plain findings, [`explain`] words them. Repair starts from the same
//! findings.

mod explain;
mod fields;
mod findings;
mod nearest;
mod unions;

use jsonschema::ValidationError;
use serde_json::Value;

use self::explain::explain;
pub(super) use self::findings::{Fault, Finding, findings};
pub use self::nearest::nearest;
use super::Problem;

/// Problems that are told at once; a model that sees more repairs none.
const MOST: usize = 20;

/// What is wrong, each once, in the order of the validator.
pub(super) fn problems(errors: &[ValidationError<'_>], schema: &Value) -> Vec<Problem> {
    let mut problems: Vec<Problem> = Vec::new();
    let mut more = 0;
    for finding in findings(errors, schema) {
        for problem in explain(&finding, schema) {
            if problems.contains(&problem) {
                continue;
            }
            if problems.len() < MOST {
                problems.push(problem);
            } else {
                more += 1;
            }
        }
    }
    if more > 0 {
        problems.push(Problem {
            pointer: String::new(),
            message: format!("and {more} more problems like these"),
        });
    }
    problems
}

#[cfg(test)]
mod tests;
