//! Anthropic's view: the root is a plain object, and references stand in place of themselves.

use serde_json::Value;

use super::{Losses, refs};

/// The schema as Anthropic's API takes it. A union at the root is refused there with an error for
/// the whole request, so it goes, and the report says so.
pub(super) fn schema(schema: &Value, losses: &mut Losses) -> Value {
    let mut view = refs::inlined(schema);
    if let Some(root) = view.as_object_mut() {
        for keyword in ["oneOf", "anyOf", "allOf"] {
            if root.remove(keyword).is_some() {
                losses.add(
                    "",
                    keyword,
                    format!("`{keyword}` at the root is refused there"),
                );
                // What a branch brings is unknown to the view, so it must not be forbidden by it.
                root.remove("additionalProperties");
                root.remove("unevaluatedProperties");
                losses.add(
                    "",
                    "additionalProperties",
                    "the branches' fields are not listed",
                );
            }
        }
        root.entry("type").or_insert_with(|| "object".into());
    }
    view
}
