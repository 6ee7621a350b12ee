//! Changes of notebooks against the same changes made on the parsed value.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Named, NewCell, Notebook};
use crate::draft::{Splice, pieces};

fn spliced(text: &str, splices: &[Splice]) -> String {
    let pieces = pieces(text.len(), splices);
    let bytes: Vec<&[u8]> = pieces
        .iter()
        .map(|piece| piece.bytes(text.as_bytes()))
        .collect();
    String::from_utf8(bytes.concat()).unwrap()
}

fn lines(source: &str) -> Value {
    source.split_inclusive('\n').collect()
}

/// A notebook as Jupyter writes it, or in one of the other ways in which it may be written.
fn written(value: &Value, form: u8) -> String {
    use serde::Serialize;
    let indent: &[u8] = match form {
        0 => b" ",
        1 => b"    ",
        2 => b"\t",
        _ => return value.to_string(),
    };
    let mut out = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(indent);
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    value.serialize(&mut serializer).unwrap();
    out.push(b'\n');
    String::from_utf8(out).unwrap()
}

fn cell() -> impl Strategy<Value = Value> {
    let source = "[a\"\\\\é\n]{0,6}";
    (any::<bool>(), source, any::<bool>(), any::<bool>()).prop_map(
        |(is_code, source, ends, first)| {
            let mut cell = json!({});
            let object = cell.as_object_mut().unwrap();
            if first {
                object.insert("metadata".into(), json!({ "x": [1.50, { "y": {} }] }));
            }
            object.insert("source".into(), lines(&source));
            if is_code {
                object.insert("execution_count".into(), json!(7));
                object.insert(
                    "outputs".into(),
                    json!([{ "output_type": "stream", "text": ["o"] }]),
                );
            }
            object.insert(
                "cell_type".into(),
                json!(if is_code { "code" } else { "markdown" }),
            );
            if ends {
                object.insert("zz".into(), json!("kept"));
            }
            cell
        },
    )
}

fn notebook() -> impl Strategy<Value = Value> {
    let cells = prop::collection::vec(cell(), 0..4);
    (cells, 0_u64..6).prop_map(|(mut cells, minor)| {
        for (number, cell) in cells.iter_mut().enumerate() {
            if minor >= 5 {
                cell["id"] = json!(format!("id{number}"));
            }
        }
        json!({ "metadata": { "k": "cells" }, "cells": cells, "nbformat": 4, "nbformat_minor": minor })
    })
}

/// The value after a replacement.
fn replaced(mut value: Value, index: usize, source: &str, kind: &str) -> Value {
    let cell = &mut value["cells"][index];
    let was = super::joined(&cell["source"]).unwrap();
    if was == source && cell["cell_type"] == kind {
        return value;
    }
    cell["source"] = lines(source);
    cell["cell_type"] = json!(kind);
    let object = cell.as_object_mut().unwrap();
    if kind == "code" {
        object.insert("execution_count".into(), Value::Null);
        object.insert("outputs".into(), json!([]));
    } else {
        object.shift_remove("execution_count");
        object.shift_remove("outputs");
    }
    value
}

