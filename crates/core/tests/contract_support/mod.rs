//! What several tests of the contract need: the folder of cases, and a small random generator.

#![allow(dead_code, reason = "each test file uses its own part of this")]
#![allow(missing_docs, unreachable_pub)]
#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "tests read files and say so"
)]

pub mod drift;

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};

/// A file or folder of the cases. Nothing, and a word on stderr, when there are none here; a
/// failure when they should be here and are not.
pub fn cases(path: &str) -> Option<PathBuf> {
    let Some(folder) = env::var_os("TOOLPOST_CASES") else {
        eprintln!("skipped: TOOLPOST_CASES is not set, so `{path}` is not there");
        return None;
    };
    let path = PathBuf::from(folder).join(path);
    assert!(
        path.exists(),
        "TOOLPOST_CASES is set, but {} is not there",
        path.display()
    );
    Some(path)
}

/// The values of a file of JSON lines among the cases.
pub fn lines(path: &str) -> Option<Vec<Value>> {
    let text = fs::read_to_string(cases(path)?).expect("the file is text");
    Some(
        text.lines()
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect(),
    )
}

/// Numbers that look random and are the same on every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    /// A number below `sides`, or 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides.max(1)
    }

    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}

/// The value with one change somewhere inside.
pub fn mutate(dice: &mut Dice, value: &Value) -> Value {
    let mut value = value.clone();
    change(dice, &mut value, 0);
    value
}

fn change(dice: &mut Dice, value: &mut Value, depth: usize) {
    let go_inside = depth < 6 && dice.roll(10) < 7;
    match value {
        Value::Object(members) if go_inside && !members.is_empty() => {
            let name = members
                .keys()
                .nth(dice.roll(members.len()))
                .expect("a member")
                .clone();
            match dice.roll(8) {
                0 => drop(members.remove(&name)),
                1 => drop(members.insert("zz_extra".to_owned(), json!(1))),
                _ => change(dice, &mut members[&name], depth + 1),
            }
        }
        Value::Array(items) if go_inside && !items.is_empty() => {
            let index = dice.roll(items.len());
            match dice.roll(6) {
                0 => drop(items.remove(index)),
                1 => items.push(items[index].clone()),
                _ => change(dice, &mut items[index], depth + 1),
            }
        }
        other => *other = odd_values()[dice.roll(odd_values().len())].clone(),
    }
}

/// Values at which readers of JSON differ.
pub fn odd_values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(3.0),
        json!(-0.0),
        json!(1e2),
        json!(-7),
        json!(1.5),
        json!(""),
        json!("a\u{e9}\n\"x\u{1F600}"),
        json!([]),
        json!({}),
        json!(1e30),
        json!(18_446_744_073_709_551_615_u64),
        json!(["x", 1, 1.0]),
    ]
}
