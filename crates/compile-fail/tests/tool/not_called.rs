use toolpost::{Toolbox, tool};

/// Add one.
#[tool]
async fn add_one(
    /// The number.
    n: i64,
) -> Result<i64, toolpost::ToolError> {
    Ok(n + 1)
}

fn main() {
    let mut toolbox = Toolbox::new();
    toolbox.add(add_one).unwrap();
}
