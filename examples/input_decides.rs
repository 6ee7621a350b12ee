//! The input decides what a call may do, what it touches, and so what it may run beside.
//!
//! One tool keeps notes; `list` only looks, `put` changes one note. The trait gives full control:
//! three methods must be written, the rest have safe defaults.
//! Run it with `cargo run -p toolpost --example input_decides`.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost::{
    Context, Effects, Facts, Footprint, Needs, RawCall, Scope, Session, SimplePolicy, Tool,
    ToolError, Toolbox,
};

/// What the tool needs of its host. It comes through the context, never from a global.
#[derive(Default)]
struct Notes(Mutex<BTreeMap<String, String>>);

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Act {
    /// Tell the names of all notes.
    List {},
    /// Write one note.
    Put {
        /// The note's name.
        name: String,
        /// What it says.
        text: String,
    },
}

struct Notebook;

impl Tool for Notebook {
    type Input = Act;
    type Output = String;

    fn name(&self) -> &str {
        "notes"
    }

    fn description(&self) -> &str {
        "List the notes, or write one."
    }

    async fn call(&self, act: Act, cx: &Context) -> Result<String, ToolError> {
        // `needs` below makes sure that this is there.
        let notes = cx
            .state::<Notes>()
            .ok_or_else(|| ToolError::new("no_state", "no notes here"))?;
        tokio::time::sleep(Duration::from_millis(50)).await;
        let mut notes = notes
            .0
            .lock()
            .map_err(|_| ToolError::new("broken", "the notes are lost"))?;
        Ok(match act {
            Act::List {} => notes.keys().cloned().collect::<Vec<_>>().join(", "),
            Act::Put { name, text } => {
                notes.insert(name, text);
                "written".to_owned()
            }
        })
    }

    fn describe(&self, act: &Act) -> String {
        match act {
            Act::List {} => "List the notes".to_owned(),
            Act::Put { name, .. } => format!("Write the note {name}"),
        }
    }

    fn effects(&self, act: &Act) -> Effects {
        match act {
            Act::List {} => Effects::READ_ONLY,
            Act::Put { .. } => Effects::WRITES.and_idempotent(),
        }
    }

    fn footprint(&self, act: &Act, _facts: &Facts) -> Footprint {
        match act {
            // A list sees all notes, so it conflicts with whoever writes one.
            Act::List {} => Footprint::nothing().reading(Scope::deep("notes")),
            Act::Put { name, .. } => {
                Footprint::nothing().writing(Scope::node(format!("notes/{name}")))
            }
        }
    }

    fn needs(&self) -> Needs {
        Needs::nothing().and::<Notes>()
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut toolbox = Toolbox::new();
    toolbox.add(Notebook)?;
    let session = Session::builder(toolbox, "/")
        .state(Notes::default())
        .policy(SimplePolicy::new().allow("notes"))
        .build()?;

    let call = |id: &str, input: &str| RawCall::new(id, "notes", input);
    let outcomes = session
        .run([
            call("a", r#"{"do":"put","name":"milk","text":"two litres"}"#),
            call("b", r#"{"do":"put","name":"eggs","text":"six"}"#),
            call("c", r#"{"do":"list"}"#),
            call("d", r#"{"do":"list"}"#),
        ])
        .await;
    // a and b run together, then c and d: the list sees both notes, as if one had run by one.
    for outcome in outcomes {
        let time = outcome.time.clone().unwrap_or_default();
        let id = outcome.id.as_deref().unwrap_or_default();
        println!(
            "{id}: {} (waited for {:?})",
            outcome.model_text(),
            time.waited_for
        );
    }
    Ok(())
}
