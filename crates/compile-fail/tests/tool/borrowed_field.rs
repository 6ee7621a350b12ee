use toolpost::tool;

/// Count letters.
#[tool]
async fn count(
    /// The text.
    text: &str,
) -> Result<usize, toolpost::ToolError> {
    Ok(text.len())
}

fn main() {}
