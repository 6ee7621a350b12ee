//! What becomes of the schema of a type.

#![allow(dead_code, reason = "the types are there for their schemas")]

use std::{collections::BTreeMap, net::IpAddr};

use insta::assert_snapshot;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;

fn schema_of<I: JsonSchema>() -> String {
    of_input::<I>().expect("an object").to_string()
}

#[derive(Deserialize, JsonSchema)]
struct Inner {
    /// Some number.
    a: i8,
}

#[test]
fn objects_are_closed_and_tidy_also_inside_definitions() {
    /// Reads a file.
    #[derive(Deserialize, JsonSchema)]
    #[schemars(title = "Outer")]
    struct Outer {
        /// File to read.
        path: String,
        inner: Option<Inner>,
        #[serde(default)]
        more: Vec<Inner>,
        map: BTreeMap<String, Inner>,
        any: serde_json::Map<String, Value>,
        #[serde(default)]
        nothing: Option<u16>,
    }
    assert_snapshot!(schema_of::<Outer>(), @r##"{"type":"object","properties":{"path":{"type":"string","description":"File to read."},"inner":{"anyOf":[{"$ref":"#/$defs/Inner"},{"type":"null"}]},"more":{"type":"array","items":{"$ref":"#/$defs/Inner"}},"map":{"type":"object","additionalProperties":{"$ref":"#/$defs/Inner"}},"any":{"type":"object","additionalProperties":true},"nothing":{"type":["integer","null"],"minimum":0,"maximum":65535}},"required":["path","map","any"],"additionalProperties":false,"$defs":{"Inner":{"type":"object","properties":{"a":{"type":"integer","minimum":-128,"maximum":127,"description":"Some number."}},"required":["a"],"additionalProperties":false}}}"##);
}

#[test]
fn a_field_named_title_stays() {
    #[derive(Deserialize, JsonSchema)]
    struct Titled {
        title: String,
        format: Option<String>,
    }
    assert_snapshot!(schema_of::<Titled>(), @r#"{"type":"object","properties":{"title":{"type":"string"},"format":{"type":["string","null"]}},"required":["title"],"additionalProperties":false}"#);
}

#[test]
fn tighter_bounds_of_the_author_stay_and_looser_ones_do_not() {
    #[derive(Deserialize, JsonSchema)]
    struct Bounded {
        #[schemars(range(min = 1, max = 10))]
        tight: u8,
        #[schemars(range(min = -5, max = 1000))]
        loose: u8,
        real: f64,
        single: f32,
        address: IpAddr,
    }
    assert_snapshot!(schema_of::<Bounded>(), @r#"{"type":"object","properties":{"tight":{"type":"integer","minimum":1,"maximum":10},"loose":{"type":"integer","minimum":0,"maximum":255},"real":{"type":"number"},"single":{"type":"number","minimum":-3.4028234663852886e+38,"maximum":3.4028234663852886e+38},"address":{"type":"string","anyOf":[{"format":"ipv4"},{"format":"ipv6"}]}},"required":["tight","loose","real","single","address"],"additionalProperties":false}"#);
}

#[test]
fn a_tagged_variant_round_a_struct_is_one_closed_object() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Tagged {
        Wrapped(Inner),
        Unit,
    }
    assert_snapshot!(schema_of::<Tagged>(), @r#"{"type":"object","oneOf":[{"type":"object","properties":{"kind":{"type":"string","const":"Wrapped"},"a":{"type":"integer","minimum":-128,"maximum":127,"description":"Some number."}},"required":["kind","a"],"additionalProperties":false},{"type":"object","properties":{"kind":{"type":"string","const":"Unit"}},"required":["kind"],"additionalProperties":false}]}"#);
}

#[test]
fn a_tagged_variant_round_a_union_is_closed_as_a_whole() {
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Outer {
        Wrapped(Middle),
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "sort")]
    enum Middle {
        A { x: bool },
        B(Inner),
    }
    assert_snapshot!(schema_of::<Outer>(), @r#"{"type":"object","oneOf":[{"type":"object","properties":{"kind":{"type":"string","const":"Wrapped"}},"required":["kind"],"allOf":[{"oneOf":[{"type":"object","properties":{"sort":{"type":"string","const":"A"},"x":{"type":"boolean"}},"required":["sort","x"]},{"type":"object","properties":{"sort":{"type":"string","const":"B"},"a":{"type":"integer","minimum":-128,"maximum":127,"description":"Some number."}},"required":["sort","a"]}]}],"unevaluatedProperties":false}]}"#);
}

#[test]
fn flattened_parts_are_closed_as_a_whole() {
    #[derive(Deserialize, JsonSchema)]
    struct Flat {
        p: bool,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        choice: Choice,
    }
    #[derive(Deserialize, JsonSchema)]
    #[serde(tag = "kind")]
    enum Choice {
        One { x: bool },
        Two(Inner),
    }
    assert_snapshot!(schema_of::<Flat>(), @r#"{"type":"object","properties":{"p":{"type":"boolean"},"a":{"type":"integer","minimum":-128,"maximum":127,"description":"Some number."}},"required":["p","a"],"oneOf":[{"type":"object","properties":{"kind":{"type":"string","const":"One"},"x":{"type":"boolean"}},"required":["kind","x"]},{"type":"object","properties":{"kind":{"type":"string","const":"Two"},"a":{"type":"integer","minimum":-128,"maximum":127,"description":"Some number."}},"required":["kind","a"]}],"unevaluatedProperties":false}"#);
}

#[test]
fn a_flattened_map_stays_open_to_what_it_holds() {
    #[derive(Deserialize, JsonSchema)]
    struct Flat {
        p: bool,
        #[serde(flatten)]
        rest: BTreeMap<String, u8>,
    }
    assert_snapshot!(schema_of::<Flat>(), @r#"{"type":"object","properties":{"p":{"type":"boolean"}},"required":["p"],"additionalProperties":{"type":"integer","minimum":0,"maximum":255}}"#);
}

#[test]
fn a_recursive_type_keeps_its_reference() {
    #[derive(Deserialize, JsonSchema)]
    struct Tree {
        children: Vec<Tree>,
    }
    assert_snapshot!(schema_of::<Tree>(), @r##"{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}},"required":["children"],"additionalProperties":false}"##);
}

#[test]
fn integer_keys_have_one_spelling() {
    #[derive(Deserialize, JsonSchema)]
    struct Keyed {
        unsigned: BTreeMap<u32, bool>,
        signed: BTreeMap<i64, bool>,
    }
    assert_snapshot!(schema_of::<Keyed>(), @r#"{"type":"object","properties":{"unsigned":{"type":"object","additionalProperties":false,"patternProperties":{"^(0|[1-9][0-9]*)$":{"type":"boolean"}}},"signed":{"type":"object","additionalProperties":false,"patternProperties":{"^(0|-?[1-9][0-9]*)$":{"type":"boolean"}}}},"required":["unsigned","signed"],"additionalProperties":false}"#);
}

#[test]
fn an_output_stays_open() {
    #[derive(Serialize, JsonSchema)]
    struct Output {
        lines: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        rest: Option<String>,
    }
    assert_snapshot!(of_output::<Output>().to_string(), @r#"{"type":"object","properties":{"lines":{"type":"integer","minimum":0,"maximum":4294967295},"rest":{"type":["string","null"]}},"required":["lines"]}"#);
}

#[test]
fn an_input_that_is_no_object_makes_no_contract() {
    assert!(of_input::<u8>().is_err());
    assert!(of_input::<Option<Inner>>().is_err());
    assert!(of_input::<Value>().is_err());
    assert!(of_input::<BTreeMap<String, u8>>().is_ok());
}

#[test]
fn a_row_of_references_that_is_a_circle_ends() {
    let root = json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}});
    assert!(resolve(&root, &root).get("$ref").is_some());
    assert!(!walk::is_object(&root, &root));
}
