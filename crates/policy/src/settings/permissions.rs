//! `[permissions]`: mode, rules, protected paths, roots and tests.

use std::ops::Range;

use serde_json::Value;
use toml::de::DeTable;
use toolpost_core::Verdict;

use super::reader::Reader;
use super::{Permissions, PolicyTest, json};
use crate::layer::Layer;
use crate::mode::Mode;
use crate::rule::Rule;

const KEYS: [&str; 8] = [
    "mode",
    "allow",
    "ask",
    "deny",
    "protected",
    "roots",
    "test",
    "disable_bypass",
];

pub(super) fn read(reader: &mut Reader<'_>, document: &DeTable<'_>, into: &mut Permissions) {
    let Some(table) = reader.table(document, "permissions", "permissions") else {
        return;
    };
    reader.known(table, &KEYS, "permissions.");
    into.mode =
        mode(reader, table, "permissions.mode").map(|(mode, span)| (mode, reader.place(&span)));
    into.disable_bypass = reader.truth(table, "disable_bypass", "permissions.disable_bypass");
    if into.disable_bypass && reader.layer() != Layer::Managed {
        into.disable_bypass = false;
        let span = table
            .get("disable_bypass")
            .map(toml::Spanned::span)
            .unwrap_or_default();
        reader.wrong(span, "only managed settings may disable `bypass`".into());
    }
    for (key, effect) in [
        ("allow", Verdict::Allow),
        ("ask", Verdict::Ask),
        ("deny", Verdict::Deny),
    ] {
        for (text, span) in reader.texts(table, key, &format!("permissions.{key}")) {
            match Rule::parse(&text, effect, reader.place(&span)) {
                Ok(rule) => into.rules.push(rule),
                Err(error) => reader.wrong(
                    span,
                    format!("rule `{}`: {}", error.text.escape_debug(), error.problem),
                ),
            }
        }
    }
    for (key, list) in [
        ("protected", &mut into.protected),
        ("roots", &mut into.roots),
    ] {
        for (text, span) in reader.texts(table, key, &format!("permissions.{key}")) {
            list.push((text, reader.place(&span)));
        }
    }
    for (test, span) in reader.tables(table, "test", "permissions.test") {
        if let Some(test) = read_test(reader, test, span) {
            into.tests.push(test);
        }
    }
}

fn mode(reader: &mut Reader<'_>, table: &DeTable<'_>, name: &str) -> Option<(Mode, Range<usize>)> {
    let (text, span) = reader.text(table, "mode", name)?;
    match text.parse() {
        Ok(mode) => Some((mode, span)),
        Err(error) => {
            reader.wrong(span, format!("{error}"));
            None
        }
    }
}

fn read_test(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    span: Range<usize>,
) -> Option<PolicyTest> {
    const NAME: &str = "permissions.test";
    reader.known(table, &["call", "expect", "mode"], "permissions.test.");
    let expect = match reader.text(table, "expect", "permissions.test.expect") {
        Some((text, at)) => match text.as_str() {
            "allow" => Verdict::Allow,
            "ask" => Verdict::Ask,
            "deny" => Verdict::Deny,
            _ => {
                reader.wrong(
                    at,
                    format!(
                        "`{}` is no verdict; use allow, ask or deny",
                        text.escape_debug()
                    ),
                );
                return None;
            }
        },
        None => {
            reader.wrong(
                span,
                format!("`{NAME}` needs `expect`; write `expect = \"ask\"`"),
            );
            return None;
        }
    };
    let Some(call) = reader.table(table, "call", "permissions.test.call") else {
        reader.wrong(span, format!("`{NAME}` needs `call`; write `call = {{ name = \"Bash\", arguments = {{ command = \"ls\" }} }}`"));
        return None;
    };
    reader.known(call, &["name", "arguments"], "permissions.test.call.");
    let Some((name, _)) = reader.text(call, "name", "permissions.test.call.name") else {
        reader.wrong(
            span,
            format!("the call of `{NAME}` needs `name`, the tool's name"),
        );
        return None;
    };
    let arguments = match call.get("arguments") {
        Some(arguments) => json::of(arguments.get_ref()),
        None => Value::Object(serde_json::Map::new()),
    };
    let mode = mode(reader, table, "permissions.test.mode").map(|(mode, _)| mode);
    Some(PolicyTest {
        name,
        arguments,
        expect,
        mode,
        source: reader.place(&span),
    })
}
