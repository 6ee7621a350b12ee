//! The words of every command of the corpus, held against a second parser.
//!
//! Where the two disagree is named here with the reason; anything else is a mistake of one.

#![allow(
    clippy::disallowed_macros,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests may fail"
)]

use std::collections::BTreeSet;
use std::path::Path;

use toolpost_policy::shell::{Kind, NoShellFacts, analyse};
use tree_sitter::{Node, Parser};

mod shell_support;

use shell_support::commands;

/// What the second parser does not read as bash does.
const DISAGREEMENTS: &[(&str, &str)] = &[
    ("cat <> new.txt", "`<>` is an error there"),
    (
        "echo ${X:=`touch new.txt`}",
        "backticks inside `${…}` are text there",
    ),
    (
        "echo $[ x='a[$(touch new.txt)]', x ]",
        "`$[ ]` is an error there",
    ),
    ("time touch new.txt", "the reserved word is a program there"),
    (
        "coproc touch new.txt",
        "the reserved word is a program there",
    ),
    ("{touch,new.txt}", "braces as a program are an error there"),
];

type Lists = BTreeSet<Vec<String>>;

/// The words of each command that stands in the text itself, as typed.
fn ours(command: &str) -> Lists {
    analyse(command, Path::new("/proj"), &NoShellFacts)
        .commands
        .iter()
        .filter(|found| found.kind == Kind::Simple)
        .filter(|found| {
            found.via.as_deref().is_none_or(|via| {
                matches!(
                    via,
                    "command substitution"
                        | "process substitution"
                        | "redirection"
                        | "function"
                        | "coproc"
                )
            })
        })
        .map(|found| found.raw.clone())
        .collect()
}

/// The same by the second parser, or nothing where it finds a mistake.
fn theirs(command: &str) -> Option<Lists> {
    let mut parser = Parser::new();
    parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .expect("the grammar");
    let tree = parser.parse(command, None)?;
    if tree.root_node().has_error() {
        return None;
    }
    let mut lists = Lists::new();
    collect(tree.root_node(), command, &mut lists);
    Some(lists)
}

fn collect(node: Node<'_>, text: &str, lists: &mut Lists) {
    let word = |node: Node<'_>| text[node.byte_range()].to_owned();
    let children: Vec<Node<'_>> = {
        let mut cursor = node.walk();
        node.children(&mut cursor).collect()
    };
    match node.kind() {
        "command" => {
            let words = children.iter().filter(|child| {
                !child.kind().contains("redirect") && child.kind() != "variable_assignment"
            });
            lists.insert(words.map(|child| word(*child)).collect());
        }
        // These have rules of their own there.
        "declaration_command" | "unset_command" => {
            lists.insert(children.iter().map(|child| word(*child)).collect());
        }
        "test_command" if text[node.byte_range()].starts_with("[ ") => {
            let words = text[node.byte_range()].split_whitespace();
            lists.insert(words.map(str::to_owned).collect());
        }
        _ => {}
    }
    for child in children {
        collect(child, text, lists);
    }
}

#[test]
fn both_parsers_find_the_same_commands() {
    let mut different = Vec::new();
    let mut compared = 0;
    for command in commands() {
        let is_named = DISAGREEMENTS.iter().any(|(named, _)| *named == command);
        let agree = match theirs(&command) {
            Some(theirs) => theirs == ours(&command),
            None => false,
        };
        compared += usize::from(agree);
        if agree == is_named {
            different.push(format!(
                "{command:?}\n  ours   {:?}\n  theirs {:?}",
                ours(&command),
                theirs(&command)
            ));
        }
    }
    eprintln!("agreed on {compared}");
    assert!(different.is_empty(), "{}", different.join("\n"));
}
