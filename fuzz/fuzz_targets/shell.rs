//! No text makes the reading of a command line panic, and wrapping never loosens what it found.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use toolpost_policy::shell::{NoShellFacts, analyse};

fuzz_target!(|text: &str| {
    let folder = Path::new("/proj");
    let alone = analyse(text, folder, &NoShellFacts);
    // A here-document, or a backslash at the end, would swallow the end of the wrapping.
    let can_be_wrapped = !text.contains("<<") && !text.ends_with('\\');
    if can_be_wrapped && alone.undecidable.is_empty() && !alone.is_read_only() {
        let wrapped = analyse(&format!("( {text}\n)"), folder, &NoShellFacts);
        assert!(!wrapped.is_read_only(), "wrapping loosened {text:?}");
    }
});
