//! A permit for one run is not two permits.
use toolpost::PermittedCall;

fn copy(permitted: &PermittedCall) -> PermittedCall {
    permitted.clone()
}

fn main() {}
