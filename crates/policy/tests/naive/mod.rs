//! The slow obvious evaluator: every rule against every part, by string operations alone.
//!
//! It knows one root (`/proj`), no further folder, one link (`/proj/link` to `/proj/secrets`) and
//! command lines of plain words. The fast evaluator must agree with it.

use toolpost_policy::Mode;

use Verdict::{Allow, Ask, Deny};
pub(crate) use toolpost_core::Verdict;

/// A call as the naive evaluator sees it.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    /// A tool with a path.
    Path { tool: &'static str, path: String },
    /// A line of commands joined by `&&`.
    Bash(Vec<String>),
    /// A fetch of `https://host/`.
    Web(String),
    /// A tool of a server.
    Mcp(&'static str, &'static str),
}

pub(crate) fn verdict(rules: &[(Verdict, String)], call: &Call, mode: Mode) -> Verdict {
    let parts = match call {
        Call::Bash(lines) => lines
            .iter()
            .map(|line| part(rules, &Call::Bash(vec![line.clone()]), mode))
            .max(),
        call => Some(part(rules, call, mode)),
    };
    match (parts.unwrap_or(Allow), mode) {
        (Ask, Mode::DontAsk) => Deny,
        (verdict, _) => verdict,
    }
}

fn part(rules: &[(Verdict, String)], call: &Call, mode: Mode) -> Verdict {
    let only_looks = looks(call);
    if mode == Mode::Plan && !only_looks {
        return Deny;
    }
    let ruled = rules
        .iter()
        .filter(|(effect, text)| matches(text, call, *effect != Allow))
        .map(|(effect, _)| *effect);
    if let Some(ruled) = ruled.max() {
        return ruled;
    }
    let inside = match call {
        Call::Path { path, .. } => path.starts_with("/proj/") && real(path).starts_with("/proj/"),
        Call::Bash(_) => true,
        _ => false,
    };
    let edits = mode == Mode::AcceptEdits && matches!(call, Call::Path { .. }) && inside;
    if mode == Mode::Bypass || (only_looks && inside) || edits {
        Allow
    } else {
        Ask
    }
}

fn looks(call: &Call) -> bool {
    match call {
        Call::Path { tool, .. } => READERS.contains(tool),
        Call::Bash(lines) => lines.iter().all(|line| line.starts_with("echo")),
        Call::Web(_) => true,
        Call::Mcp(..) => false,
    }
}

const READERS: [&str; 4] = ["Read", "Grep", "Glob", "Ls"];
const WRITERS: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];

pub(crate) fn real(path: &str) -> String {
    match path.strip_prefix("/proj/link") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => format!("/proj/secrets{rest}"),
        _ => path.to_owned(),
    }
}

fn matches(rule: &str, call: &Call, broad: bool) -> bool {
    let (name, pattern) = match rule.split_once('(') {
        Some((name, rest)) => (name, rest.strip_suffix(')')),
        None => (rule, None),
    };
    match (call, pattern) {
        (Call::Path { tool, .. }, None) => covers(name, tool) || name == "*",
        (Call::Path { tool, path }, Some(pattern)) => {
            covers(name, tool)
                && if broad {
                    path_fits(pattern, path, true) || path_fits(pattern, &real(path), true)
                } else {
                    path_fits(pattern, path, false) && path_fits(pattern, &real(path), false)
                }
        }
        (Call::Bash(_), None) => name == "Bash" || name == "*",
        (Call::Bash(lines), Some(pattern)) => {
            name == "Bash" && lines.iter().any(|line| command_fits(pattern, line))
        }
        (Call::Web(_), None) => name == "WebFetch" || name == "*",
        (Call::Web(host), Some(pattern)) => match pattern.strip_prefix("domain:").unwrap_or("?") {
            "*" => name == "WebFetch",
            domain => match domain.strip_prefix("*") {
                Some(below) => host.ends_with(below) && host.len() > below.len(),
                None => host == domain,
            },
        },
        (Call::Mcp(server, tool), None) => {
            name == "*"
                || name == format!("mcp__{server}")
                || name == format!("mcp__{server}__{tool}")
                || (name == "mcp__*")
        }
        (Call::Mcp(..), Some(_)) => false,
    }
}

fn covers(name: &str, tool: &str) -> bool {
    name == tool
        || (name == "Read" && READERS.contains(&tool))
        || (name == "Edit" && WRITERS.contains(&tool))
}

fn command_fits(pattern: &str, line: &str) -> bool {
    if let Some(head) = pattern.strip_suffix(":*").or(pattern.strip_suffix(" *")) {
        return line == head || line.starts_with(&format!("{head} "));
    }
    line == pattern
}

fn path_fits(pattern: &str, path: &str, broad: bool) -> bool {
    let whole = match pattern {
        p if p.starts_with('/') => p.to_owned(),
        p if !p.contains('/') && broad => format!("/**/{p}"),
        p if !p.contains('/') => format!("/proj/**/{p}"),
        p if p.starts_with("**/") && broad => format!("/{p}"),
        p => format!("/proj/{}", p.trim_start_matches("./")),
    };
    let pattern: Vec<&str> = whole.split('/').skip(1).collect();
    let path: Vec<&str> = path.split('/').skip(1).collect();
    let ends_in_name = pattern.last().is_some_and(|last| !last.contains('*'));
    segments(&pattern, &path)
        || (broad && ends_in_name && (1..path.len()).any(|end| segments(&pattern, &path[..end])))
}

fn segments(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => (0..=path.len()).any(|skip| segments(rest, &path[skip..])),
        (Some((one, rest)), Some((name, below))) => star(one, name) && segments(rest, below),
        _ => false,
    }
}

fn star(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == text,
        Some((head, tail)) => text
            .strip_prefix(head)
            .is_some_and(|rest| (0..=rest.len()).any(|skip| star(tail, &rest[skip..]))),
    }
}
