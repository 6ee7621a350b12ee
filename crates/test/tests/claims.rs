//! Each kind of claim that cannot be so, on a tool that makes it and on one that does not.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolpost_core::{
    Context, DynamicTool, Effects, Facts, Footprint, Scope, Subject, Tool, ToolBuilder,
};
use toolpost_test::{ClaimFault, ClaimFaultKind as Kind, assert_honest_claims, claims_of};

#[derive(Deserialize, JsonSchema)]
struct Note {
    /// The file of the notes.
    file: PathBuf,
    /// What to add.
    add: Option<String>,
}

fn note() -> ToolBuilder<Note> {
    ToolBuilder::new("note", "Show the notes, or add one.")
}

fn finish(builder: ToolBuilder<Note>) -> impl Tool<Input = Note> {
    builder.call(|_, _cx: Context| async { Ok(String::new()) })
}

fn found(builder: ToolBuilder<Note>) -> Vec<ClaimFault> {
    claims_of(&finish(builder), [])
}

fn kinds(builder: ToolBuilder<Note>) -> Vec<Kind> {
    found(builder).iter().map(|fault| fault.kind).collect()
}

fn reading(note: &Note, facts: &Facts) -> Footprint {
    Footprint::nothing().reading(Scope::file(&facts.resolve(&note.file)))
}

fn writing(note: &Note, facts: &Facts) -> Footprint {
    Footprint::nothing().writing(Scope::file(&facts.resolve(&note.file)))
}

fn honest_effects(note: &Note) -> Effects {
    match note.add {
        Some(_) => Effects::WRITES,
        None => Effects::READ_ONLY,
    }
}

fn honest_footprint(note: &Note, facts: &Facts) -> Footprint {
    match note.add {
        Some(_) => writing(note, facts),
        None => reading(note, facts),
    }
}

#[test]
fn a_tool_that_says_nothing_says_nothing_wrong() {
    assert_eq!(found(note()), []);
    assert_eq!(found(note().read_only()), []);
    assert_eq!(found(note().effects(honest_effects)), []);
}

#[test]
fn claims_that_follow_the_input_are_honest() {
    let builder = note()
        .effects(honest_effects)
        .footprint(honest_footprint)
        .subjects(|note, _| match note.add {
            Some(_) => vec![Subject::writes(&note.file)],
            None => vec![Subject::reads(&note.file)],
        });
    assert_eq!(found(builder), []);
    let two_valued = note()
        .effects(honest_effects)
        .is_concurrency_safe(|note| note.add.is_none());
    assert_eq!(found(two_valued), []);
    assert_eq!(found(note().read_only().is_concurrency_safe(|_| true)), []);
}

#[test]
fn a_constant_read_only_of_a_tool_that_sometimes_writes() {
    let faults = found(note().read_only().footprint(honest_footprint));
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].kind, Kind::ConstantReadOnly);
    assert_eq!(
        faults[0].message,
        "`effects` says read_only for every input, while `footprint` writes for some; let `effects` look at the \
         input as well"
    );
    assert!(faults[0].example.as_ref().expect("shown")["add"].is_string());
    let by_subjects = note().read_only().subjects(|note, _| match note.add {
        Some(_) => vec![Subject::writes(&note.file)],
        None => vec![],
    });
    assert_eq!(kinds(by_subjects), [Kind::ConstantReadOnly]);
}

#[test]
fn a_constant_claim_on_company_of_a_tool_whose_effects_depend() {
    let only_reads = note().effects(honest_effects).footprint(reading);
    let faults = found(only_reads);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].kind, Kind::ConstantConcurrency);
    assert_eq!(
        faults[0].message,
        "`footprint` claims only reads for every input, while `effects` says read_only for some and not for \
         others; let it depend on the input in the same way"
    );
    let always_writes = note().effects(honest_effects).footprint(writing);
    assert_eq!(kinds(always_writes), [Kind::ConstantConcurrency]);
    let always_safe = note().effects(honest_effects).is_concurrency_safe(|_| true);
    assert_eq!(kinds(always_safe), [Kind::ConstantConcurrency]);
    let safe_beside_a_footprint = note()
        .effects(honest_effects)
        .footprint(honest_footprint)
        .is_concurrency_safe(|_| true);
    assert_eq!(kinds(safe_beside_a_footprint), [Kind::ConstantConcurrency]);
}

