//! Tools from closures, and tools whose schema comes as data.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::content::Content;
use crate::context::Context;
use crate::contract::{Contract, ContractError, OutputContract};
use crate::definition::{Exposure, FailureReach, ToolLimits};
use crate::effects::Effects;
use crate::error::ToolError;
use crate::facts::Facts;
use crate::footprint::Footprint;
use crate::state::Needs;
use crate::subject::Subject;
use crate::tool::{Check, Tool};

type OfInput<I, R> = Arc<dyn Fn(&I) -> R + Send + Sync>;
type OfInputAndFacts<I, R> = Arc<dyn Fn(&I, &Facts) -> R + Send + Sync>;
type OfFacts = Arc<dyn Fn(&Facts) -> bool + Send + Sync>;
type Render<O> = Arc<dyn Fn(&O) -> Vec<Content> + Send + Sync>;

/// Makes a tool from closures. What is left out has the safe default of [`Tool`].
///
/// ```
/// use schemars::JsonSchema;
/// use serde::Deserialize;
/// use toolpost_core::{Context, ToolBuilder, Toolbox};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Greet {
///     /// Whom to greet.
///     name: String,
/// }
///
/// let greet = ToolBuilder::<Greet>::new("greet", "Greet somebody by name.")
///     .read_only()
///     .describe(|input| format!("Greet {}", input.name))
///     .call(|input, _cx: Context| async move { Ok(format!("Hello, {}!", input.name)) });
/// let mut toolbox = Toolbox::new();
/// toolbox.add(greet)?;
/// # Ok::<(), toolpost_core::ToolboxError>(())
/// ```
pub struct ToolBuilder<I> {
    said: Said<I>,
}

/// All that was said of a tool besides what it does.
struct Said<I> {
    name: Cow<'static, str>,
    description: Cow<'static, str>,
    search_hint: Option<Cow<'static, str>>,
    exposure: Exposure,
    is_strict: bool,
    origin: Option<String>,
    limits: ToolLimits,
    needs: Needs,
    schema: Option<Value>,
    output_schema: Option<Value>,
    is_enabled: Option<OfFacts>,
    describe: Option<OfInput<I, String>>,
    effects: Option<OfInput<I, Effects>>,
    is_concurrency_safe: Option<OfInput<I, bool>>,
    failure_reach: Option<OfInput<I, FailureReach>>,
    footprint: Option<OfInputAndFacts<I, Footprint>>,
    subjects: Option<OfInputAndFacts<I, Vec<Subject>>>,
    check_permissions: Option<OfInputAndFacts<I, Check>>,
}

