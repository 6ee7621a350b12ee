//! The one list of tools, and what it says of them.

use toolpost_core::Toolbox;
use toolpost_tools::builtins;

use crate::common::Bench;

#[test]
fn every_builtin_has_a_page_and_a_definition() {
    let bench = Bench::new();
    let names: Vec<&str> = builtins().iter().map(|builtin| builtin.name).collect();
    assert_eq!(names, bench.toolbox.names().collect::<Vec<_>>());
    for builtin in builtins() {
        let page = builtin.page();
        assert!(page.starts_with(&format!("`{}`", builtin.name)), "{page}");
        let definition = bench.toolbox.definition(builtin.name).unwrap().unwrap();
        let properties = definition.input_schema["properties"].as_object().unwrap();
        for (name, property) in properties {
            assert!(
                property["description"].is_string(),
                "{}.{name} is not described",
                builtin.name
            );
        }
        assert!(definition.output_schema.is_some());
    }
}

#[test]
fn a_builtin_is_added_once() {
    let mut toolbox = Toolbox::new();
    builtins()[0].add(&mut toolbox).unwrap();
    assert!(builtins()[0].add(&mut toolbox).is_err());
}

#[test]
fn the_fields_are_those_that_models_know() {
    let bench = Bench::new();
    let fields = |name: &str| {
        let definition = bench.toolbox.definition(name).unwrap().unwrap();
        let properties = definition.input_schema["properties"].as_object().unwrap();
        properties
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(fields("Read"), "file_path offset limit pages");
    assert_eq!(fields("Write"), "file_path content");
    assert_eq!(
        fields("Edit"),
        "file_path old_string new_string replace_all"
    );
    assert_eq!(fields("MultiEdit"), "file_path edits");
    let edit = &bench
        .toolbox
        .definition("MultiEdit")
        .unwrap()
        .unwrap()
        .input_schema;
    let edit = edit.to_string();
    assert!(
        edit.contains("old_string") && edit.contains("new_string") && edit.contains("replace_all")
    );
    assert_eq!(fields("ApplyPatch"), "patch");
    assert_eq!(
        fields("NotebookEdit"),
        "notebook_path cell_id new_source cell_type edit_mode"
    );
    assert_eq!(fields("Glob"), "pattern path limit");
    assert_eq!(
        fields("Grep"),
        "pattern path glob type output_mode ignore_case line_numbers before after context multiline \
         fixed_strings head_limit offset"
    );
    assert_eq!(fields("Ls"), "path depth ignore");
}
