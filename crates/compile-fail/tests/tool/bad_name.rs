use toolpost::tool;

/// Add one.
#[tool(name = "add one")]
async fn add_one(
    /// The number.
    n: i64,
) -> Result<i64, toolpost::ToolError> {
    Ok(n + 1)
}

fn main() {}
