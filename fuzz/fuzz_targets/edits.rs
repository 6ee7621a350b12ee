//! Edits one after the other are the plain replacements, and touch no other byte.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| toolpost_tools::fuzzing::edits(data));