impl<I: DeserializeOwned + JsonSchema + Send + Sync + 'static> ToolBuilder<I> {
    /// A tool with this name and description.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            said: Said {
                name: name.into(),
                description: description.into(),
                search_hint: None,
                exposure: Exposure::Direct,
                is_strict: true,
                origin: None,
                limits: ToolLimits::default(),
                needs: Needs::nothing(),
                schema: None,
                output_schema: None,
                is_enabled: None,
                describe: None,
                effects: None,
                is_concurrency_safe: None,
                failure_reach: None,
                footprint: None,
                subjects: None,
                check_permissions: None,
            },
        }
    }

    /// Words that a tool search matches. See [`Tool::search_hint`].
    #[must_use]
    pub fn search_hint(mut self, hint: impl Into<Cow<'static, str>>) -> Self {
        self.said.search_hint = Some(hint.into());
        self
    }

    /// How a model gets to know of it. See [`Tool::exposure`].
    #[must_use]
    pub fn exposure(mut self, exposure: Exposure) -> Self {
        self.said.exposure = exposure;
        self
    }

    /// What stands behind the definition. See [`Tool::origin`].
    #[must_use]
    pub fn origin(mut self, origin: impl Into<String>) -> Self {
        self.said.origin = Some(origin.into());
        self
    }

    /// Never asks a provider for its strict mode. See [`Tool::is_strict`].
    #[must_use]
    pub fn lax(mut self) -> Self {
        self.said.is_strict = false;
        self
    }

    /// The longest that a call may run.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.said.limits.timeout = Some(timeout);
        self
    }

    /// The longest result in characters before it is spilled.
    #[must_use]
    pub fn result_chars(mut self, chars: usize) -> Self {
        self.said.limits.result_chars = Some(chars);
        self
    }

    /// The pool whose slots its calls take. See [`ToolLimits::pool`].
    #[must_use]
    pub fn pool(mut self, pool: impl Into<Arc<str>>) -> Self {
        self.said.limits.pool = Some(pool.into());
        self
    }

    /// Cannot work without state of type `S`. See [`Tool::needs`].
    #[must_use]
    pub fn needs<S: Send + Sync + 'static>(mut self) -> Self {
        self.said.needs = self.said.needs.and::<S>();
        self
    }

    /// Whether it can be used where the session stands. See [`Tool::is_enabled`].
    #[must_use]
    pub fn is_enabled(mut self, of: impl Fn(&Facts) -> bool + Send + Sync + 'static) -> Self {
        self.said.is_enabled = Some(Arc::new(of));
        self
    }

    /// What a call does, for a person. See [`Tool::describe`].
    #[must_use]
    pub fn describe(mut self, of: impl Fn(&I) -> String + Send + Sync + 'static) -> Self {
        self.said.describe = Some(Arc::new(of));
        self
    }

    /// Only reads, and only on this machine, whatever the input.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.effects(|_| Effects::READ_ONLY)
    }

    /// What a call may do to the world. See [`Tool::effects`].
    #[must_use]
    pub fn effects(mut self, of: impl Fn(&I) -> Effects + Send + Sync + 'static) -> Self {
        self.said.effects = Some(Arc::new(of));
        self
    }

    /// What a call touches. See [`Tool::footprint`].
    #[must_use]
    pub fn footprint(
        mut self,
        of: impl Fn(&I, &Facts) -> Footprint + Send + Sync + 'static,
    ) -> Self {
        self.said.footprint = Some(Arc::new(of));
        self
    }

    /// Whether a call may run beside others that say so too. See [`Tool::is_concurrency_safe`].
    #[must_use]
    pub fn is_concurrency_safe(mut self, of: impl Fn(&I) -> bool + Send + Sync + 'static) -> Self {
        self.said.is_concurrency_safe = Some(Arc::new(of));
        self
    }

    /// What rules can match. See [`Tool::subjects`].
    #[must_use]
    pub fn subjects(
        mut self,
        of: impl Fn(&I, &Facts) -> Vec<Subject> + Send + Sync + 'static,
    ) -> Self {
        self.said.subjects = Some(Arc::new(of));
        self
    }

    /// What the tool itself says of permission. See [`Tool::check_permissions`].
    #[must_use]
    pub fn check_permissions(
        mut self,
        of: impl Fn(&I, &Facts) -> Check + Send + Sync + 'static,
    ) -> Self {
        self.said.check_permissions = Some(Arc::new(of));
        self
    }

    /// Whether a failure reaches later calls. See [`Tool::failure_reach`].
    #[must_use]
    pub fn failure_reach(
        mut self,
        of: impl Fn(&I) -> FailureReach + Send + Sync + 'static,
    ) -> Self {
        self.said.failure_reach = Some(Arc::new(of));
        self
    }

    /// What a call does: the last thing to say, which makes the tool.
    pub fn call<P, O, F, R>(self, call: F) -> BuiltTool<I, O, P, F>
    where
        O: Serialize + JsonSchema + Send + 'static,
        F: Fn(I, Context<P>) -> R + Send + Sync + 'static,
        R: Future<Output = Result<O, ToolError>> + Send + 'static,
        P: 'static,
    {
        BuiltTool {
            said: self.said,
            call,
            render: None,
            types: PhantomData,
        }
    }
}

/// Tools whose schema comes as data, such as those of a tool file or of another process.
///
/// The schema is taken as it is given; an object that it leaves open stays open.
///
/// ```
/// use serde_json::{Value, json};
/// use toolpost_core::{Context, DynamicTool, Toolbox};
///
/// let schema = json!({
///     "type": "object",
///     "properties": { "city": { "type": "string", "description": "Name of the city." } },
///     "required": ["city"],
///     "additionalProperties": false,
/// });
/// let weather = DynamicTool::define("weather", "Tell the weather of a city.", schema)
///     .call(|input: Value, _cx: Context| async move { Ok(json!({ "city": input["city"], "celsius": 21 })) });
/// let mut toolbox = Toolbox::new();
/// toolbox.add_checked(weather)?;
/// # Ok::<(), toolpost_core::ToolboxError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct DynamicTool;

impl DynamicTool {
    /// A builder of a tool with this input schema.
    pub fn define(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        input_schema: Value,
    ) -> ToolBuilder<Value> {
        let mut builder = ToolBuilder::new(name, description);
        builder.said.schema = Some(input_schema);
        builder
    }
}

