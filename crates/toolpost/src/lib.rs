//! Tools for LLM agents: defined once, and every call validated, permitted, scheduled and
//! answered.
//!
//! A model writes tool calls as JSON. Between that text and an effect on somebody's machine four
//! things happen here, in this order and always: the call is **validated** against the schema that
//! the model was shown, **permission** is decided for this very input, the tool **runs**, and an
//! **outcome** comes back that the model can act on.
//!
//! ```
//! use toolpost::{RawCall, Session, ToolError, Toolbox, tool};
//!
//! /// Count the words of a text.
//! #[tool(read_only, describe = |input| format!("Count {} letters", input.text.len()))]
//! async fn count_words(
//!     /// The text to count in.
//!     text: String,
//! ) -> Result<String, ToolError> {
//!     Ok(text.split_whitespace().count().to_string())
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let mut toolbox = Toolbox::new();
//! toolbox.add(count_words())?;
//! let session = Session::builder(toolbox, "/srv/project").build()?;
//!
//! let outcome = session.call(RawCall::new("c1", "count_words", r#"{"text":"to be or not"}"#)).await;
//! assert_eq!(outcome.model_text(), "4");
//!
//! let outcome = session.call(RawCall::new("c2", "count_words", r#"{"txt":"to be"}"#)).await;
//! assert!(outcome.model_text().contains("did you mean `text`?"));
//! # Ok(())
//! # })
//! # }
//! ```
//!
//! # Where to go
//!
//! | for | see |
//! |---|---|
//! | a tool from a function | [`tool`](macro@tool) |
//! | a tool with full control | [`Tool`] |
//! | a tool from closures, or with a schema that comes as data | [`ToolBuilder`], [`DynamicTool`] |
//! | running calls | [`Session`] |
//! | who may run what | [`Policy`], [`SimplePolicy`] |
//! | asking a person, or a program | [`Approver`], [`Hook`] |
//! | the stages of a call as types | [`call`] |
//! | how a text becomes a typed input | [`contract`] |
//! | providers' messages and definitions | [`wire`] |
//! | files and search | `tools`, with the feature `tools` |
//! | a record of every call, answers that come later | `journal`, with the feature `journal` |
//! | keeping calls elsewhere | [`CallStore`] |
//!
//! # Features
//!
//! | feature | brings | default |
//! |---|---|---|
//! | `macros` | `#[tool]` | yes |
//! | `run` | [`Session`]: the driver on tokio | yes |
//! | `wire` | [`wire`]: the providers' forms | yes |
//! | `policy` | `policy`: rules over real inputs, layered settings | no |
//! | `tools` | `tools`: the built-in tools | no |
//! | `journal` | `journal` and `session_file`: calls, questions and sessions that outlive a process; brings SQLite | no |
//! | `media` | pictures and PDF files in `Read` | no |

#[doc(hidden)]
pub use toolpost_core::__private;
pub use toolpost_core::*;
#[cfg(feature = "macros")]
pub use toolpost_macros::tool;
#[cfg(feature = "run")]
pub use toolpost_run::*;

/// Rules over real inputs, in layered settings.
#[cfg(feature = "policy")]
pub use toolpost_policy as policy;
/// The built-in tools: files, search, and commands from a tool file.
#[cfg(feature = "tools")]
pub use toolpost_tools as tools;
/// Messages and definitions in the forms of the model providers.
#[cfg(feature = "wire")]
pub use toolpost_wire as wire;

/// The front page of the project, whose examples are run like any other.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct ReadMe;

/// The guide, likewise.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/a-tool-from-scratch.md")]
struct Guide;

/// The page about what outlives a process, likewise.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/journal.md")]
struct JournalPage;
