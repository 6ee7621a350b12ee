use toolpost::tool;

/// Add one.
#[tool]
async fn add_one(n: i64) -> Result<i64, toolpost::ToolError> {
    Ok(n + 1)
}

fn main() {}