#[test]
fn effects_that_contradict_themselves() {
    let both = Effects {
        destructive: true,
        ..Effects::READ_ONLY
    };
    let faults = found(note().effects(move |_| both));
    assert_eq!(faults[0].kind, Kind::Contradiction);
    assert_eq!(
        faults[0].message,
        "`effects` says both read_only and destructive; leave one of the two out"
    );
    assert_eq!(
        kinds(note().effects(|_| Effects::WRITES.and_destroys())),
        []
    );
}

#[test]
fn read_only_with_a_write() {
    let faults = found(note().read_only().footprint(writing));
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].kind, Kind::ReadOnlyWrites);
    assert!(
        faults[0].message.starts_with(
            "`effects` says read_only, while `footprint` writes `fs/no/such/folder/text`; "
        ),
        "{}",
        faults[0].message
    );
    let named = note()
        .read_only()
        .footprint(reading)
        .subjects(|note, _| vec![Subject::writes(&note.file)]);
    assert_eq!(kinds(named), [Kind::ReadOnlyWrites]);
}

#[test]
fn a_writer_that_claims_no_write() {
    assert_eq!(kinds(note().footprint(reading)), [Kind::WritesNothing]);
    assert_eq!(
        kinds(note().is_concurrency_safe(|_| true)),
        [Kind::WritesNothing]
    );
    assert_eq!(
        kinds(note().footprint(|_, _| Footprint::nothing())),
        [Kind::WritesNothing]
    );
    assert_eq!(kinds(note().footprint(writing)), []);
}

#[test]
fn safe_beside_others_with_a_footprint_that_is_not() {
    let alone = note()
        .read_only()
        .footprint(|_, _| Footprint::Everything)
        .is_concurrency_safe(|_| true);
    let faults = found(alone);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].kind, Kind::SafeYetWrites);
    assert!(faults[0].message.contains("claims everything"));
    let writes = note().footprint(writing).is_concurrency_safe(|_| true);
    assert_eq!(kinds(writes), [Kind::SafeYetWrites]);
    let reads = note()
        .read_only()
        .footprint(reading)
        .is_concurrency_safe(|_| true);
    assert_eq!(kinds(reads), []);
}

#[test]
fn a_path_for_the_rules_that_is_not_claimed() {
    let elsewhere = note()
        .read_only()
        .footprint(reading)
        .subjects(|_, _| vec![Subject::reads("/etc/passwd")]);
    let faults = found(elsewhere);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].kind, Kind::UnclaimedPath);
    assert_eq!(
        faults[0].message,
        "`subjects` names `/etc/passwd` as read, while `footprint` has no such claim; add \
         `.reading(Scope::file(…))` of it"
    );
    let reads_what_it_writes = note()
        .effects(|_| Effects::WRITES)
        .footprint(|note, facts| reading(note, facts).writing(Scope::node("other")))
        .subjects(|note, _| vec![Subject::writes(&note.file)]);
    assert_eq!(kinds(reads_what_it_writes), [Kind::UnclaimedPath]);
    let folder_claimed = note()
        .read_only()
        .footprint(|_, facts| Footprint::nothing().reading(Scope::tree(facts.root())))
        .subjects(|_, _| vec![Subject::reads("src/main.rs")]);
    assert_eq!(kinds(folder_claimed), []);
}

