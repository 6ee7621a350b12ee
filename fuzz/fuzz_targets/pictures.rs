//! A picture that is shown can be decoded, and is within the bounds.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;

/// A panic of the reader is caught and is no finding, so it must not end the run.
static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    toolpost_tools::fuzzing::pictures(data);
});
