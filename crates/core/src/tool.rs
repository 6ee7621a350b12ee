//! The trait that a tool implements, with the safe default for each thing left unsaid.
//!
//! There are two shorter ways to the same thing: `#[tool]` on a function, and
//! [`crate::ToolBuilder`] with closures. Both end here.

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::content::Content;
use crate::context::Context;
use crate::contract::{Contract, ContractError, OutputContract};
use crate::definition::{Exposure, FailureReach, ToolLimits};
use crate::effects::Effects;
use crate::error::ToolError;
use crate::event::NoProgress;
use crate::facts::Facts;
use crate::footprint::Footprint;
use crate::state::Needs;
use crate::subject::Subject;

/// What a tool says of permission for one input, before the policy does.
///
/// A tool may tighten. It may also allow what it knows is safe, which lifts only what nobody has
/// a rule about: it can never undo a deny or an ask.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Check {
    /// The policy decides.
    #[default]
    Defer,
    /// Known to be safe, for this reason.
    Allow(String),
    /// A person must be asked, for this reason.
    Ask(String),
    /// Must not run, for this reason.
    Deny(String),
}

/// A tool: a typed input, a typed output, and what a call of it does.
///
/// Three methods must be written. The rest have defaults that are safe when a tool says nothing:
/// it is taken to write, it runs alone, and a person is asked about it. `P` is the type of what
/// it reports while it works.
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolpost_core::{Context, Effects, Tool, ToolError};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Add {
///     /// The first number.
///     a: i64,
///     /// The second number.
///     b: i64,
/// }
///
/// struct Adder;
///
/// impl Tool for Adder {
///     type Input = Add;
///     type Output = i64;
///
///     fn name(&self) -> &str {
///         "add"
///     }
///     fn description(&self) -> &str {
///         "Add two whole numbers."
///     }
///     async fn call(&self, input: Add, _cx: &Context) -> Result<i64, ToolError> {
///         input.a.checked_add(input.b).ok_or_else(|| ToolError::new("overflow", "the sum is too large"))
///     }
///     fn effects(&self, _input: &Add) -> Effects {
///         Effects::READ_ONLY
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "put `#[tool]` on an async function and add it as `name()`, implement `Tool`, or use `ToolBuilder`",
    note = "a function with `#[tool]` is added by calling it: `toolbox.add(glob())`, not `toolbox.add(glob)`"
)]
pub trait Tool<P = NoProgress>: Send + Sync + 'static {
    /// What a call is given. Its fields' doc comments are what the model reads.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// What a call gives back.
    type Output: Serialize + JsonSchema + Send + 'static;

    /// What a model calls it by: `[A-Za-z0-9_.-]+`.
    fn name(&self) -> &str;

    /// What it is for, for the model that chooses.
    fn description(&self) -> &str;

    /// Does it. The input was validated and the call permitted before this begins.
    fn call(
        &self,
        input: Self::Input,
        cx: &Context<P>,
    ) -> impl Future<Output = Result<Self::Output, ToolError>> + Send;

    /// What a call with this input does, for a person: "Read src/main.rs".
    fn describe(&self, _input: &Self::Input) -> String {
        self.name().to_owned()
    }

    /// Words that a tool search matches besides name and description.
    fn search_hint(&self) -> Option<&str> {
        None
    }

    /// How a model gets to know of it.
    fn exposure(&self) -> Exposure {
        Exposure::Direct
    }

    /// Whether it can be used where the session stands.
    fn is_enabled(&self, _facts: &Facts) -> bool {
        true
    }

    /// Whether a provider's strict mode is asked for, where the schema fits it.
    fn is_strict(&self) -> bool {
        true
    }

    /// What stands behind the definition, such as the command that runs, where another one under
    /// the same definition would be another tool.
    fn origin(&self) -> Option<String> {
        None
    }

    /// What a call with this input may do to the world.
    fn effects(&self, _input: &Self::Input) -> Effects {
        Effects::UNKNOWN
    }

    /// What a call with this input touches. The default follows [`Tool::is_concurrency_safe`].
    fn footprint(&self, input: &Self::Input, _facts: &Facts) -> Footprint {
        if self.is_concurrency_safe(input) {
            Footprint::reads_everything()
        } else {
            Footprint::Everything
        }
    }

    /// The two-valued form of [`Tool::footprint`]: whether a call with this input may run beside
    /// others that say the same of themselves.
    fn is_concurrency_safe(&self, _input: &Self::Input) -> bool {
        false
    }

    /// What rules can match: the commands, paths and hosts that this input names.
    fn subjects(&self, _input: &Self::Input, _facts: &Facts) -> Vec<Subject> {
        Vec::new()
    }

    /// What the tool itself says of permission for this input.
    fn check_permissions(&self, _input: &Self::Input, _facts: &Facts) -> Check {
        Check::Defer
    }

    /// Whether a failure of a call with this input reaches later calls.
    fn failure_reach(&self, _input: &Self::Input) -> FailureReach {
        FailureReach::Own
    }

    /// Limits of its own.
    fn limits(&self) -> ToolLimits {
        ToolLimits::default()
    }

    /// The state that it cannot work without; checked when a session is made.
    fn needs(&self) -> Needs {
        Needs::nothing()
    }

    /// What the model reads of an output. The default is its text when it is a string, and its
    /// JSON otherwise.
    fn render(&self, _output: &Self::Output) -> Option<Vec<Content>> {
        None
    }

    /// The contract of the input. Only a tool whose schema comes as data has a reason to write
    /// this.
    fn contract(&self) -> Result<Contract<Self::Input>, ContractError> {
        Contract::of_type()
    }

    /// The contract of the output.
    fn output_contract(&self) -> Result<Option<OutputContract>, ContractError> {
        OutputContract::of_type::<Self::Output>().map(Some)
    }
}
