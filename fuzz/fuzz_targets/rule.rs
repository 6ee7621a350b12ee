//! No text makes the rule parser or the settings parser panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolpost_core::Verdict;
use toolpost_policy::{Layer, Rule, Settings, Source};

fuzz_target!(|text: &str| {
    for effect in [Verdict::Allow, Verdict::Ask, Verdict::Deny] {
        let _ = Rule::parse(text, effect, Source::command_line());
    }
    let _ = Settings::parse(text, "toolpost.toml", Layer::Project);
});
