//! `toolpost tools lint`: the definitions checked as data, ours as well as those of tool files.

use std::collections::HashSet;
use std::io::{self, Write};

use serde::Serialize;
use toolpost_wire::Finding;

use crate::args::Common;
use crate::{exit, setup};

#[derive(Serialize)]
struct Line<'a> {
    v: u8,
    #[serde(flatten)]
    finding: &'a Finding,
}

pub(crate) fn lint(common: &Common) -> anyhow::Result<u8> {
    let toolbox = setup::builtins(common)?;
    let mut findings = Vec::new();
    let mut names = HashSet::new();
    for definition in toolbox.definitions(&setup::facts(common, &[])?) {
        let definition = definition?;
        names.insert(definition.name.to_string());
        findings.extend(toolpost_wire::lint(&definition));
    }
    // What could not be used is still looked at, so that all is said at once.
    for (_, entry) in setup::entries(common)? {
        let mut find = |code, message| {
            let (tool, pointer) = (entry.name.clone(), String::new());
            findings.push(Finding {
                tool,
                pointer,
                code,
                message,
            });
        };
        if !names.insert(entry.name.clone()) {
            let message = "another tool has this name; rename one, or leave it out with `--tools`";
            find("name_taken", message.to_owned());
        }
        for (code, message) in entry.contradictions() {
            find(code, message);
        }
        findings.extend(toolpost_wire::lint(&entry.definition()));
    }
    let mut out = io::stdout().lock();
    for finding in &findings {
        if common.json {
            writeln!(out, "{}", serde_json::to_string(&Line { v: 1, finding })?)?;
        } else {
            let at = if finding.pointer.is_empty() { "" } else { " " };
            let Finding {
                tool,
                pointer,
                code,
                message,
            } = finding;
            writeln!(out, "{tool}{at}{pointer}: {message} [{code}]")?;
        }
    }
    if findings.is_empty() {
        if !common.quiet && !common.json {
            eprintln!("{} definitions, nothing to mend", names.len());
        }
        return Ok(exit::DONE);
    }
    Ok(exit::UNEXPECTED)
}
