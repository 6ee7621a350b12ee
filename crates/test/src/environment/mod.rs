//! Whether what a tool does depends on the environment or on a global.
//!
//! The environment of a process cannot be changed safely while it runs, so the test runs again: as
//! children of itself, its own binary with its own name, each in another environment. In a child
//! the call is made twice in a row and written down; the parent compares. One child has the
//! environment as it is, one has others in the place of the usual variables, one has next to none,
//! and both of these stand in a folder of their own. Where outcomes differ, further children with
//! a half of the changes each tell which it was.
//!
//! What cannot be seen: a variable that is not set, is not among the usual ones and was not named.
//! [`crate::CLIPPY_TOML`] finds its reader in the source.

mod change;
mod child;
mod compare;

use std::fmt;
use std::path::Path;

use serde::Serialize;
use tempfile::TempDir;

use self::change::Change;
use self::child::{Answer, Child, Place};
use self::compare::difference;

/// Something besides its input that an outcome depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dependence {
    /// What kind it is.
    pub kind: DependenceKind,
    /// What it depends on, and what to do about it.
    pub message: String,
}

/// What an outcome can depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DependenceKind {
    /// The test did not get to an outcome in a child, so nothing was compared.
    NotRun,
    /// The second of two calls in a row has another outcome: a global, the clock or chance.
    Before,
    /// An environment variable of this name.
    Variable(String),
    /// The folder that the process stands in.
    WorkingFolder,
    /// The environment, and no single part of it that was tried alone.
    Environment,
}

impl fmt::Display for Dependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Everything besides its input that the outcome of a call depends on.
///
/// `call` is given an empty folder, which has the same path in every environment, and gives back
/// the outcome, or several, or anything else to compare. It is written as a closure **in the test
/// itself**, whose name is taken from it. Ids and times of outcomes are not compared, nor is what
/// only the operator reads. `variables` are names that the tool could read, beside the usual ones
/// (`HOME`, `TMPDIR`, `LANG`, `PATH`, …) and those that are set; of any other the reader is found
/// only in the source, by [`crate::CLIPPY_TOML`].
///
/// All of the test runs again in each child; there this function makes the calls and finds
/// nothing. So what a test does before it is done in each environment too, and files are named by
/// absolute paths. A tool that shows or sorts by the times of files needs files whose times are set.
pub async fn dependence_of<T, F>(variables: &[&str], call: F) -> Vec<Dependence>
where
    T: Serialize,
    F: AsyncFn(&Path) -> T,
{
    let test = child::test_of::<F>();
    if let Some(place) = Place::of_parent() {
        if place.is_for(&test) {
            let first = made(&call, &place).await;
            let second = made(&call, &place).await;
            place.write(&Answer { first, second });
        }
        return Vec::new();
    }
    match TempDir::with_prefix("toolpost-test-") {
        Ok(folder) => Parent::new(&test, folder.path()).find(variables),
        Err(error) => vec![not_run(format!(
            "no folder can be made to work in: {error}"
        ))],
    }
}

/// Fails when the outcome of a call depends on an environment variable, the working folder or a
/// global, and says on which.
///
/// ```
/// # fn main() {}
/// use serde_json::json;
/// use toolpost_core::Facts;
/// use toolpost_test::{assert_no_environment, outcome_of};
/// # use toolpost_core::{Context, Tool, ToolBuilder};
/// # fn greet() -> impl Tool {
/// #     #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #     struct Greet { name: String }
/// #     ToolBuilder::<Greet>::new("greet", "Greet somebody by name.")
/// #         .call(|greet, _cx: Context| async move { Ok(format!("Hello, {}!", greet.name)) })
/// # }
///
/// # const _: &str = stringify! {
/// #[tokio::test]
/// # };
/// async fn greet_reads_no_environment() {
///     let input = json!({ "name": "Ada" });
///     assert_no_environment(&["GREETING"], async |folder| {
///         outcome_of(greet(), input.clone(), Facts::new(folder)).await
///     })
///     .await;
/// }
/// ```
///
/// What is compared, and how, is told at [`dependence_of`].
///
/// # Panics
///
/// When [`dependence_of`] finds something; the message lists it.
#[allow(clippy::panic, reason = "an assertion")]
pub async fn assert_no_environment<T, F>(variables: &[&str], call: F)
where
    T: Serialize,
    F: AsyncFn(&Path) -> T,
{
    let found = dependence_of(variables, call).await;
    if !found.is_empty() {
        let listed: Vec<String> = found.iter().map(|one| format!("- {one}")).collect();
        panic!(
            "the outcome depends on more than its input:\n{}",
            listed.join("\n")
        );
    }
}

/// One call in a fresh folder.
async fn made<T: Serialize>(call: &impl AsyncFn(&Path) -> T, place: &Place) -> serde_json::Value {
    let folder = place.fresh_folder();
    let outcome = call(&folder).await;
    compare::compared(&outcome)
}

fn not_run(message: String) -> Dependence {
    Dependence {
        kind: DependenceKind::NotRun,
        message,
    }
}

/// The side that compares.
struct Parent<'a> {
    test: &'a str,
    place: &'a Path,
}

impl<'a> Parent<'a> {
    const fn new(test: &'a str, place: &'a Path) -> Self {
        Self { test, place }
    }

    fn run(&self, changes: &[Change]) -> Result<Answer, Dependence> {
        Child {
            test: self.test,
            place: self.place,
            changes,
        }
        .run()
        .map_err(not_run)
    }

    fn find(&self, variables: &[&str]) -> Vec<Dependence> {
        let as_it_is = match self.run(&[]) {
            Ok(answer) => answer,
            Err(not_run) => return vec![not_run],
        };
        let mut found = Vec::new();
        if let Some(difference) = difference(&as_it_is.first, &as_it_is.second) {
            found.push(Dependence {
                kind: DependenceKind::Before,
                message: format!(
                    "two calls in a row have different outcomes ({difference}): a global, the clock or chance; \
                     keep what must last in the state of the context"
                ),
            });
            // What changes by itself would be taken for a change by the environment.
            return found;
        }
        for mut changes in [
            Change::others(self.place, variables),
            Change::bare(self.place, &change::inherited()),
        ] {
            // What was found once need not be found again.
            changes.retain(|change| !found.iter().any(|known| known.kind == change.kind()));
            match self.run(&changes) {
                Err(not_run) => {
                    found.push(not_run);
                    break;
                }
                Ok(answer) => {
                    if let Some(difference) = difference(&as_it_is.first, &answer.first) {
                        found.extend(self.which(&as_it_is, &changes, &difference));
                    }
                }
            }
        }
        found
    }

    /// Which of the changes it was that made this difference.
    fn which(&self, as_it_is: &Answer, changes: &[Change], difference: &str) -> Vec<Dependence> {
        if let [change] = changes {
            return vec![change.dependence(difference)];
        }
        let (first, second) = changes.split_at(changes.len() / 2);
        let mut found = Vec::new();
        for half in [first, second] {
            let answer = self.run(half).ok();
            let differs =
                answer.and_then(|answer| compare::difference(&as_it_is.first, &answer.first));
            if let Some(difference) = differs {
                found.extend(self.which(as_it_is, half, &difference));
            }
        }
        if found.is_empty() {
            let message = format!(
                "the outcome depends on the environment ({difference}), on several parts of it at once; take what \
                 is needed from the state of the context"
            );
            found.push(Dependence {
                kind: DependenceKind::Environment,
                message,
            });
        }
        found
    }
}
