use toolpost::tool;

/// Add one.
#[tool(read_only, destructive)]
async fn add_one(
    /// The number.
    n: i64,
) -> Result<i64, toolpost::ToolError> {
    Ok(n + 1)
}

fn main() {}
