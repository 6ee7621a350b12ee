//! `toolpost tools`: the definitions, listed, shown or checked.

use std::io::{self, Write};

use clap::CommandFactory;
use serde_json::Value;
use toolpost_core::Definition;
use toolpost_wire::Lowered;

use crate::args::{Args, Common, Tools, ToolsAction};
use crate::exit::{self, unknown};
use crate::settings::Loaded;
use crate::{lint, setup};

pub(crate) fn tools(common: &Common, tools: &Tools) -> anyhow::Result<u8> {
    match &tools.action {
        None | Some(ToolsAction::List) => list(common, tools),
        Some(ToolsAction::Show { name }) => show(common, tools, name),
        Some(ToolsAction::Lint) => lint::lint(common),
    }
}

pub(crate) fn completions(shell: clap_complete::Shell) {
    clap_complete::generate(shell, &mut Args::command(), "toolpost", &mut io::stdout());
}

fn list(common: &Common, tools: &Tools) -> anyhow::Result<u8> {
    let toolbox = setup::tools(common, &Loaded::of(common)?)?;
    let mut out = io::stdout().lock();
    for definition in toolbox.definitions(&setup::facts(common, &[])?) {
        let definition = definition?;
        let lowered = tools.dialect.0.lower(&definition);
        if common.json || tools.dialect.0 != toolpost_wire::Dialect::Native {
            writeln!(out, "{}", lowered.definition)?;
            report(common, &definition, &lowered);
        } else {
            writeln!(
                out,
                "{:12} {}",
                definition.name,
                first_sentence(&definition.description)
            )?;
        }
    }
    Ok(exit::DONE)
}

/// What a dialect could not carry is a message, not data.
fn report(common: &Common, definition: &Definition, lowered: &Lowered) {
    if common.quiet {
        return;
    }
    for loss in &lowered.losses {
        let at = if loss.pointer.is_empty() { "" } else { " at " };
        eprintln!(
            "toolpost: {}{at}{}: {}",
            definition.name, loss.pointer, loss.reason
        );
    }
}

fn show(common: &Common, tools: &Tools, name: &str) -> anyhow::Result<u8> {
    let toolbox = setup::tools(common, &Loaded::of(common)?)?;
    let Some(definition) = toolbox.definition(name) else {
        let message = format!("there is no tool `{name}`");
        return Err(unknown(message, name, toolbox.names()));
    };
    let definition = definition?;
    let lowered = tools.dialect.0.lower(&definition);
    let mut out = io::stdout().lock();
    if common.json || tools.dialect.0 != toolpost_wire::Dialect::Native {
        writeln!(out, "{}", lowered.definition)?;
        report(common, &definition, &lowered);
        return Ok(exit::DONE);
    }
    let builtin = toolpost_tools::builtins()
        .iter()
        .find(|builtin| builtin.name == name);
    match builtin {
        Some(builtin) => writeln!(out, "{}", builtin.page().trim())?,
        None => writeln!(out, "{}\n\n{}", definition.name, definition.description)?,
    }
    writeln!(out, "\nInput:\n{}", pretty(&definition.input_schema)?)?;
    if let Some(output) = &definition.output_schema {
        writeln!(out, "\nOutput:\n{}", pretty(output)?)?;
    }
    Ok(exit::DONE)
}

fn pretty(schema: &Value) -> serde_json::Result<String> {
    serde_json::to_string_pretty(schema)
}

fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    match line.split_once(". ") {
        Some((sentence, _)) => sentence,
        None => line.trim_end_matches('.'),
    }
}
