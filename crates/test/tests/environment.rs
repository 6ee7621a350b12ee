//! A tool that reads the environment or a global is found; one that does not passes.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolpost_core::{Context, Facts, Outcome, Status, Tool, ToolBuilder, ToolError};
use toolpost_test::{
    Dependence, DependenceKind as Kind, assert_no_environment, dependence_of, outcome_of,
};

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet.
    name: String,
}

/// A tool that says what a function gives for its input.
fn tool(
    say: impl Fn(&Greet, &Context) -> Result<String, ToolError> + Send + Sync + 'static,
) -> impl Tool {
    ToolBuilder::<Greet>::new("greet", "Greet somebody by name.").call(
        move |greet: Greet, cx: Context| {
            let said = say(&greet, &cx);
            async move { said }
        },
    )
}

async fn greeted(tool: impl Tool, folder: &Path) -> Outcome {
    outcome_of(tool, json!({ "name": "Ada" }), Facts::new(folder)).await
}

fn variable(name: &'static str) -> impl Tool {
    tool(move |greet, _| {
        let value = std::env::var(name).unwrap_or_else(|_| "Hello".to_owned());
        Ok(format!("{value}, {}!", greet.name))
    })
}

fn kinds(found: &[Dependence]) -> Vec<Kind> {
    found.iter().map(|one| one.kind.clone()).collect()
}

/// Whether this process is a child, where nothing is found.
fn is_child() -> bool {
    std::env::var_os("TOOLPOST_TEST_CALL").is_some()
}

#[tokio::test]
async fn a_tool_that_reads_its_input_alone_passes() {
    assert_no_environment(&["GREETING"], async |folder| {
        greeted(
            tool(|greet, _| Ok(format!("Hello, {}!", greet.name))),
            folder,
        )
        .await
    })
    .await;
}

#[tokio::test]
async fn a_tool_that_reads_a_usual_variable_is_found() {
    let found = dependence_of(&[], async |folder| {
        greeted(variable("EDITOR"), folder).await
    })
    .await;
    if is_child() {
        return;
    }
    assert_eq!(kinds(&found), [Kind::Variable("EDITOR".to_owned())]);
    assert!(
        found[0]
            .message
            .ends_with("`\"other-editor, Ada!\"`); take it from the state of the context"),
        "{}",
        found[0]
    );
}

#[tokio::test]
async fn a_tool_that_reads_a_variable_that_is_set_is_found() {
    let found = dependence_of(&[], async |folder| greeted(variable("HOME"), folder).await).await;
    if !is_child() {
        assert_eq!(kinds(&found), [Kind::Variable("HOME".to_owned())]);
    }
}

#[tokio::test]
async fn a_tool_that_reads_a_variable_that_nobody_knows_is_found_by_name() {
    let unnamed = dependence_of(&[], async |folder| {
        greeted(variable("GREETING_OF_THE_DAY"), folder).await
    });
    assert_eq!(unnamed.await, [], "what nobody names is for clippy to find");
    let found = dependence_of(&["GREETING_OF_THE_DAY"], async |folder| {
        greeted(variable("GREETING_OF_THE_DAY"), folder).await
    })
    .await;
    if !is_child() {
        assert_eq!(
            kinds(&found),
            [Kind::Variable("GREETING_OF_THE_DAY".to_owned())]
        );
        assert_eq!(
            found[0].message,
            "the outcome depends on the environment variable `GREETING_OF_THE_DAY` (`/content/0/text` is \
             `\"Hello, Ada!\"` and `\"7, Ada!\"`); take it from the state of the context"
        );
    }
}

