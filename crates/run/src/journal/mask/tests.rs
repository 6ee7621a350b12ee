use super::Mask;

fn masked(expressions: &[&str], json: &str) -> String {
    let mask = Mask::new(expressions).unwrap();
    mask.json(json).unwrap_or_else(|| "as it is".to_owned())
}

#[test]
fn texts_and_names_are_masked_and_the_rest_is_json_as_before() {
    let key = [r"(?i)api[_-]?key\S*"];
    for (json, expected) in [
        (r#"{"command":"ls"}"#, "as it is"),
        (
            r#"{"command":"x api_key=abc y"}"#,
            r#"{"command":"x [masked] y"}"#,
        ),
        // An escape hides nothing.
        (
            r#"{"command":"\u0061pi_key=abc"}"#,
            r#"{"command":"[masked]"}"#,
        ),
        (
            r#"{"a":[{"b":["API-KEY"]},1]}"#,
            r#"{"a":[{"b":["[masked]"]},1]}"#,
        ),
        // A name takes its whole value with it.
        (
            r#"{"apikey":{"a":1},"b":2}"#,
            r#"{"[masked]":"[masked]","b":2}"#,
        ),
        // Also in JSON within a text.
        (
            r#"{"body":"{\"apikey\":\"x\",\"n\":1}"}"#,
            r#"{"body":"{\"[masked]\":\"[masked]\",\"n\":1}"}"#,
        ),
        // What is no JSON is a text.
        (r#"{"apikey":"#, r#"{"[masked]"#),
    ] {
        assert_eq!(masked(&key, json), expected, "{json}");
    }
}

#[test]
fn what_spans_the_structure_is_masked_even_if_no_json_is_left() {
    let pin = [r"[0-9]{4}", r#""password":"[^"]*""#];
    assert_eq!(masked(&pin, r#"{"pin":1234}"#), r#"{"pin":[masked]}"#);
    assert_eq!(
        masked(&pin, r#"{"user":"me","password":"x"}"#),
        r#"{"user":"me",[masked]}"#
    );
}

#[test]
fn an_expression_that_matches_all_or_nothing_does_no_harm() {
    assert_eq!(masked(&[".*"], r#"{"a":"b"}"#), "[masked]");
    assert_eq!(masked(&["x*"], r#"{"a":"b"}"#), "as it is");
    assert_eq!(masked(&[], r#"{"a":"b"}"#), "as it is");
    let mask = Mask::new(["a", "masked"]).unwrap();
    assert_eq!(mask.text("an a").as_deref(), Some("[[masked]]n [[masked]]"));
    let error = Mask::new(["ok", "(unclosed"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`(unclosed` is no regular expression: unclosed group"
    );
}
