//! What is kept of calls, and what becomes of what a crash leaves open.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::{Value, json};
use toolpost_core::{SimplePolicy, Status};
use toolpost_run::journal::{Filter, Journal, JournalError, Mask, Retention, SessionName};

use crate::support::{Place, Workshop, act, begin, recording, run};

fn statuses(place: &Place) -> Vec<String> {
    place
        .calls()
        .into_iter()
        .map(|call| format!("{} {}", call.call, call.status))
        .collect()
}

#[tokio::test]
async fn every_call_is_kept_with_what_was_decided_and_how_it_ended() {
    let (place, shop) = (Place::new(), Workshop::new());
    let (recorder, builder) = begin(&place, recording(&shop));
    let session = builder
        .policy(SimplePolicy::new().bypass())
        .build()
        .unwrap();
    session
        .run([
            act("c1", json!({ "act": "a", "kind": "reads" })),
            act("c2", json!({ "act": "b" })),
            act("c2", json!({ "act": "b" })),
            act("c3", json!({ "akt": "b" })),
            toolpost_core::RawCall::new("c4", "nest", r#"{"act":"n"}"#),
        ])
        .await;
    recorder.close();
    assert_eq!(recorder.trouble(), None);
    assert_eq!(
        statuses(&place),
        [
            "c1 done",
            "c2 done",
            "c2 invalid",
            "c3 invalid",
            "c4 done",
            "part done"
        ]
    );
    let calls = place.calls();
    let decision: Value = serde_json::from_str(calls[1].decision.as_ref().unwrap()).unwrap();
    assert_eq!(
        (&decision["effect"], &decision["by"]),
        (&json!("allow"), &json!("mode"))
    );
    assert_eq!(calls[1].input, r#"{"act":"b"}"#);
    assert_eq!(
        calls[1].effects.as_ref().unwrap().matches("true").count(),
        0
    );
    assert!(calls[1].started.unwrap() <= calls[1].ended.unwrap());
    assert_ne!(calls[0].input_digest, calls[1].input_digest);
    assert_eq!(calls[0].definition_digest, calls[1].definition_digest);
    assert_ne!(calls[0].definition_digest, calls[4].definition_digest);
    assert_eq!(calls[5].parent.as_deref(), Some("c4"));
    assert_eq!(calls[3].error.as_ref().unwrap().0, "invalid_input");
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(place.file()), 0o600);
    assert_eq!(mode(place.file().parent().unwrap().to_path_buf()), 0o700);
}

#[tokio::test]
async fn a_filter_lets_through_what_it_says() {
    let (place, shop) = (Place::new(), Workshop::new());
    for name in [None, Some("one")] {
        let mut recording = recording(&shop);
        recording.name = name.map(str::to_owned);
        let calls = [
            act("r", json!({ "act": "a", "kind": "reads" })),
            act("w", json!({ "act": "a" })),
        ];
        run(&place, recording, calls).await;
    }
    let journal = place.open();
    let ids = |filter: Filter| -> Vec<i64> {
        let calls = journal.calls(&filter).unwrap();
        calls.iter().map(|call| call.id).collect()
    };
    assert_eq!(ids(Filter::default()), [1, 2, 3, 4]);
    let session = |session| Filter {
        session: Some(session),
        ..Filter::default()
    };
    assert_eq!(ids(session(SessionName::Named("one".into()))), [3, 4]);
    assert_eq!(ids(session(SessionName::Number(1))), [1, 2]);
    let status = Some("pending".to_owned());
    assert_eq!(
        ids(Filter {
            status,
            ..Filter::default()
        }),
        [2, 4]
    );
    assert_eq!(
        ids(Filter {
            limit: Some(1),
            ..Filter::default()
        }),
        [4]
    );
    let tool = Some("other".to_owned());
    assert_eq!(
        ids(Filter {
            tool,
            ..Filter::default()
        }),
        [] as [i64; 0]
    );
    let since = std::time::SystemTime::now().checked_add(Duration::from_secs(9));
    assert_eq!(
        ids(Filter {
            since,
            ..Filter::default()
        }),
        [] as [i64; 0]
    );
    let root = Some("/proj".to_owned());
    assert_eq!(
        ids(Filter {
            root,
            after: Some(1),
            ..Filter::default()
        }),
        [2, 3, 4]
    );
}

#[tokio::test]
async fn a_start_is_there_before_the_effect_and_a_crash_leaves_what_is_true() {
    let (place, shop) = (Place::new(), Workshop::new());
    let (_recorder, builder) = begin(&place, recording(&shop));
    let session = builder
        .policy(SimplePolicy::new().bypass())
        .build()
        .unwrap();
    let mut handles = Vec::new();
    for (id, kind) in [("once", "once"), ("again", "repeatable")] {
        let input = json!({ "act": id, "kind": kind, "waits": true });
        handles.push(session.submit(act(id, input)));
        shop.at_gate.notified().await;
    }
    // It waits for the first, so it has not begun.
    handles.push(session.submit(act("behind", json!({ "act": "once" }))));
    assert_eq!(statuses(&place)[..2], ["once started", "again started"]);

    let crashed = place.after_a_crash();
    let journal = crashed.open();
    assert_eq!(statuses(&crashed)[..2], ["once unknown", "again cancelled"]);
    let mut told = Vec::new();
    journal.tell_unknown(|calls| told.push(calls)).unwrap();
    journal.tell_unknown(|calls| told.push(calls)).unwrap();
    assert_eq!(told, [1]);

    // The session that lives is not touched by anybody who opens its journal.
    assert_eq!(statuses(&place)[..2], ["once started", "again started"]);
    shop.gate.add_permits(2);
    for handle in handles {
        assert_eq!(handle.outcome().await.status, Status::Done);
    }
    drop(session);
    drop(_recorder);
    assert_eq!(statuses(&place), ["once done", "again done", "behind done"]);
    assert_eq!(shop.done().len(), 3);
}

#[tokio::test]
async fn a_call_that_is_dropped_on_its_way_is_closed() {
    let (place, shop) = (Place::new(), Workshop::new());
    let (recorder, builder) = begin(&place, recording(&shop));
    let session = builder
        .policy(SimplePolicy::new().bypass())
        .build()
        .unwrap();
    let call = act("c1", json!({ "act": "a", "waits": true }));
    tokio::select! {
        _ = session.call(call) => panic!("it waits at the gate"),
        () = shop.at_gate.notified() => {}
    }
    recorder.close();
    assert_eq!(statuses(&place), ["c1 unknown"]);
}

#[tokio::test]
async fn what_cannot_be_kept_does_not_run_unless_it_only_reads() {
    let (place, shop) = (Place::new(), Workshop::new());
    let (recorder, builder) = begin(&place, recording(&shop));
    let session = builder
        .policy(SimplePolicy::new().bypass())
        .build()
        .unwrap();
    let database = rusqlite::Connection::open(place.file()).unwrap();
    database.execute_batch("DROP TABLE calls").unwrap();
    let outcomes = session
        .run([
            act("c1", json!({ "act": "reads", "kind": "reads" })),
            act("c2", json!({ "act": "again", "kind": "repeatable" })),
            act("c3", json!({ "act": "once" })),
        ])
        .await;
    let codes: Vec<_> = outcomes
        .iter()
        .map(|outcome| {
            outcome
                .error
                .as_ref()
                .and_then(|error| error.code.as_deref())
        })
        .collect();
    assert_eq!(codes, [None, Some("not_recorded"), Some("not_recorded")]);
    assert_eq!(outcomes[2].status, Status::Failed);
    let error = outcomes[2].error.as_ref().unwrap();
    assert_eq!(error.started, Some(false));
    assert!(error.operator_text.as_ref().unwrap().contains("calls"));
    assert_eq!(shop.done(), ["reads"]);
    assert!(recorder.trouble().is_some());
}

#[test]
fn what_is_no_journal_or_a_newer_one_is_left_alone() {
    let place = Place::new();
    let error = |place: &Place| Journal::open(place.file()).unwrap_err();
    drop(place.open());
    let database = rusqlite::Connection::open(place.file()).unwrap();
    database.pragma_update(None, "user_version", 9).unwrap();
    assert_eq!(
        error(&place).to_string(),
        "the journal has version 9 and this toolpost knows 2; use a newer toolpost, or another file \
         with `--journal FILE`"
    );
    database.pragma_update(None, "application_id", 7).unwrap();
    drop(database);
    assert!(matches!(error(&place), JournalError::NoJournal));
    std::fs::write(
        place.file(),
        "a text that somebody wants to keep, and longer than a head of 100 bytes, \
        which is what makes a database of a file",
    )
    .unwrap();
    assert!(matches!(error(&place), JournalError::NoJournal));
    assert!(
        std::fs::read_to_string(place.file())
            .unwrap()
            .starts_with("a text")
    );
}

#[test]
fn many_may_open_a_journal_that_is_not_there_yet() {
    let place = Place::new();
    let file = place.file();
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let file = file.clone();
            std::thread::spawn(move || Journal::open(file).map(drop))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap().unwrap();
    }
}

