//! The tools on a disk: a call that fails leaves every file as it was, and no other file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use toolpost_core::{
    Decided, ErrorKind, Facts, RawCall, ReadOptions, SimplePolicy, State, Surroundings, Toolbox,
};

use super::Input;
use crate::{DiskLinks, FileState, add_builtins};

/// Does a few things to files in a folder of its own, which must be empty, and empties it again.
pub fn files(folder: &Path, data: &[u8]) {
    let mut input = Input(data);
    let names = ["a", "b.ipynb", "in/c"];
    std::fs::create_dir_all(folder.join("in")).unwrap();
    for name in names {
        std::fs::write(folder.join(name), input.bytes(60)).unwrap();
    }
    let mut state = State::new();
    state.insert(FileState::new());
    let facts = Facts::new(folder.canonicalize().unwrap())
        .with_state(state)
        .with_links(Arc::new(DiskLinks));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut toolbox = Toolbox::new();
    add_builtins(&mut toolbox).unwrap();
    for name in names {
        let _ = run(
            (&runtime, &toolbox),
            "Read",
            json!({ "file_path": name }),
            &facts,
        );
    }
    for _ in 0..1 + input.below(3) {
        let name = names[input.below(3)];
        let before = tree(folder);
        let text = |input: &mut Input<'_>| input.text(6);
        let failed = match input.byte() % 5 {
            0 => {
                let call = json!({ "file_path": name, "content": text(&mut input) });
                run((&runtime, &toolbox), "Write", call, &facts)
            }
            1 => {
                let (old, new) = (text(&mut input), text(&mut input));
                let call = json!({ "file_path": name, "old_string": old, "new_string": new });
                run((&runtime, &toolbox), "Edit", call, &facts)
            }
            2 => {
                let edits: Vec<Value> = (0..1 + input.below(3))
                    .map(|_| {
                        let (old, new) = (text(&mut input), text(&mut input));
                        json!({ "old_string": old, "new_string": new, "replace_all": true })
                    })
                    .collect();
                let call = json!({ "file_path": name, "edits": edits });
                run((&runtime, &toolbox), "MultiEdit", call, &facts)
            }
            3 => {
                let body = patch(&mut input, &names);
                run(
                    (&runtime, &toolbox),
                    "ApplyPatch",
                    json!({ "patch": body }),
                    &facts,
                )
            }
            _ => {
                let call = json!({ "notebook_path": name, "edit_mode": "insert", "new_source": text(&mut input) });
                run((&runtime, &toolbox), "NotebookEdit", call, &facts)
            }
        };
        if failed {
            assert_eq!(tree(folder), before, "a failed call changes nothing");
        }
        assert!(tree(folder).keys().all(|name| !name.contains(".toolpost-")));
    }
    std::fs::remove_dir_all(folder).unwrap();
    std::fs::create_dir_all(folder).unwrap();
}

/// A patch of some of the files, with hunks that may fit.
fn patch(input: &mut Input<'_>, names: &[&str]) -> String {
    let mut body = String::from("*** Begin Patch\n");
    for _ in 0..1 + input.below(3) {
        let name = names[input.below(names.len())];
        let line = |input: &mut Input<'_>| input.text(3).replace(['\n', '\r'], "");
        let section = match input.byte() % 5 {
            0 => format!("*** Add File: new/{name}\n+{}\n", line(input)),
            1 => format!("*** Delete File: {name}\n"),
            2 => format!(
                "*** Update File: {name}\n*** Move to: moved/{}\n",
                line(input)
            ),
            3 => format!(
                "*** Update File: {name}\n@@\n+{}\n*** End of File\n",
                line(input)
            ),
            _ => format!(
                "*** Update File: {name}\n@@\n-{}\n+{}\n",
                line(input),
                line(input)
            ),
        };
        body.push_str(&section);
    }
    body + "*** End Patch\n"
}

/// Whether the call failed.
fn run(
    (runtime, toolbox): (&tokio::runtime::Runtime, &Toolbox),
    name: &str,
    call: Value,
    facts: &Facts,
) -> bool {
    let raw = RawCall::new("1", name, call.to_string());
    let Ok(call) = toolbox.validate(raw, facts, &ReadOptions::default()) else {
        return true;
    };
    let Decided::Permitted(call) = call.decide(&SimplePolicy::new().bypass(), facts) else {
        return true;
    };
    let outcome = runtime.block_on(call.run(Surroundings::new(facts.clone())));
    assert_ne!(
        outcome.error.as_ref().map(|error| error.kind),
        Some(ErrorKind::Panicked),
        "{}",
        outcome.model_text()
    );
    !outcome.is_done()
}

/// Every file with its bytes, and every folder.
fn tree(folder: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let content = path.is_file().then(|| std::fs::read(&path).unwrap());
            if path.is_dir() {
                open.push(path.clone());
            }
            found.insert(path.display().to_string(), content);
        }
    }
    found
}
