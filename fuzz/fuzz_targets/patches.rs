//! A patch and its inverse give the file back, and no text makes the reading of one panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| toolpost_tools::fuzzing::patches(data));