#[tokio::test]
async fn what_is_masked_is_nowhere_in_the_file() {
    let (place, shop) = (Place::new(), Workshop::new());
    let mut recording = recording(&shop);
    recording.mask = Mask::new(["hunter[0-9]"]).unwrap();
    let calls = [
        act("c1", json!({ "act": "hunter2 reads", "kind": "reads" })),
        act("c2", json!({ "act": "say hunter2" })),
        act("c3", json!({ "hunter2": "x" })),
        act("hunter2", json!({ "act": "a" })),
        toolpost_core::RawCall::new("c5", "hunter2", "{}"),
    ];
    run(&place, recording, calls).await;
    let journal = place.open();
    let calls = journal.calls(&Filter::default()).unwrap();
    assert_eq!(calls[1].input, r#"{"act":"say [masked]"}"#);
    assert!(calls[1].is_masked);
    assert_eq!(calls[2].input, r#"{"[masked]":"[masked]"}"#);
    let questions = journal.questions().unwrap();
    assert_eq!(questions[0].input, r#"{"act":"say [masked]"}"#);
    assert_eq!(calls[3].call, "[masked]");
    assert_eq!(calls[4].tool, "[masked]");
    // Words that were made from a masked input may hold what the mask does not know any more.
    assert_eq!(questions[0].description, "[masked]");
    let reason =
        |decision: &str| serde_json::from_str::<Value>(decision).unwrap()["reason"].clone();
    assert_eq!(reason(&questions[0].decision), "[masked]");
    assert_eq!(reason(calls[1].decision.as_ref().unwrap()), "[masked]");
    assert_eq!(calls[1].error.as_ref().unwrap().1, "[masked]");
    assert_ne!(reason(calls[3].decision.as_ref().unwrap()), "[masked]");
    drop(journal);
    let bytes = std::fs::read(place.file()).unwrap();
    assert!(!bytes.windows(7).any(|window| window == b"hunter2"));
}

#[tokio::test]
async fn a_mask_of_everything_keeps_the_record() {
    let (place, shop) = (Place::new(), Workshop::new());
    let mut recording = recording(&shop);
    recording.mask = Mask::new([".*"]).unwrap();
    run(&place, recording, [act("c1", json!({ "act": "a" }))]).await;
    let calls = place.open().calls(&Filter::default()).unwrap();
    assert_eq!(calls.len(), 1);
    assert!(calls[0].ended.is_some() && calls[0].input == "[masked]");
}

#[tokio::test]
async fn a_journal_of_the_first_version_is_taken_over() {
    let (place, shop) = (Place::new(), Workshop::new());
    run(&place, recording(&shop), [act("c1", json!({ "act": "a" }))]).await;
    let database = rusqlite::Connection::open(place.file()).unwrap();
    database
        .execute_batch(
            "ALTER TABLE calls DROP COLUMN folder;
             ALTER TABLE sessions DROP COLUMN space; PRAGMA user_version = 1",
        )
        .unwrap();
    drop(database);
    run(&place, recording(&shop), [act("c2", json!({ "act": "a" }))]).await;
    let calls = place.open().calls(&Filter::default()).unwrap();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0].folder, None);
}

#[tokio::test]
async fn what_is_old_or_too_much_goes_and_what_is_open_stays() {
    let (place, shop) = (Place::new(), Workshop::new());
    let (_recorder, builder) = begin(&place, recording(&shop));
    let session = builder.build().unwrap();
    let pending = session.call(act("asked", json!({ "act": "a" }))).await;
    assert_eq!(pending.status, Status::Pending);
    let open = act(
        "open",
        json!({ "act": "o", "kind": "reads", "waits": true }),
    );
    let open = session.submit(open);
    shop.at_gate.notified().await;
    let text = "x".repeat(10_000);
    let calls = (0..60).map(|n| act(&format!("c{n}"), json!({ "act": text, "kind": "reads" })));
    session.run(calls).await;
    // Something that must be committed takes all that lies there with it.
    session
        .call(act("asked again", json!({ "act": "a" })))
        .await;
    let journal = place.open();
    let most = Retention {
        max_age: None,
        max_bytes: Some(300_000),
    };
    journal.retain(most).unwrap();
    let left = place.calls();
    assert!((10..40).contains(&left.len()), "{} are left", left.len());
    let size = std::fs::metadata(place.file()).unwrap().len();
    assert!(size <= 340_000, "the file shrinks too: {size}");
    assert!(left.iter().any(|call| call.call == "c59"));
    let age = Retention {
        max_age: Some(Duration::ZERO),
        max_bytes: None,
    };
    journal.retain(age).unwrap();
    let left: Vec<_> = place.calls().into_iter().map(|call| call.call).collect();
    // The end of what only waits for an answer may not be written yet.
    let left: Vec<_> = left
        .into_iter()
        .filter(|call| call != "asked again")
        .collect();
    assert_eq!(left, ["open"]);
    assert_eq!(journal.questions().unwrap().len(), 1);
    shop.gate.add_permits(1);
    assert_eq!(open.outcome().await.status, Status::Done);
}
