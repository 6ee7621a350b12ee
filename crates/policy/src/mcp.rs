//! Who an MCP tool is: the pair under which it was registered, never its joined name.

/// An MCP tool as it was registered.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct McpTool {
    /// The server's name in the settings.
    pub server: String,
    /// The tool's name on that server.
    pub tool: String,
    /// The digest of its definition when it was approved, if it was.
    pub approved: Option<String>,
    /// The digest of its definition now.
    pub current: Option<String>,
    /// Whether the settings say to trust what the server says of its tools.
    pub annotations_are_trusted: bool,
}

impl McpTool {
    /// The pair of these two.
    pub fn new(server: impl Into<String>, tool: impl Into<String>) -> Self {
        Self {
            server: server.into(),
            tool: tool.into(),
            ..Self::default()
        }
    }

    /// The name that the pair joins to.
    pub fn joined(&self) -> String {
        format!("mcp__{}__{}", self.server, self.tool)
    }

    /// Whether it is another tool by now than the one that was approved.
    pub(crate) fn has_changed(&self) -> bool {
        self.approved.is_some() && self.approved != self.current
    }

    /// The pair that a joined name stands for, where only one can be meant.
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let (server, tool) = name.strip_prefix("mcp__")?.split_once("__")?;
        let is_clear = !server.is_empty()
            && !tool.contains("__")
            && !server.ends_with('_')
            && !tool.starts_with('_')
            && !tool.is_empty();
        is_clear.then(|| Self::new(server, tool))
    }

    /// Whether an allow rule for a tool, as its name is joined, is about this pair and can be
    /// about no other.
    pub(crate) fn is_narrowly(&self, joined: &str) -> bool {
        Self::of_name(joined)
            .is_some_and(|meant| meant.server == self.server && meant.tool == self.tool)
    }

    /// Whether a rule for a server means this one. A broad rule also means a name that was made
    /// from this one to fit a tool's name.
    pub(crate) fn is_of(&self, server: &str, is_broad: bool) -> bool {
        self.server == server || (is_broad && plain(&self.server) == server)
    }

    /// The names that rules may have for its server.
    pub(crate) fn server_names(&self) -> Vec<String> {
        let mut names = vec![self.server.clone(), plain(&self.server)];
        names.dedup();
        names
    }

    /// Whether a broad rule for a tool means this one.
    pub(crate) fn is_broadly(&self, joined: &str) -> bool {
        self.joined() == joined
            || format!("mcp__{}__{}", plain(&self.server), plain(&self.tool)) == joined
    }
}

/// A name with all that cannot be in a tool's name replaced.
fn plain(name: &str) -> String {
    name.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
                c
            } else {
                '_'
            }
        })
        .collect()
}
