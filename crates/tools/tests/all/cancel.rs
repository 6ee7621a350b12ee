//! Calls cancelled at any moment: one outcome each, and no process left.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use toolpost_core::{RawCall, SimplePolicy, Status, Toolbox};
use toolpost_run::{Deadlines, Session};
use toolpost_tools::{add_commands, tool_file};

/// Shells that fork, leave their session, leave their parent, and heed no signal. Each process
/// that lives on has the folder's own name in its arguments.
const SCRIPTS: [&str; 5] = [
    "sleep 600.$0 & sleep 600.$0 & wait",
    "trap '' TERM; sleep 600.$0 & while :; do wait; done",
    "setsid sleep 600.$0 & wait",
    "(setsid sh -c 'trap \"\" TERM HUP; sleep 600.$0; sleep 600.$0' $0 &) ; sleep 600.$0",
    "(sh -c 'sleep 600.$0 & exit' $0 &) ; for i in 1 2 3; do sleep 600.$0 & done; wait",
];

/// The processes with this number in their arguments that are no zombies.
fn left(number: &str) -> Vec<String> {
    let folder = std::fs::read_dir("/proc").unwrap();
    let mut found = Vec::new();
    for entry in folder.flatten() {
        let arguments = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let text = String::from_utf8_lossy(&arguments).replace('\0', " ");
        if text.contains(&format!("600.{number}")) {
            found.push(text);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_runs_cancelled_at_random_leave_no_process() {
    let root = tempfile::tempdir().unwrap();
    let number = format!("{}", std::process::id());
    let tools: Vec<_> = SCRIPTS
        .iter()
        .enumerate()
        .map(|(n, script)| {
            json!({
                "name": format!("t{n}"), "description": "d", "reads": ["fs/x"],
                "command": ["sh", "-c", script, number],
                "input_schema": { "type": "object" },
            })
        })
        .collect();
    let text = json!({ "tools": tools }).to_string();
    let mut toolbox = Toolbox::new();
    let entries = tool_file::parse(&text, &root.path().join("tools.json")).unwrap();
    add_commands(&mut toolbox, entries).unwrap();
    let toolbox = Arc::new(toolbox);
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    for _ in 0..10 {
        let deadlines = Deadlines {
            grace: Duration::from_secs(5),
            ..Deadlines::default()
        };
        let session = Session::builder(Arc::clone(&toolbox), root.path())
            .policy(SimplePolicy::new().bypass())
            .deadlines(deadlines)
            .max_parallel(20)
            .build()
            .unwrap();
        let handles: Vec<_> = (0..20)
            .map(|n| {
                let call = RawCall::new(n.to_string(), format!("t{}", random(5)), "{}");
                (session.submit(call), random(80))
            })
            .collect();
        let mut waiting = Vec::new();
        for (handle, ms) in handles {
            waiting.push(tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(ms)).await;
                handle.cancel();
                handle.outcome().await
            }));
        }
        for outcome in waiting {
            let outcome = outcome.await.unwrap();
            assert_eq!(outcome.status, Status::Cancelled, "{outcome:?}");
        }
        assert_eq!(left(&number), Vec::<String>::new());
    }
}