#[tokio::test]
async fn a_tool_that_reads_every_variable_is_found() {
    let found = dependence_of(&[], async |folder| {
        let all = tool(|_, _| Ok(std::env::vars_os().count().to_string()));
        greeted(all, folder).await
    })
    .await;
    if !is_child() {
        assert!(
            kinds(&found).contains(&Kind::Variable("TOOLPOST_TEST_OTHER".to_owned())),
            "{found:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_reads_the_working_folder_is_found() {
    let found = dependence_of(&[], async |folder| {
        let listing = tool(|_, _| Ok(Path::new("Cargo.toml").exists().to_string()));
        greeted(listing, folder).await
    })
    .await;
    if !is_child() {
        assert_eq!(kinds(&found), [Kind::WorkingFolder]);
    }
}

#[tokio::test]
async fn a_tool_that_needs_two_variables_at_once_is_found() {
    let found = dependence_of(&["ONE_OF_TWO", "TWO_OF_TWO"], async |folder| {
        let both = tool(|_, _| {
            let are_set = ["ONE_OF_TWO", "TWO_OF_TWO"].map(|name| std::env::var(name).is_ok());
            Ok((are_set == [true, true]).to_string())
        });
        greeted(both, folder).await
    })
    .await;
    if !is_child() {
        assert_eq!(kinds(&found), [Kind::Environment]);
    }
}

#[tokio::test]
async fn a_tool_that_keeps_a_global_is_found() {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let found = dependence_of(&[], async |folder| {
        let counting = tool(|greet, _| {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            Ok(format!("{} is number {count}", greet.name))
        });
        greeted(counting, folder).await
    })
    .await;
    if !is_child() {
        assert_eq!(kinds(&found), [Kind::Before]);
        assert_eq!(
            found[0].message,
            "two calls in a row have different outcomes (`/content/0/text` is `\"Ada is number 0\"` and `\"Ada \
             is number 1\"`): a global, the clock or chance; keep what must last in the state of the context"
        );
    }
}

#[tokio::test]
async fn files_in_the_folder_are_the_same_each_time() {
    assert_no_environment(&[], async |folder| {
        let file = folder.join("notes");
        assert!(!file.exists(), "the folder is empty each time");
        std::fs::write(&file, "one").expect("written");
        let path = file.display().to_string();
        let read = tool(move |_, cx| {
            let text = std::fs::read_to_string(cx.root().join("notes"))?;
            Ok(format!("{path}: {text}"))
        });
        let outcome = greeted(read, folder).await;
        assert_eq!(outcome.status, Status::Done);
        outcome
    })
    .await;
}

#[tokio::test]
async fn several_calls_of_one_closure_are_each_looked_at() {
    let mut found = Vec::new();
    for name in ["NOBODY_SETS_THIS", "VISUAL"] {
        found.push(dependence_of(&[], async |folder| greeted(variable(name), folder).await).await);
    }
    if !is_child() {
        assert_eq!(kinds(&found[0]), []);
        assert_eq!(kinds(&found[1]), [Kind::Variable("VISUAL".to_owned())]);
    }
}

async fn elsewhere() -> Vec<Dependence> {
    dependence_of(&[], async |folder| greeted(variable("HOME"), folder).await).await
}

#[tokio::test]
async fn a_closure_outside_of_a_test_is_told() {
    let found = elsewhere().await;
    assert_eq!(kinds(&found), [Kind::NotRun]);
    assert!(
        found[0]
            .message
            .ends_with("write the closure in the test function itself"),
        "{}",
        found[0]
    );
}

#[tokio::test]
async fn a_test_that_breaks_in_another_environment_is_told() {
    let manifest = std::fs::read_to_string("Cargo.toml").expect("beside the test");
    let found = dependence_of(&[], async |folder| {
        let length = manifest.len().to_string();
        greeted(tool(move |_, _| Ok(length.clone())), folder).await
    })
    .await;
    if !is_child() {
        assert_eq!(kinds(&found), [Kind::NotRun]);
        assert!(found[0].message.contains("absolute paths"), "{}", found[0]);
        assert!(found[0].message.contains("beside the test"), "{}", found[0]);
    }
}

#[tokio::test]
#[should_panic(
    expected = "the outcome depends on more than its input:\n- the outcome depends on the"
)]
async fn the_assertion_lists_what_was_found() {
    assert_no_environment(&[], async |folder| greeted(variable("PAGER"), folder).await).await;
    assert!(!is_child(), "nothing is found in a child");
}
