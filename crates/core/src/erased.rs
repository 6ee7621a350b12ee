//! The one place where a tool's types are erased.
//!
//! After validation a call owns its tool and its typed input in one box, so a toolbox can hold
//! tools of all types, and nothing is ever downcast.

use std::any::Any;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use crate::content::Content;
use crate::context::{BoxFuture, Context};
use crate::contract::{
    Contract, ContractError, OutputContract, Problem, ReadOptions, Refusal, Repair,
};
use crate::definition::{Definition, FailureReach, ToolLimits};
use crate::effects::Effects;
use crate::error::ToolError;
use crate::event::Progress;
use crate::facts::Facts;
use crate::footprint::Footprint;
use crate::state::Needs;
use crate::subject::Subject;
use crate::tool::{Check, Tool};

/// A tool without its types.
pub(crate) trait AnyTool: Send + Sync {
    fn name(&self) -> &Arc<str>;
    fn definition(&self) -> Result<Definition, ContractError>;
    fn is_enabled(&self, facts: &Facts) -> bool;
    fn needs(&self) -> Needs;
    fn prepare(self: Arc<Self>, text: &str, options: &ReadOptions) -> Result<Reading, Refusal>;
}

/// What reading an input gives.
pub(crate) struct Reading {
    pub(crate) prepared: Box<dyn Prepared>,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) text: Option<String>,
}

/// A tool with its typed input, ready to answer for itself and to run once.
pub(crate) trait Prepared: Send + Sync {
    fn describe(&self) -> String;
    fn effects(&self) -> Effects;
    fn footprint(&self, facts: &Facts) -> Footprint;
    fn subjects(&self, facts: &Facts) -> Vec<Subject>;
    fn check_permissions(&self, facts: &Facts) -> Check;
    fn failure_reach(&self) -> FailureReach;
    fn limits(&self) -> ToolLimits;
    fn run(self: Box<Self>, cx: Context) -> BoxFuture<'static, Result<Returned, Raised>>;
}

/// What a tool gave back.
pub(crate) struct Returned {
    pub(crate) content: Vec<Content>,
    pub(crate) structured: Option<Value>,
}

/// Why a tool gave nothing back.
pub(crate) enum Raised {
    Tool(ToolError),
    Output(Vec<Problem>),
    Panic(Box<dyn Any + Send>),
}

/// A tool with the things that are made of it lazily.
pub(crate) struct Typed<P, T: Tool<P>> {
    tool: T,
    name: Arc<str>,
    input: OnceLock<Result<Contract<T::Input>, ContractError>>,
    output: OnceLock<Result<Option<OutputContract>, ContractError>>,
}

impl<P: Progress, T: Tool<P>> Typed<P, T> {
    pub(crate) fn new(tool: T) -> Self {
        let name = tool.name().into();
        Self {
            tool,
            name,
            input: OnceLock::new(),
            output: OnceLock::new(),
        }
    }

    fn contract(&self) -> Result<&Contract<T::Input>, ContractError> {
        self.input
            .get_or_init(|| self.tool.contract())
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Text needs no output contract: it is what it is.
    fn output_contract(&self) -> Result<Option<&OutputContract>, ContractError> {
        if is_text::<T::Output>() {
            return Ok(None);
        }
        let made = self.output.get_or_init(|| self.tool.output_contract());
        made.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    async fn run(self: Arc<Self>, input: T::Input, cx: Context) -> Result<Returned, Raised> {
        let output = self
            .tool
            .call(input, &cx.retyped())
            .await
            .map_err(Raised::Tool)?;
        let rendered = self.tool.render(&output);
        if let Some(text) = as_text(&output) {
            let content = rendered.unwrap_or_else(|| vec![Content::text(text)]);
            return Ok(Returned {
                content,
                structured: None,
            });
        }
        let fault = |message: String| Raised::Output(vec![Problem::of_all(message)]);
        let value = serde_json::to_value(&output).map_err(|error| fault(error.to_string()))?;
        let contract = self
            .output_contract()
            .map_err(|error| fault(error.to_string()))?;
        if let Some(contract) = contract {
            contract.check(&value).map_err(Raised::Output)?;
        }
        let content = rendered.unwrap_or_else(|| vec![Content::text(plain(&value))]);
        Ok(Returned {
            content,
            structured: contract.is_some().then_some(value),
        })
    }
}

fn is_text<O: 'static>() -> bool {
    std::any::TypeId::of::<O>() == std::any::TypeId::of::<String>()
}

fn as_text<O: 'static>(output: &O) -> Option<&String> {
    (output as &dyn Any).downcast_ref()
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl<P: Progress, T: Tool<P>> AnyTool for Typed<P, T> {
    fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn definition(&self) -> Result<Definition, ContractError> {
        Ok(Definition {
            name: Arc::clone(&self.name),
            description: self.tool.description().into(),
            input_schema: Arc::clone(self.contract()?.schema()),
            output_schema: self
                .output_contract()?
                .map(|contract| Arc::clone(contract.schema())),
            exposure: self.tool.exposure(),
            search_hint: self.tool.search_hint().map(Into::into),
            strict: self.tool.is_strict(),
            origin: self.tool.origin().map(Into::into),
        })
    }

    fn is_enabled(&self, facts: &Facts) -> bool {
        self.tool.is_enabled(facts)
    }

    fn needs(&self) -> Needs {
        self.tool.needs()
    }

    fn prepare(self: Arc<Self>, text: &str, options: &ReadOptions) -> Result<Reading, Refusal> {
        let contract = self
            .contract()
            .map_err(|error| Refusal::Drift(Problem::of_all(error.to_string())))?;
        let reading = contract.read(text, options)?;
        let prepared = Box::new(Bound {
            input: reading.input,
            tool: self,
        });
        Ok(Reading {
            prepared,
            repairs: reading.repairs,
            text: reading.text,
        })
    }
}

/// A typed tool bound to one input.
struct Bound<P, T: Tool<P>> {
    tool: Arc<Typed<P, T>>,
    input: T::Input,
}

impl<P: Progress, T: Tool<P>> Prepared for Bound<P, T> {
    fn describe(&self) -> String {
        self.tool.tool.describe(&self.input)
    }

    fn effects(&self) -> Effects {
        self.tool.tool.effects(&self.input)
    }

    fn footprint(&self, facts: &Facts) -> Footprint {
        self.tool.tool.footprint(&self.input, facts)
    }

    fn subjects(&self, facts: &Facts) -> Vec<Subject> {
        self.tool.tool.subjects(&self.input, facts)
    }

    fn check_permissions(&self, facts: &Facts) -> Check {
        self.tool.tool.check_permissions(&self.input, facts)
    }

    fn failure_reach(&self) -> FailureReach {
        self.tool.tool.failure_reach(&self.input)
    }

    fn limits(&self) -> ToolLimits {
        self.tool.tool.limits()
    }

    fn run(self: Box<Self>, cx: Context) -> BoxFuture<'static, Result<Returned, Raised>> {
        let Self { tool, input } = *self;
        Box::pin(tool.run(input, cx))
    }
}
