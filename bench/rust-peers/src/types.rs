//! The two inputs, the same for every row.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Add {
    /// The first number.
    pub a: i64,
    /// The second number.
    pub b: i64,
}

#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    #[default]
    Content,
    FilesWithMatches,
    Count,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Bounds {
    /// Results at most.
    #[schemars(range(min = 1, max = 1000))]
    pub head: u32,
    /// Results to skip.
    #[serde(default)]
    pub offset: u64,
    /// Milliseconds at most.
    #[schemars(range(max = 600_000))]
    pub timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Replacement {
    /// What to replace.
    pub from: String,
    /// With what.
    pub to: String,
    /// Everywhere.
    #[serde(default)]
    pub all: bool,
}

/// Search and replace in files.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub struct Search {
    /// Regular expression.
    #[schemars(length(min = 1))]
    pub pattern: String,
    /// Folder to search.
    pub path: Option<String>,
    /// What to give back.
    #[serde(default)]
    pub mode: Mode,
    /// Whether case counts.
    #[serde(default)]
    pub case_insensitive: bool,
    /// How much.
    pub limits: Bounds,
    /// Which files.
    #[serde(default)]
    pub globs: Vec<String>,
    /// What to replace.
    #[serde(default)]
    #[schemars(length(max = 50))]
    pub replacements: Vec<Replacement>,
    /// Free tags.
    #[serde(default)]
    pub tags: BTreeMap<String, String>,
}

pub fn add(input: &Add) -> String {
    (input.a + input.b).to_string()
}

pub fn search(input: &Search) -> String {
    format!("{} {} {}", input.pattern.len(), input.limits.head, input.replacements.len())
}

pub const ADD: &str = r#"{"a":2,"b":40}"#;
pub const SEARCH: &str = r#"{"pattern":"fn\\s+\\w+","path":"/src/lib","mode":"files_with_matches","case_insensitive":true,"limits":{"head":200,"offset":10,"timeout_ms":30000},"globs":["*.rs","!target/**","docs/*.md"],"replacements":[{"from":"foo","to":"bar","all":true},{"from":"baz","to":"qux"}],"tags":{"team":"core","ticket":"ABC-123"}}"#;