proptest! {
    #[test]
    fn a_change_of_the_text_is_the_change_of_the_value(
        value in notebook(), form in 0_u8..4, at in 0_usize..4, source in "[ab\"\\\\é\n]{0,8}", kind in 0_usize..3,
    ) {
        let text = written(&value, form);
        let notebook = Notebook::parse(&text).unwrap();
        let kind = ["code", "markdown", "raw"][kind];
        if at < notebook.cells.len() {
            let new = spliced(&text, &notebook.replace(at, Some(&source), Some(kind)));
            let wanted = replaced(value.clone(), at, &source, kind);
            prop_assert_eq!(&serde_json::from_str::<Value>(&new).unwrap(), &wanted);
            let order = |value: &Value| value["cells"][at].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
            let old_keys = order(&value);
            let kept: Vec<_> = order(&serde_json::from_str(&new).unwrap()).into_iter().filter(|key| old_keys.contains(key)).collect();
            let wanted_kept: Vec<_> = old_keys.iter().filter(|key| kept.contains(key)).cloned().collect();
            prop_assert_eq!(kept, wanted_kept);
            // Taken out again, nothing of it is left, and the rest was not touched.
            let mut without = value.clone();
            without["cells"].as_array_mut().unwrap().remove(at);
            let new = spliced(&text, &notebook.delete(at));
            prop_assert_eq!(&serde_json::from_str::<Value>(&new).unwrap(), &without);
        }
        let at = at.min(notebook.cells.len());
        let (splices, id) = notebook.insert(at, NewCell { kind, source: &source });
        let new = spliced(&text, &splices);
        let read = Notebook::parse(&new).unwrap();
        prop_assert_eq!(read.cells.len(), notebook.cells.len() + 1);
        prop_assert_eq!(read.cells[at].source(), source);
        prop_assert_eq!(read.cells[at].kind(), kind);
        prop_assert_eq!(id.is_some(), notebook.version.1 >= 5);
        prop_assert_eq!(read.cells[at].id(), id);
        // Deleting what was inserted gives every byte back.
        if !notebook.cells.is_empty() {
            prop_assert_eq!(spliced(&new, &read.delete(at)), text.clone());
        }
        // A new cell is written as one that Jupyter writes.
        if form < 3 {
            let new: Value = serde_json::from_str(&new).unwrap();
            let own = written(&new, form);
            let added = String::from_utf8(splices[0].with.clone()).unwrap();
            prop_assert!(own.contains(added.trim_matches(|c: char| c == ',' || c.is_whitespace())));
        }
    }

    #[test]
    fn no_text_makes_the_reading_panic(text in "[\\[\\]{}\":,0-9a-z \n]{0,40}") {
        let _ = Notebook::parse(&text);
        let cells = format!("{{\"nbformat\":4,\"cells\":[{text}]}}");
        if let Ok(notebook) = Notebook::parse(&cells) {
            for index in 0..notebook.cells.len() {
                let new = spliced(&cells, &notebook.delete(index));
                prop_assert!(Notebook::parse(&new).is_ok(), "{}", new);
            }
        }
    }
}

fn cells(ids: &[&str]) -> String {
    let cells: Vec<Value> = ids.iter().map(|id| json!({ "id": id })).collect();
    json!({ "nbformat": 4, "nbformat_minor": 5, "cells": cells }).to_string()
}

#[test]
fn a_cell_is_named_by_its_id_first_and_then_by_its_place() {
    let text = cells(&["a", "cell-0", "b", "b"]);
    let notebook = Notebook::parse(&text).unwrap();
    assert_eq!(notebook.find("a"), Named::One(0));
    assert_eq!(notebook.find("cell-0"), Named::One(1));
    assert_eq!(notebook.find("cell-3"), Named::One(3));
    assert_eq!(notebook.find("cell-4"), Named::None);
    assert_eq!(notebook.find("b"), Named::Several);
    assert_eq!(notebook.find("c"), Named::None);
}

#[test]
fn what_is_no_notebook_is_told() {
    let why = |text: &str| Notebook::parse(text).err().unwrap();
    insta::assert_snapshot!(why(""), @"EOF while parsing a value at line 1 column 0");
    insta::assert_snapshot!(why("[]"), @"`[]` is no object");
    insta::assert_snapshot!(why("{\"cells\":[]}"), @"it has no number `nbformat`");
    insta::assert_snapshot!(why("{\"nbformat\":3,\"worksheets\":[]}"), @"it is of the old form 3; convert it with `jupyter nbconvert --to notebook`");
    insta::assert_snapshot!(why("{\"nbformat\":4}"), @"it has no list `cells`");
    insta::assert_snapshot!(why("{\"nbformat\":4,\"cells\":{}}"), @"`cells` is no list");
    insta::assert_snapshot!(why("{\"nbformat\":4,\"cells\":[1]}"), @"`1` is no object");
    insta::assert_snapshot!(why("{\"nbformat\":4,\"cells\":[],\"cells\":[]}"), @"the key `cells` is there twice");
}
