//! What a call really opens, held against what it claims.
//!
//! The order of calls believes the footprint. A file that is opened and not claimed may be changed
//! by another call at the same time, and nothing fails until then. So the call is run, and the
//! system tells what was opened below the root of the facts while it ran, by the tool and by every
//! process that it started.
//!
//! A folder that is made on the way to a claimed file needs no claim of its own, and a temporary
//! file beside one neither: who lists a folder claims all below it.
//!
//! What cannot be seen: what lies outside of the root, looks at a file's times and size alone, and
//! resources that are no files. The system tells this on Linux; elsewhere nothing is found.

mod watch;

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use toolpost_core::{Access, Facts, Footprint, Outcome, Progress, Scope, Status, Tool};

use self::watch::{Seen, Watch};
use crate::call::{Prepared, prepare};

/// Something that a call opened and did not claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unclaimed {
    /// The file or folder.
    pub path: PathBuf,
    /// Whether it was looked at or changed.
    pub access: Access,
}

impl fmt::Display for Unclaimed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (did, claim) = match self.access {
            Access::Read => ("read", "reading"),
            Access::Write => ("changed", "writing"),
        };
        let path = self.path.display();
        write!(
            f,
            "`{path}` was {did} and is not claimed; add `.{claim}(Scope::file(…))`, or a tree that it lies in"
        )
    }
}

/// Runs one call as [`outcome_of`](crate::outcome_of) does, and gives its outcome with all that it
/// opened below the root and did not claim.
///
/// Nothing else may use the root meanwhile; give each call a folder of its own.
///
/// # Panics
///
/// Where `outcome_of` does, and when the root cannot be watched.
#[allow(clippy::panic, reason = "a test stops when it is wrong")]
pub async fn opened_beyond_claims<P: Progress, T: Tool<P>>(
    tool: T,
    input: Value,
    facts: Facts,
) -> (Outcome, Vec<Unclaimed>) {
    let Prepared { call, footprint } = match prepare(tool, &input, &facts) {
        Ok(prepared) => prepared,
        Err(outcome) => return (*outcome, Vec::new()),
    };
    let root = facts.resolve(facts.root());
    let watch = Watch::begin(&root)
        .unwrap_or_else(|error| panic!("`{}` cannot be watched: {error}", root.display()));
    let outcome = call.run(toolpost_core::Surroundings::new(facts)).await;
    let seen = watch
        .end()
        .unwrap_or_else(|error| panic!("`{}` could not be watched: {error}", root.display()));
    let unclaimed = seen
        .into_iter()
        .filter(|seen| !is_claimed(seen, &footprint))
        .map(|Seen { path, access, .. }| Unclaimed { path, access });
    (outcome, unclaimed.collect())
}

/// Fails when a call opens what it does not claim, and says what; also when the call does not get
/// to run, since then nothing is seen.
///
/// ```
/// # fn main() {}
/// use serde_json::json;
/// use toolpost_core::Facts;
/// use toolpost_test::assert_opens_what_it_claims;
/// # use toolpost_core::{Context, Footprint, Scope, Tool, ToolBuilder};
/// # #[derive(serde::Deserialize, schemars::JsonSchema)]
/// # struct Count { file: String }
/// # fn count() -> impl Tool {
/// #     ToolBuilder::<Count>::new("count", "Count the lines of a file.")
/// #         .footprint(|input, facts| {
/// #             Footprint::nothing().reading(Scope::file(&facts.resolve(input.file.as_ref())))
/// #         })
/// #         .call(|input, cx: Context| async move {
/// #             Ok(std::fs::read_to_string(cx.root().join(input.file))?.lines().count())
/// #         })
/// # }
///
/// # const _: &str = stringify! {
/// #[tokio::test]
/// # };
/// async fn count_opens_its_file_and_no_other() {
///     let folder = tempfile::tempdir().unwrap();
///     std::fs::write(folder.path().join("a.txt"), "one\n").unwrap();
///     let facts = Facts::new(folder.path());
///     assert_opens_what_it_claims(count(), json!({ "file": "a.txt" }), facts).await;
/// }
/// ```
///
/// # Panics
///
/// When [`opened_beyond_claims`] finds something, or the call was not run.
#[allow(clippy::panic, reason = "an assertion")]
pub async fn assert_opens_what_it_claims<P: Progress, T: Tool<P>>(
    tool: T,
    input: Value,
    facts: Facts,
) {
    let text = input.to_string();
    let (outcome, unclaimed) = opened_beyond_claims(tool, input, facts).await;
    if matches!(outcome.status, Status::Invalid | Status::Denied) {
        panic!("the call did not run: {}", outcome.model_text());
    }
    if !unclaimed.is_empty() {
        let listed: Vec<String> = unclaimed.iter().map(|one| format!("- {one}")).collect();
        panic!(
            "it opened more than it claims with {text}:\n{}",
            listed.join("\n")
        );
    }
}

fn is_claimed(seen: &Seen, footprint: &Footprint) -> bool {
    let writes = |scope| Footprint::nothing().writing(scope).is_within(footprint);
    match (seen.access, seen.is_fleeting) {
        (Access::Read, _) => Footprint::nothing()
            .reading(Scope::file(&seen.path))
            .is_within(footprint),
        (Access::Write, false) => {
            writes(Scope::file(&seen.path))
                || (seen.is_folder && leads_to_a_write(&seen.path, footprint))
        }
        (Access::Write, true) => {
            writes(Scope::file(&seen.path))
                || seen
                    .path
                    .parent()
                    .is_some_and(|folder| leads_to_a_write(folder, footprint))
        }
    }
}

/// Whether something that is claimed for writing lies in this folder.
fn leads_to_a_write(folder: &Path, footprint: &Footprint) -> bool {
    let tree = Footprint::nothing().reading(Scope::tree(folder));
    let writes = footprint
        .claims()
        .iter()
        .filter(|claim| claim.access == Access::Write)
        .fold(Footprint::nothing(), |writes, claim| {
            writes.writing(claim.scope.clone())
        });
    tree.conflicts_with(&writes)
}
