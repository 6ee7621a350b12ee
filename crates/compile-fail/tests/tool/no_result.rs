use toolpost::tool;

/// Add one.
#[tool]
async fn add_one(
    /// The number.
    n: i64,
) -> i64 {
    n + 1
}

fn main() {}
