//! A call that fails leaves every file as it was, and no other file.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

/// One folder for each process of the fuzzer.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("toolpost-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder to work in");
    folder
});

fuzz_target!(|data: &[u8]| toolpost_tools::fuzzing::files(&FOLDER, data));