impl ToolBuilder<Value> {
    /// The schema that the output of a dynamic tool is checked against.
    #[must_use]
    pub fn output_schema(mut self, schema: Value) -> Self {
        self.said.output_schema = Some(schema);
        self
    }
}

/// A tool that [`ToolBuilder`] made.
pub struct BuiltTool<I, O, P, F> {
    said: Said<I>,
    call: F,
    render: Option<Render<O>>,
    types: PhantomData<fn(P) -> O>,
}

impl<I, O, P, F> BuiltTool<I, O, P, F> {
    /// The same, and a model reads this of an output. See [`Tool::render`].
    #[must_use]
    pub fn render(mut self, of: impl Fn(&O) -> Vec<Content> + Send + Sync + 'static) -> Self {
        self.render = Some(Arc::new(of));
        self
    }

    /// A schema that comes as data is known only at run time, so the type does not tell it.
    fn is_dynamic(&self) -> bool {
        self.said.schema.is_some()
    }
}

impl<I, O, P, F, R> Tool<P> for BuiltTool<I, O, P, F>
where
    I: DeserializeOwned + JsonSchema + Send + Sync + 'static,
    O: Serialize + JsonSchema + Send + 'static,
    P: 'static,
    F: Fn(I, Context<P>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<O, ToolError>> + Send + 'static,
{
    type Input = I;
    type Output = O;

    fn name(&self) -> &str {
        &self.said.name
    }

    fn description(&self) -> &str {
        &self.said.description
    }

    fn call(&self, input: I, cx: &Context<P>) -> impl Future<Output = Result<O, ToolError>> + Send {
        (self.call)(input, cx.clone())
    }

    fn describe(&self, input: &I) -> String {
        self.said
            .describe
            .as_ref()
            .map_or_else(|| self.name().to_owned(), |of| of(input))
    }

    fn search_hint(&self) -> Option<&str> {
        self.said.search_hint.as_deref()
    }

    fn exposure(&self) -> Exposure {
        self.said.exposure
    }

    fn is_enabled(&self, facts: &Facts) -> bool {
        self.said.is_enabled.as_ref().is_none_or(|of| of(facts))
    }

    fn is_strict(&self) -> bool {
        self.said.is_strict
    }

    fn origin(&self) -> Option<String> {
        self.said.origin.clone()
    }

    fn effects(&self, input: &I) -> Effects {
        self.said
            .effects
            .as_ref()
            .map_or(Effects::UNKNOWN, |of| of(input))
    }

    fn footprint(&self, input: &I, facts: &Facts) -> Footprint {
        match &self.said.footprint {
            Some(of) => of(input, facts),
            None if self.is_concurrency_safe(input) => Footprint::reads_everything(),
            None => Footprint::Everything,
        }
    }

    fn is_concurrency_safe(&self, input: &I) -> bool {
        self.said
            .is_concurrency_safe
            .as_ref()
            .is_some_and(|of| of(input))
    }

    fn subjects(&self, input: &I, facts: &Facts) -> Vec<Subject> {
        self.said
            .subjects
            .as_ref()
            .map_or_else(Vec::new, |of| of(input, facts))
    }

    fn check_permissions(&self, input: &I, facts: &Facts) -> Check {
        self.said
            .check_permissions
            .as_ref()
            .map_or(Check::Defer, |of| of(input, facts))
    }

    fn failure_reach(&self, input: &I) -> FailureReach {
        self.said
            .failure_reach
            .as_ref()
            .map_or(FailureReach::Own, |of| of(input))
    }

    fn limits(&self) -> ToolLimits {
        self.said.limits.clone()
    }

    fn needs(&self) -> Needs {
        self.said.needs.clone()
    }

    fn render(&self, output: &O) -> Option<Vec<Content>> {
        self.render.as_ref().map(|of| of(output))
    }

    fn contract(&self) -> Result<Contract<I>, ContractError> {
        match &self.said.schema {
            Some(schema) => Contract::with_schema(schema.clone()),
            None => Contract::of_type(),
        }
    }

    fn output_contract(&self) -> Result<Option<OutputContract>, ContractError> {
        match &self.said.output_schema {
            Some(schema) => OutputContract::from_schema(schema.clone()).map(Some),
            None if self.is_dynamic() => Ok(None),
            None => OutputContract::of_type::<O>().map(Some),
        }
    }
}
