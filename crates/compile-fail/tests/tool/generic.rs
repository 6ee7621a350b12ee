use toolpost::tool;

/// Add one.
#[tool]
async fn add_one<N>(
    /// The number.
    n: N,
) -> Result<N, toolpost::ToolError> {
    Ok(n)
}

fn main() {}
