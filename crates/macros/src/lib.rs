//! `#[tool]`: a function is a tool.
//!
//! The macro writes a struct for the input and calls of `ToolBuilder`, and nothing more: what it
//! can say, the builder can say.

use proc_macro::TokenStream;

mod expand;
mod function;
mod options;

/// Makes a tool of an async function.
///
/// The function's doc comment, up to its first heading, is the tool's description. Its parameters
/// are the input; each needs a doc comment, which is what the model reads, and may have `serde`
/// and `schemars` attributes. A parameter of type `&Context` or `&Context<P>` is given the
/// context; `P` is what the tool reports while it works. The function returns a `Result`; its
/// error becomes a `ToolError`.
///
/// In its place stands a function of the same name without parameters that gives the tool:
/// `toolbox.add(glob())`. The input's type is named after it: `GlobInput`.
///
/// | option | means |
/// |---|---|
/// | `name = "…"` | what a model calls it by; the function's name when left out |
/// | `search_hint = "…"` | words that a tool search matches |
/// | `read_only` | only reads, on this machine |
/// | `destructive`, `idempotent`, `open_world`, `closed_world` | further effects, whatever the input |
/// | `effects = …` | a function or closure of `&Input` |
/// | `describe = …` | a function or closure of `&Input`: what a call does, for a person |
/// | `footprint = …`, `subjects = …`, `check_permissions = …` | functions or closures of `&Input, &Facts` |
/// | `concurrency_safe` | may run beside others that say so |
/// | `failure_reach = …` | a function or closure of `&Input` |
/// | `exposure = direct`, `deferred` or `hidden` | how a model gets to know of it |
/// | `timeout_ms = 30_000` | the longest that a call may run |
/// | `lax` | never asks a provider for its strict mode |
/// | `crate = path` | where the items of toolpost are, such as `toolpost_core`; `::toolpost` when left out |
#[proc_macro_attribute]
pub fn tool(options: TokenStream, item: TokenStream) -> TokenStream {
    expand::tool(options.into(), item.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}
