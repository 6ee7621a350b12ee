//! `toolpost tools lint`: the definitions checked as data, ours as well as those of tool files.

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
    let tools = setup::tools(common)?;
    let mut findings = Vec::new();
    for definition in tools.toolbox.definitions(&setup::facts(common)?) {
        findings.extend(toolpost_wire::lint(&definition?));
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
            eprintln!("{} definitions, nothing to mend", tools.toolbox.len());
        }
        return Ok(exit::DONE);
    }
    Ok(exit::UNEXPECTED)
}
