//! Whatever a PDF file is, an answer comes.
#![no_main]

use std::sync::Once;

use libfuzzer_sys::fuzz_target;

/// A panic of the reader is caught and is no finding, so it must not end the run.
static QUIET: Once = Once::new();

fuzz_target!(|data: &[u8]| {
    QUIET.call_once(|| std::panic::set_hook(Box::new(|_| {})));
    toolpost_tools::fuzzing::pdfs(data);
});
