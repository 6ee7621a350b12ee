use schemars::JsonSchema;
use serde::Deserialize;

use super::SimplePolicy;
use crate::{
    Check, Context, DecidedBy, Decision, Effects, Facts, Policy, RawCall, ReadOptions, Subject,
    ToolBuilder, Toolbox, ValidatedCall, Verdict,
};

#[derive(Deserialize, JsonSchema)]
struct Touch {
    path: String,
    write: bool,
}

fn call(path: &str, write: bool) -> ValidatedCall {
    let tool = ToolBuilder::<Touch>::new("touch", "Touch a path.")
        .effects(|input| {
            if input.write {
                Effects::UNKNOWN
            } else {
                Effects::READ_ONLY
            }
        })
        .subjects(|input, _| vec![Subject::reads(&input.path)])
        .check_permissions(|input, _| match input.path.as_str() {
            "safe" => Check::Allow("known to be safe".into()),
            "never" => Check::Deny("never this one".into()),
            _ => Check::Defer,
        })
        .call(|_, _cx: Context| async { Ok(String::new()) });
    let mut toolbox = Toolbox::new();
    toolbox.add(tool).unwrap();
    let input = serde_json::json!({ "path": path, "write": write }).to_string();
    let raw = RawCall::new("c1", "touch", input);
    toolbox
        .validate(raw, &Facts::new("/proj"), &ReadOptions::default())
        .unwrap()
}

fn decide(policy: &SimplePolicy, path: &str, write: bool) -> Decision {
    crate::policy::decide(policy, &call(path, write), &Facts::new("/proj"))
}

#[test]
fn reading_inside_is_allowed_and_all_else_is_asked() {
    let policy = SimplePolicy::new();
    assert_eq!(decide(&policy, "a/b", false).effect, Verdict::Allow);
    assert_eq!(decide(&policy, "a/b", true).effect, Verdict::Ask);
    assert_eq!(decide(&policy, "../b", false).effect, Verdict::Ask);
    assert_eq!(decide(&policy, "/proj/../etc", false).effect, Verdict::Ask);
}

#[test]
fn a_name_and_bypass_widen() {
    let named = decide(&SimplePolicy::new().allow("touch"), "/etc/x", true);
    assert_eq!((named.effect, named.by), (Verdict::Allow, DecidedBy::Rule));
    assert_eq!(named.rule.as_deref(), Some("touch"));
    let bypass = decide(&SimplePolicy::new().bypass(), "/etc/x", true);
    assert_eq!(
        (bypass.effect, bypass.by),
        (Verdict::Allow, DecidedBy::Mode)
    );
    assert_eq!(
        decide(&SimplePolicy::new().allow("other"), "/etc/x", true).effect,
        Verdict::Ask
    );
}

#[test]
fn a_tool_lifts_a_default_ask_and_its_deny_holds_in_every_mode() {
    assert_eq!(
        decide(&SimplePolicy::new(), "safe", true).by,
        DecidedBy::Tool
    );
    assert_eq!(
        decide(&SimplePolicy::new(), "safe", true).effect,
        Verdict::Allow
    );
    assert_eq!(
        decide(&SimplePolicy::new().bypass(), "never", false).effect,
        Verdict::Deny
    );
}

#[test]
fn an_explanation_names_the_paths_and_what_would_flip_it() {
    let why = SimplePolicy::new().explain(&call("../b", true), &Facts::new("/proj"));
    assert_eq!(why.trace[0].subject.as_deref(), Some("/b"));
    assert_eq!(why.flip.as_deref(), Some("`--allow touch` would allow it"));
}
