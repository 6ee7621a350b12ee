//! The sections that other parts use: limits, journal, hooks, servers and tools.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::reader::Reader;
use super::{Hook, Journal, Server, Settings, json};

pub(super) fn read(reader: &mut Reader<'_>, document: &DeTable<'_>, into: &mut Settings) {
    if let Some(table) = reader.table(document, "limits", "limits") {
        limits(reader, table, into);
    }
    if let Some(table) = reader.table(document, "journal", "journal") {
        journal(reader, table, into);
    }
    if let Some(table) = reader.table(document, "hooks", "hooks") {
        reader.known(table, &["before", "after"], "hooks.");
        into.hooks.before = hooks(reader, table, "before", "hooks.before");
        into.hooks.after = hooks(reader, table, "after", "hooks.after");
    }
    if let Some(table) = reader.table(document, "servers", "servers") {
        for (name, item) in table {
            let at = name.span();
            match item.get_ref().as_table() {
                Some(inner) => into
                    .servers
                    .extend(server(reader, name.get_ref(), inner, at)),
                None => reader.wrong(
                    at,
                    format!(
                        "`servers.{0}` is a table; write `[servers.{0}]`",
                        name.get_ref()
                    ),
                ),
            }
        }
    }
    for (table, span) in reader.tables(document, "tool", "tool") {
        into.tools
            .push((json::of_table(table), reader.place(&span)));
    }
}

fn limits(reader: &mut Reader<'_>, table: &DeTable<'_>, into: &mut Settings) {
    reader.known(
        table,
        &["max_parallel", "timeout", "idle_timeout"],
        "limits.",
    );
    let parallel = number(reader, table, "max_parallel", "limits.max_parallel");
    into.limits.max_parallel = parallel.and_then(|number| usize::try_from(number).ok());
    let mut duration = |key: &str| {
        reader
            .text(table, key, &format!("limits.{key}"))
            .map(|(text, _)| text)
    };
    into.limits.timeout = duration("timeout");
    into.limits.idle_timeout = duration("idle_timeout");
}

fn journal(reader: &mut Reader<'_>, table: &DeTable<'_>, into: &mut Settings) {
    let known = ["mask", "max_age", "max_bytes", "questions_last"];
    reader.known(table, &known, "journal.");
    let masks = reader.texts(table, "mask", "journal.mask");
    let mask = masks.into_iter().map(|(text, _)| text).collect();
    let mut text = |key: &str| {
        reader
            .text(table, key, &format!("journal.{key}"))
            .map(|(text, _)| text)
    };
    let (max_age, questions_last) = (text("max_age"), text("questions_last"));
    into.journal = Journal {
        mask,
        max_age,
        max_bytes: number(reader, table, "max_bytes", "journal.max_bytes"),
        questions_last,
    };
}

/// A whole number from 1 on.
fn number(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, name: &str) -> Option<u64> {
    let item = table.get(key)?;
    let number = match item.get_ref() {
        DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
        _ => None,
    };
    let number = number.filter(|number| *number > 0);
    if number.is_none() {
        reader.wrong(item.span(), format!("`{name}` is a whole number from 1 on"));
    }
    number
}

fn hooks(reader: &mut Reader<'_>, table: &DeTable<'_>, key: &str, name: &str) -> Vec<Hook> {
    let mut found = Vec::new();
    for (hook, span) in reader.tables(table, key, name) {
        reader.known(hook, &["tools", "command", "timeout"], &format!("{name}."));
        let texts =
            |texts: Vec<(String, Range<usize>)>| texts.into_iter().map(|(text, _)| text).collect();
        let command: Vec<String> = texts(reader.texts(hook, "command", &format!("{name}.command")));
        if command.is_empty() {
            reader.wrong(
                span,
                format!("`{name}` needs `command`; write `command = [\"./check.sh\"]`"),
            );
            continue;
        }
        found.push(Hook {
            tools: texts(reader.texts(hook, "tools", &format!("{name}.tools"))),
            command,
            timeout: reader
                .text(hook, "timeout", &format!("{name}.timeout"))
                .map(|(text, _)| text),
            source: reader.place(&span),
        });
    }
    found
}

fn server(
    reader: &mut Reader<'_>,
    name: &str,
    table: &DeTable<'_>,
    at: Range<usize>,
) -> Option<Server> {
    let within = format!("servers.{name}");
    reader.known(
        table,
        &["command", "url", "env", "trust_annotations"],
        &format!("{within}."),
    );
    let command = reader.texts(table, "command", &format!("{within}.command"));
    let url = reader
        .text(table, "url", &format!("{within}.url"))
        .map(|(text, _)| text);
    if command.is_empty() == url.is_none() {
        reader.wrong(at, format!("`{within}` needs either `command` or `url`"));
        return None;
    }
    let mut env = Vec::new();
    if let Some(table) = reader.table(table, "env", &format!("{within}.env")) {
        for key in table.keys() {
            let key = key.get_ref();
            if let Some((value, _)) = reader.text(table, key, &format!("{within}.env.{key}")) {
                env.push((key.to_string(), value));
            }
        }
    }
    Some(Server {
        name: name.to_owned(),
        command: command.into_iter().map(|(text, _)| text).collect(),
        url,
        env,
        trust_annotations: reader.truth(
            table,
            "trust_annotations",
            &format!("{within}.trust_annotations"),
        ),
        source: reader.place(&at),
    })
}
