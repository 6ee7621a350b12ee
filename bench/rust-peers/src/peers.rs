//! The same two tools in each peer's own way.

use std::collections::HashMap;
use std::sync::Arc;

use adk_tool::{AdkError, Tool as AdkTool};
use llm_tool::{OutputSanitization, RustTool, ToolContext, ToolOutput, ToolRegistry};
use rig::tool::{PortableTool, ToolContext as RigContext, ToolExecutionError};
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::tool::ToolCallContext;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolRequestParams, JsonObject, NumberOrString};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};
use serde_json::Value;

use crate::types::{Add, Search, add, search};

macro_rules! rig_tool {
    ($tool:ident, $name:literal, $input:ty, $body:path) => {
        pub struct $tool;

        impl PortableTool for $tool {
            const NAME: &'static str = $name;
            type Args = $input;
            type Output = String;
            type Error = ToolExecutionError;

            fn description(&self) -> String {
                $name.into()
            }

            fn parameters(&self) -> Value {
                schemars::schema_for!($input).to_value()
            }

            async fn call(&self, input: $input) -> Result<String, ToolExecutionError> {
                Ok($body(&input))
            }
        }
    };
}
rig_tool!(RigAdd, "add", Add, add);
rig_tool!(RigSearch, "search", Search, search);

macro_rules! llm_tool {
    ($tool:ident, $name:literal, $input:ty, $body:path) => {
        pub struct $tool;

        impl RustTool for $tool {
            type Params = $input;
            const NAME: &'static str = $name;
            const DESCRIPTION: &'static str = $name;
            const OUTPUT_SANITIZATION: OutputSanitization = OutputSanitization::SanitizeTokens;

            async fn call(&self, input: $input, _: &ToolContext) -> Result<ToolOutput, llm_tool::ToolError> {
                Ok($body(&input).into())
            }
        }
    };
}
llm_tool!(LlmAdd, "add", Add, add);
llm_tool!(LlmSearch, "search", Search, search);

/// add
#[adk_tool::tool]
async fn adk_add(args: Add) -> Result<Value, AdkError> {
    Ok(Value::String(add(&args)))
}

/// search
#[adk_tool::tool]
async fn adk_search(args: Search) -> Result<Value, AdkError> {
    Ok(Value::String(search(&args)))
}

#[derive(Clone)]
pub struct Served;

#[tool_router]
impl Served {
    /// add
    #[tool]
    async fn add(&self, Parameters(input): Parameters<Add>) -> String {
        add(&input)
    }

    /// search
    #[tool]
    async fn search(&self, Parameters(input): Parameters<Search>) -> String {
        search(&input)
    }
}

#[tool_handler]
impl ServerHandler for Served {}

/// All peers, set up once.
pub struct Peers {
    rig: rig::tool::ToolSet,
    llm: ToolRegistry,
    llm_context: ToolContext,
    adk: HashMap<&'static str, Arc<dyn AdkTool>>,
    adk_context: Arc<dyn adk_core::ToolContext>,
    router: ToolRouter<Served>,
    peer: Peer<RoleServer>,
}

impl Peers {
    pub async fn new() -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let server = tokio::spawn(async move { Served.serve(theirs).await.expect("a server") });
        let client = ().serve(ours).await.expect("a client");
        let server = server.await.expect("a server");
        let peer = server.peer().clone();
        // Both ends live as long as the process.
        std::mem::forget((client, server));
        let mut rig = rig::tool::ToolSet::default();
        rig.add_tool(RigAdd);
        rig.add_tool(RigSearch);
        Self {
            rig,
            llm: ToolRegistry::new().with_tool(LlmAdd).with_tool(LlmSearch),
            llm_context: ToolContext::new(),
            adk: HashMap::from([
                ("add", Arc::new(AdkAdd) as Arc<dyn AdkTool>),
                ("search", Arc::new(AdkSearch)),
            ]),
            adk_context: Arc::new(adk_tool::SimpleToolContext::new("bench")),
            router: Served::tool_router(),
            peer,
        }
    }

    pub async fn rig(&self, name: &str, text: &str) -> String {
        let mut context = RigContext::default();
        let result = self.rig.execute(name, text, &mut context).await;
        assert!(result.is_success());
        result.output().render()
    }

    pub async fn llm(&self, name: &str, text: &str) -> ToolOutput {
        self.llm.dispatch_str(name, text, &self.llm_context).await.expect("an output")
    }

    pub async fn adk(&self, name: &str, text: &str) -> Value {
        let input = serde_json::from_str(text).expect("JSON");
        self.adk[name].execute(Arc::clone(&self.adk_context), input).await.expect("an output")
    }

    pub async fn rmcp(&self, name: &'static str, text: &str) {
        let input: JsonObject = serde_json::from_str(text).expect("JSON");
        let params = CallToolRequestParams::new(name).with_arguments(input);
        let context = RequestContext::new(NumberOrString::Number(1), self.peer.clone());
        let call = ToolCallContext::new(&Served, params, context);
        std::hint::black_box(self.router.call(call).await.expect("an output"));
    }
}
