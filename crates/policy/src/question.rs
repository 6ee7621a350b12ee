//! What a decision is about: a call by its name, its input and what it names.

use std::borrow::Cow;

use serde_json::Value;
use toolpost_core::{Access, Effects, Facts, Subject, ValidatedCall};

use crate::mcp::McpTool;
use crate::rule::Family;

/// A call as rules see it.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    pub(crate) name: &'a str,
    /// The bytes that the decision is bound to.
    pub(crate) input: Cow<'a, str>,
    pub(crate) body: Body,
    /// What the tool says of this input; nothing for a tool that is not there.
    pub(crate) effects: Option<Effects>,
    pub(crate) mcp: Option<&'a McpTool>,
    /// Hosts that the product would allow by itself.
    pub(crate) preapproved: &'a [String],
}

/// What a call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// It can never be a valid call, for this reason.
    Invalid(String),
    /// A command line.
    Command(String),
    /// A web address.
    Url(String),
    /// Paths, as the call spells them, and what else it names.
    Things {
        paths: Vec<(String, Access)>,
        hosts: Vec<String>,
        commands: Vec<String>,
    },
}

/// Whether a name may be a tool's.
pub(crate) fn is_tool_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

impl<'a> Question<'a> {
    /// The question about a call that is not validated, of a tool that need not be there.
    pub fn of_input(name: &'a str, input: &Value) -> Self {
        Self {
            name,
            input: input.to_string().into(),
            body: body(name, input),
            effects: None,
            mcp: None,
            preapproved: &[],
        }
    }

    /// The question about a validated call.
    pub(crate) fn of_call(
        call: &'a ValidatedCall,
        facts: &Facts,
        mcp: Option<&'a McpTool>,
    ) -> Self {
        let name = call.name();
        let body = if name == "WebFetch" {
            match serde_json::from_str(call.input()) {
                Ok(input) => body(name, &input),
                Err(_) => Body::Invalid("its input is not JSON".to_owned()),
            }
        } else {
            of_subjects(name, call.subjects(facts))
        };
        Self {
            name,
            input: call.input().into(),
            body,
            effects: Some(call.effects()),
            mcp,
            preapproved: &[],
        }
    }

    /// The same, about the tool of a server that is registered under this pair.
    #[must_use]
    pub fn of_mcp(mut self, tool: &'a McpTool) -> Self {
        self.mcp = Some(tool);
        self
    }

    /// The same, where the product would allow these hosts by itself.
    #[must_use]
    pub fn preapproving(mut self, hosts: &'a [String]) -> Self {
        self.preapproved = hosts;
        self
    }

    /// The name of the tool.
    pub const fn name(&self) -> &str {
        self.name
    }
}

fn of_subjects(name: &str, subjects: Vec<Subject>) -> Body {
    let (mut paths, mut hosts, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for subject in subjects {
        match subject {
            Subject::Path { path, access } => {
                paths.push((path.to_string_lossy().into_owned(), access));
            }
            Subject::Host(host) => hosts.push(host),
            Subject::Command(command) => commands.push(command),
            // Something that is not known yet is asked about like a command that nobody allowed.
            other => commands.push(format!("{other:?}")),
        }
    }
    if name == "Bash" {
        // Its paths are found anew in the command, which is where they come from.
        return match commands.into_iter().next() {
            Some(command) => of_command(command),
            None => Body::Invalid("it names no command".to_owned()),
        };
    }
    match paths.iter().find(|(path, _)| path.contains('\0')) {
        Some(_) => Body::Invalid("a path has no NUL character".to_owned()),
        None => Body::Things {
            paths,
            hosts,
            commands,
        },
    }
}

fn body(name: &str, input: &Value) -> Body {
    if has_nul(input) {
        return Body::Invalid("a NUL character can never be a part of it".to_owned());
    }
    let text = |field: &str| input.get(field).and_then(Value::as_str);
    let needed = |field: &str, body: fn(String) -> Body| match text(field) {
        Some(text) => body(text.to_owned()),
        None => Body::Invalid(format!("`{field}` is missing or no text")),
    };
    match name {
        "Bash" => needed("command", of_command),
        "WebFetch" => needed("url", Body::Url),
        "Read" => needed("file_path", |path| one(path, Access::Read)),
        "Write" | "Edit" | "MultiEdit" => needed("file_path", |path| one(path, Access::Write)),
        "NotebookEdit" => needed("notebook_path", |path| one(path, Access::Write)),
        "Grep" | "Ls" => one(text("path").unwrap_or(".").to_owned(), Access::Read),
        "Glob" => one(searched(text("path"), text("pattern")), Access::Read),
        "ApplyPatch" => match text("patch") {
            Some(patch) => patched(patch),
            None => Body::Invalid("`patch` is missing or no text".to_owned()),
        },
        _ => Body::Things {
            paths: Vec::new(),
            hosts: Vec::new(),
            commands: Vec::new(),
        },
    }
}

fn of_command(command: String) -> Body {
    if command.contains('\0') {
        Body::Invalid("a NUL character can never be a part of a command".to_owned())
    } else {
        Body::Command(command)
    }
}

fn one(path: String, access: Access) -> Body {
    things(vec![(path, access)])
}

fn things(paths: Vec<(String, Access)>) -> Body {
    Body::Things {
        paths,
        hosts: Vec::new(),
        commands: Vec::new(),
    }
}

/// The folder that a search for file names begins in: what stands before the first wildcard.
fn searched(path: Option<&str>, pattern: Option<&str>) -> String {
    let literal: Vec<&str> = pattern
        .unwrap_or_default()
        .split('/')
        .take_while(|part| !part.contains(['*', '?', '[', '{']))
        .collect();
    let literal = literal.join("/");
    match (path, pattern) {
        (_, Some(pattern)) if pattern.starts_with('/') => {
            format!("/{}", literal.trim_start_matches('/'))
        }
        (Some(path), _) => format!("{path}/{literal}"),
        (None, _) => format!("./{literal}"),
    }
}

/// Every file that a patch touches.
fn patched(patch: &str) -> Body {
    const HEADS: [&str; 4] = [
        "*** Update File: ",
        "*** Add File: ",
        "*** Delete File: ",
        "*** Move to: ",
    ];
    let paths: Vec<(String, Access)> = patch
        .lines()
        .filter_map(|line| {
            HEADS
                .iter()
                .find_map(|head| line.trim_start().strip_prefix(head))
        })
        .map(|path| (path.trim().to_owned(), Access::Write))
        .collect();
    if paths.is_empty() {
        Body::Invalid("the patch names no file".to_owned())
    } else {
        things(paths)
    }
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => fields
            .iter()
            .any(|(name, value)| name.contains('\0') || has_nul(value)),
        _ => false,
    }
}

/// Whether the tool is one whose own effects are known here, and if so whether it only looks.
pub(crate) fn known_read_only(name: &str) -> Option<bool> {
    match (Family::of(name), name) {
        (Some(Family::Read), _) => Some(true),
        (Some(Family::Edit), _) => Some(false),
        (None, "WebFetch" | "TodoWrite" | "ToolSearch" | "BashOutput") => Some(true),
        (None, "KillShell") => Some(false),
        (None, _) => None,
    }
}
