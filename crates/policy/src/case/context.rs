//! What else is so in a case.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::Lists;
use crate::hook::HookAnswer;
use crate::layer::Layer;
use crate::mcp::McpTool;
use crate::mode::Mode;

/// The world of a case. A key that is not known is an error: a fact that is passed over would
/// make the verdict mean nothing.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CaseContext {
    pub(super) symlinks: BTreeMap<String, String>,
    pub(super) files: Vec<String>,
    pub(super) fs_case_insensitive: bool,
    pub(super) fs_normalizing: bool,
    pub(super) protected: Option<Vec<String>>,
    mcp: Option<McpPair>,
    approved_definition: Option<String>,
    current_definition: Option<String>,
    hook: Option<Hook>,
    hooks: Vec<Hook>,
    pub(super) sources: Option<BTreeMap<Layer, Lists>>,
    pub(super) workspace_trusted: Option<bool>,
    pub(super) load_errors: Vec<String>,
    pub(super) requested_mode: Option<Mode>,
    requested_by: Option<String>,
    pub(super) agent_requested_mode: Option<Mode>,
    pub(super) managed: Managed,
    /// A redirect's next hop is judged by itself.
    #[serde(rename = "redirected_from")]
    _redirected_from: Option<String>,
    pub(super) preapproved_hosts: Vec<String>,
    pub(super) expect_at: Option<String>,
    pub(super) after_verdict: Later,
    pub(super) approved_hash_of: Option<String>,
    pub(super) executed: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct McpPair {
    server: String,
    tool: String,
    #[serde(default, rename = "readOnlyHint")]
    #[expect(dead_code, reason = "a server's word grants nothing")]
    read_only_hint: bool,
}

/// What a hook answered.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Hook {
    #[serde(default)]
    decision: Option<String>,
    #[serde(default)]
    pub(super) updated_input: Option<Value>,
}

impl Hook {
    /// A word that is not known is no consent, like a hook that broke.
    pub(super) fn answer(&self) -> HookAnswer {
        match self.decision.as_deref() {
            Some("allow") => HookAnswer::Allow,
            Some("ask") => HookAnswer::Ask,
            Some("deny") => HookAnswer::Deny,
            // It only rewrites the input.
            None if self.updated_input.is_some() => HookAnswer::Allow,
            _ => HookAnswer::Error,
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Managed {
    pub(super) disable_bypass: bool,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Later {
    pub(super) symlinks: BTreeMap<String, String>,
}

impl CaseContext {
    pub(super) fn all_hooks(&self) -> impl Iterator<Item = &Hook> {
        self.hook.iter().chain(&self.hooks)
    }

    /// Who asked for the mode; whoever is not known is taken for the workspace.
    pub(super) fn requester(&self) -> Layer {
        let name = self.requested_by.as_deref();
        Layer::ALL
            .into_iter()
            .find(|layer| Some(layer.name()) == name)
            .unwrap_or(Layer::Project)
    }

    pub(super) fn mcp_tool(&self) -> Option<McpTool> {
        self.mcp.as_ref().map(|pair| McpTool {
            approved: self.approved_definition.clone(),
            current: self.current_definition.clone(),
            ..McpTool::new(&pair.server, &pair.tool)
        })
    }
}