#[test]
fn a_host_of_a_tool_that_stays_here() {
    let named = note()
        .read_only()
        .subjects(|_, _| vec![Subject::Host("example.org".to_owned())]);
    let faults = found(named);
    assert_eq!(faults[0].kind, Kind::NotOpenWorld);
    assert_eq!(
        faults[0].message,
        "`subjects` names the host `example.org`, while `effects` does not say open_world; add `.reaching_out()`"
    );
    let net = |_: &Note, _: &Facts| Footprint::nothing().reading(Scope::node("net/example.org"));
    assert_eq!(
        kinds(note().read_only().footprint(net)),
        [Kind::NotOpenWorld]
    );
    let open = note()
        .effects(|_| Effects::READ_ONLY.reaching_out())
        .footprint(net);
    assert_eq!(kinds(open), []);
}

#[test]
fn answers_that_change() {
    let turn = Arc::new(AtomicBool::new(false));
    let turns = note().describe(move |_| turn.fetch_xor(true, Ordering::Relaxed).to_string());
    let faults = found(turns);
    assert_eq!(faults[0].kind, Kind::Unstable);
    assert!(faults[0].message.starts_with("`describe` differs"));
}

#[test]
fn answers_that_panic() {
    let first = note().describe(|note| {
        let add = note.add.as_deref().unwrap_or("x");
        add.chars().next().expect("some text").to_string()
    });
    let faults = found(first);
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert_eq!(faults[0].kind, Kind::Panics);
    assert_eq!(faults[0].example.as_ref().expect("shown")["add"], "");
}

#[test]
fn examples_are_asked_about_too() {
    fn shell(input: &Value) -> bool {
        input["command"]
            .as_str()
            .is_some_and(|text| text.starts_with("ls"))
    }
    let schema = json!({
        "type": "object",
        "properties": { "command": { "type": "string" } },
        "required": ["command"],
        "additionalProperties": false,
    });
    let tool = DynamicTool::define("shell", "Run a command.", schema)
        .effects(|input| {
            if shell(input) {
                Effects::READ_ONLY
            } else {
                Effects::UNKNOWN
            }
        })
        .is_concurrency_safe(|_| true)
        .call(|_, _cx: Context| async { Ok(json!(null)) });
    let kind = |examples: Vec<Value>| claims_of(&tool, examples)[0].kind;
    assert_eq!(kind(vec![]), Kind::WritesNothing);
    assert_eq!(
        kind(vec![json!({ "command": "ls -l" })]),
        Kind::ConstantConcurrency
    );
    assert_eq!(kind(vec![json!({ "comand": "ls" })]), Kind::BadExample);
}

#[test]
fn a_schema_that_takes_nothing_needs_an_example() {
    let schema = json!({
        "type": "object",
        "properties": { "code": { "type": "string", "pattern": "^[a-z]{3}\\d{9}$" } },
        "required": ["code"],
    });
    let tool = DynamicTool::define("find", "Find by code.", schema)
        .read_only()
        .call(|_, _cx: Context| async { Ok(json!(null)) });
    assert_eq!(claims_of(&tool, [])[0].kind, Kind::NoInput);
    assert_honest_claims(&tool, [json!({ "code": "abc123456789" })]);
}

#[test]
fn the_last_of_many_fields_is_varied() {
    #[derive(Deserialize, JsonSchema)]
    #[allow(dead_code, reason = "the type is there to be read into")]
    struct Many {
        first: u64,
        second: u64,
        third: i64,
        fourth: i64,
        fifth: f64,
        sixth: String,
        #[serde(default)]
        write: bool,
    }
    let tool = ToolBuilder::<Many>::new("many", "Do one of many things.")
        .read_only()
        .footprint(|many, _| {
            if many.write {
                Footprint::nothing().writing(Scope::node("thing"))
            } else {
                Footprint::nothing()
            }
        })
        .call(|_, _cx: Context| async { Ok(String::new()) });
    assert_eq!(claims_of(&tool, [])[0].kind, Kind::ConstantReadOnly);
}

#[test]
#[should_panic(
    expected = "`note` says of itself what cannot be so:\n- `effects` says read_only, while"
)]
fn the_assertion_lists_what_was_found() {
    assert_honest_claims(&finish(note().read_only().footprint(writing)), []);
}
