//! What was permitted is what runs.
use toolpost::PermittedCall;

fn by_field(mut permitted: PermittedCall) {
    permitted.call.input = String::from("{}");
}

fn through_the_view(permitted: &PermittedCall) {
    permitted.input().push_str("x");
}

fn main() {}
