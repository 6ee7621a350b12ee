//! Pages of any size, read in pieces of any size, are together the whole text.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| toolpost_tools::fuzzing::texts(data));
