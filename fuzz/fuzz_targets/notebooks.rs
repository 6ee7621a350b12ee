//! Whatever is changed in a notebook, the result is one, and other cells are the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| toolpost_tools::fuzzing::notebooks(data));
