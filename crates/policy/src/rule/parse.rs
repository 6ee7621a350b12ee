//! From the text of a rule to what it is about.

use toolpost_core::Verdict;

use super::{CommandPattern, HostPattern, Matcher, NamePattern, PathPattern};
use crate::question::is_tool_name;

/// The tools whose patterns are paths even though nothing is known of other tools' patterns.
const WEB: &str = "WebFetch";

pub(super) fn matcher(text: &str, effect: Verdict) -> Result<Matcher, String> {
    if text.trim() != text || text.is_empty() {
        return Err(
            "a rule has no blanks around it and is not empty; write `Tool` or `Tool(pattern)`"
                .into(),
        );
    }
    match text.split_once('(') {
        None => bare(text, effect),
        Some((tool, rest)) => {
            let Some(pattern) = rest.strip_suffix(')') else {
                return Err(format!(
                    "the bracket is not closed at the end; write `{tool}(pattern)`"
                ));
            };
            with_pattern(tool, pattern, effect)
        }
    }
}

fn bare(name: &str, effect: Verdict) -> Result<Matcher, String> {
    if name.contains('*') {
        if effect == Verdict::Allow {
            return Err(
                "`*` in a tool's name may only deny or ask; name each tool that is allowed".into(),
            );
        }
        if !is_tool_name(&name.replace('*', "x")) {
            return Err(bad_name(name));
        }
        return Ok(Matcher::Tool(NamePattern::Wild(name.to_owned())));
    }
    if !is_tool_name(name) {
        return Err(bad_name(name));
    }
    Ok(match name.strip_prefix("mcp__") {
        Some("") => {
            return Err("names no server; write `mcp__server` or `mcp__server__tool`".into());
        }
        Some(rest) if rest.contains("__") => Matcher::McpTool(name.to_owned()),
        Some(server) => Matcher::Server(server.to_owned()),
        None => Matcher::Tool(NamePattern::Exact(name.to_owned())),
    })
}

fn with_pattern(tool: &str, pattern: &str, effect: Verdict) -> Result<Matcher, String> {
    if tool.contains('*') {
        return Err("a tool's name with `*` takes no pattern; name the tool".into());
    }
    if !is_tool_name(tool) {
        return Err(bad_name(tool));
    }
    if pattern.trim().is_empty() {
        return Err(format!(
            "the pattern is empty; write `{tool}` for all its calls"
        ));
    }
    if tool.starts_with("mcp__") {
        return Err(format!(
            "rules of MCP tools take no pattern; write `{tool}`"
        ));
    }
    if tool == "Bash" {
        return CommandPattern::parse(pattern).map(|pattern| match pattern {
            Some(pattern) => Matcher::Command(pattern),
            None => Matcher::Tool(NamePattern::Exact(tool.to_owned())),
        });
    }
    let domain = pattern.strip_prefix("domain:");
    if tool == WEB && domain.is_none() {
        return Err(
            "patterns of `WebFetch` are domains; write `WebFetch(domain:example.com)`".into(),
        );
    }
    let tool = tool.to_owned();
    match domain {
        Some(domain) => HostPattern::parse(domain).map(|pattern| Matcher::Host { tool, pattern }),
        None => PathPattern::parse(pattern, effect).map(|pattern| Matcher::Path { tool, pattern }),
    }
}

fn bad_name(name: &str) -> String {
    format!(
        "`{}` is no tool's name; names are made of `A-Z a-z 0-9 _ . -`",
        name.escape_debug()
    )
}
