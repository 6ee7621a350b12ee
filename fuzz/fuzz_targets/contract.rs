//! No text makes the contract panic, and what it takes is JSON that it takes again.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use toolpost_core::{Contract, ReadOptions};

static CONTRACT: LazyLock<Contract<serde_json::Value>> =
    LazyLock::new(|| {
        let schema = serde_json::json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1 },
                "count": { "type": "integer", "minimum": 0, "maximum": 255 },
                "tags": { "type": "array", "items": { "type": "string" } },
                "inner": { "type": "object", "properties": { "x": { "type": "number" } }, "additionalProperties": false },
            },
            "required": ["name"],
            "additionalProperties": false,
        });
        Contract::from_schema(schema).expect("a schema that compiles")
    });

fuzz_target!(|text: &str| {
    if let Ok(reading) = CONTRACT.read(text, &ReadOptions::default()) {
        let again = reading.input.to_string();
        assert!(CONTRACT.read(&again, &ReadOptions::default()).is_ok(), "{again}");
    }
});
