//! Places in a value, by JSON pointer.

use serde_json::Value;

/// The pointer to a member of the object at `pointer`.
pub(super) fn member_pointer(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// Takes a member out of the object that has it, keeping the order of the others. Nothing is
/// taken when the place is no member of an object.
pub(super) fn take_member(value: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, name) = pointer.rsplit_once('/')?;
    let name = name.replace("~1", "/").replace("~0", "~");
    value
        .pointer_mut(parent)?
        .as_object_mut()?
        .shift_remove(&name)
}

/// Puts a value where one is or was.
pub(super) fn put(value: &mut Value, pointer: &str, put: Value) {
    if let Some(place) = value.pointer_mut(pointer) {
        *place = put;
        return;
    }
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return;
    };
    let name = name.replace("~1", "/").replace("~0", "~");
    if let Some(Value::Object(members)) = value.pointer_mut(parent) {
        members.insert(name, put);
    }
}

/// Whether one place is another or inside it.
pub(super) fn is_at_or_below(pointer: &str, outer: &str) -> bool {
    pointer
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
