//! Where a text that was not found may have been meant: the most similar lines, as a diff.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::time::{Duration, Instant};

use similar::TextDiff;

use crate::near;
use crate::text::{Coding, with_lf};

/// Larger files are not searched for something similar.
const MOST_BYTES: usize = 2 << 20;
/// Longer texts are compared by their first lines only.
const MOST_LINES: usize = 40;
const MOST_DIFF_CHARS: usize = 3_000;
const TIME: Duration = Duration::from_millis(200);

/// What to do about a text that is not there, in words.
pub(crate) fn nearest(bytes: &[u8], coding: Coding, old: &str) -> String {
    if bytes.len() > MOST_BYTES {
        return "Read the part that you mean, and copy it exactly".to_owned();
    }
    let text = coding
        .encoding
        .decode(bytes.get(coding.mark_len()..).unwrap_or_default());
    let (text, old) = (with_lf(&text), with_lf(old));
    let bare: Option<Vec<&str>> = old.lines().map(without_number).collect();
    if bare.is_some_and(|lines| !lines.is_empty() && text.contains(&lines.join("\n"))) {
        return "it begins with the line numbers that Read shows; leave them out".to_owned();
    }
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = old.lines().take(MOST_LINES).collect();
    let Some(first) = best(&lines, &wanted) else {
        return "Read it again, and copy the text to replace exactly".to_owned();
    };
    let found: Vec<&str> = lines
        .iter()
        .skip(first)
        .take(wanted.len())
        .copied()
        .collect();
    let how = difference(&wanted, &found).map_or_else(String::new, |how| format!(" ({how})"));
    format!(
        "nearest is line {}{how}, where `-` is what was asked for and `+` what the file has:\n{}",
        first + 1,
        diff(&wanted, &found)
    )
}

/// A line as Read shows it without its number, when it begins with one.
fn without_number(line: &str) -> Option<&str> {
    let (number, text) = line.split_once('\t')?;
    let is_number = !number.is_empty() && number.trim_start().bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(text)
}

/// The line at which the wanted lines fit best.
fn best(lines: &[&str], wanted: &[&str]) -> Option<usize> {
    let looks: Vec<String> = lines.iter().map(|line| bare(line)).collect();
    let wanted: Vec<String> = wanted.iter().map(|line| bare(line)).collect();
    by_votes(&looks, &wanted).or_else(|| by_likeness(&looks, &wanted))
}

/// Each line of the file that is a wanted one votes for the place where the text would begin.
fn by_votes(lines: &[String], wanted: &[String]) -> Option<usize> {
    let mut votes: HashMap<usize, usize> = HashMap::new();
    let mut at: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, line) in wanted
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        at.entry(line).or_default().push(number);
    }
    for (number, line) in lines.iter().enumerate() {
        for place in at.get(line.as_str()).into_iter().flatten() {
            *votes.entry(number.saturating_sub(*place)).or_default() += line.len().min(40);
        }
    }
    votes
        .into_iter()
        .max_by_key(|(first, votes)| (*votes, Reverse(*first)))
        .map(|(first, _)| first)
}

/// The line that is most like the longest of the wanted ones.
fn by_likeness(lines: &[String], wanted: &[String]) -> Option<usize> {
    let (place, longest) = wanted
        .iter()
        .enumerate()
        .max_by_key(|(_, line)| line.len())?;
    let longest = short(longest);
    let until = Instant::now() + TIME;
    let mut best: Option<(usize, f64)> = None;
    for (number, line) in lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
    {
        if number % 64 == 0 && Instant::now() > until {
            break;
        }
        let likeness = match line.contains(&longest) || longest.contains(line.as_str()) {
            true => 0.6,
            false => strsim::normalized_levenshtein(&short(line), &longest),
        };
        if likeness > best.map_or(0.5, |(_, likeness)| likeness) {
            best = Some((number.saturating_sub(place), likeness));
        }
    }
    best.map(|(first, _)| first)
}

fn short(text: &str) -> String {
    text.chars().take(120).collect()
}

/// A line without what is easily mistaken.
fn bare(line: &str) -> String {
    near::look(line)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// The one kind of thing in which the two differ, where it is one that cannot be seen.
fn difference(wanted: &[&str], found: &[&str]) -> Option<&'static str> {
    let same = |of: fn(&str) -> String| {
        wanted.len() == found.len() && wanted.iter().zip(found).all(|(a, b)| of(a) == of(b))
    };
    if same(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")) {
        Some("only the white space differs")
    } else if same(near::look) {
        Some("only characters that look the same differ")
    } else if same(bare) {
        Some("only white space and characters that look the same differ")
    } else {
        None
    }
}

fn diff(wanted: &[&str], found: &[&str]) -> String {
    let mut config = TextDiff::configure();
    config.timeout(TIME);
    let diff = config.diff_slices(wanted, found);
    let mut out = String::new();
    for change in diff.iter_all_changes() {
        let line = format!("{}{}\n", change.tag(), change.value());
        if out.chars().count() + line.chars().count() > MOST_DIFF_CHARS {
            out.push_str("…\n");
            break;
        }
        out.push_str(&line);
    }
    out.pop();
    out
}
