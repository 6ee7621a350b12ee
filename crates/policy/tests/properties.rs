//! The invariants of the policy, and the fast evaluator against the naive one.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test or a measurement may stop where it stands, and looks at the machine"
)]

mod naive;

use std::path::Path;

use naive::{Call, Verdict};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};
use toolpost_policy::{
    Circumstances, HookAnswer, Layer, McpTool, Mode, Place, Prepared, Protected, Question, Rule,
    Rules, Source, ToldDisk, decide,
};

const ROOT: &str = "/proj";

fn decided(rules: &[(Verdict, String)], call: &Call, mode: Mode) -> Verdict {
    decided_with(rules, call, mode, &[], &[])
}

fn decided_with(
    rules: &[(Verdict, String)],
    call: &Call,
    mode: Mode,
    load_errors: &[String],
    hooks: &[HookAnswer],
) -> Verdict {
    let parsed = rules.iter().enumerate().map(|(at, (effect, text))| {
        Rule::parse(text, *effect, Source::new(Layer::User, "user", at + 1))
            .expect("a rule of the generator")
    });
    let rules = Rules::new(parsed, Path::new(ROOT), None);
    let disk = ToldDisk::new().with_link("/proj/link", "/proj/secrets");
    let place = Place::new(ROOT, &disk);
    let (name, input) = question(call);
    let mcp = match call {
        Call::Mcp(server, tool) => Some(McpTool::new(*server, *tool)),
        _ => None,
    };
    let mut asked = Question::of_input(&name, &input);
    if let Some(mcp) = &mcp {
        asked = asked.of_mcp(mcp);
    }
    let prepared = Prepared::new(asked, &place);
    let protected = Protected::default();
    let on = Circumstances {
        rules: &rules,
        mode,
        protected: &protected,
        load_errors,
        hooks,
    };
    decide(&prepared, &on).effect
}

fn question(call: &Call) -> (String, Value) {
    match call {
        Call::Path { tool, path } => {
            let field = match *tool {
                "NotebookEdit" => "notebook_path",
                "Grep" | "Glob" | "Ls" => "path",
                _ => "file_path",
            };
            ((*tool).to_owned(), json!({ field: path }))
        }
        Call::Bash(lines) => ("Bash".to_owned(), json!({ "command": lines.join(" && ") })),
        Call::Web(host) => (
            "WebFetch".to_owned(),
            json!({ "url": format!("https://{host}/x") }),
        ),
        Call::Mcp(server, tool) => (format!("mcp__{server}__{tool}"), json!({})),
    }
}

fn a_path() -> impl Strategy<Value = String> {
    let name = select(vec![
        "src", "secrets", "secretsx", "link", "a.env", ".env", "k.pem", "b",
    ]);
    let base = select(vec!["/proj", "/proj", "/proj", "/etc", "/proj-evil", ""]);
    (base, prop::collection::vec(name, 1..4))
        .prop_map(|(base, names)| format!("{base}/{}", names.join("/")))
}

fn a_pattern() -> impl Strategy<Value = String> {
    let name = select(vec![
        "src", "secrets", "link", "a.env", "*.env", "*", "**", "k*", "b",
    ]);
    let anchor = select(vec!["./", "/proj/", "/", "", "/etc/"]);
    (anchor, prop::collection::vec(name, 1..4))
        .prop_map(|(anchor, names)| format!("{anchor}{}", names.join("/")))
        // Two in a row mean the same as one.
        .prop_map(|pattern| pattern.replace("**/**/**", "**").replace("**/**", "**"))
        .prop_filter("a lone star is a rule for all names", |pattern| {
            pattern != "**" && pattern != "*"
        })
}

fn a_rule(effect: Verdict) -> BoxedStrategy<(Verdict, String)> {
    let tool = select(vec!["Read", "Edit", "Write", "Grep", "NotebookEdit"]);
    let path = (tool.clone(), a_pattern()).prop_map(|(tool, pattern)| format!("{tool}({pattern})"));
    let plain = select(vec![
        "Read",
        "Edit",
        "Bash",
        "WebFetch",
        "Grep",
        "mcp__gh",
        "mcp__gh__list",
        "mcp__ghx",
        "Bash(npm:*)",
        "Bash(npm test)",
        "Bash(npm run *)",
        "Bash(curl:*)",
        "Bash(npm test:*)",
        "Bash(echo:*)",
        "WebFetch(domain:example.com)",
        "WebFetch(domain:*.example.com)",
        "WebFetch(domain:*)",
    ]);
    let wild = select(vec!["*", "mcp__*"]);
    let rule = if effect == Verdict::Allow {
        prop_oneof![3 => path, 3 => plain.prop_map(str::to_owned)].boxed()
    } else {
        prop_oneof![6 => path, 6 => plain.prop_map(str::to_owned), 1 => wild.prop_map(str::to_owned)].boxed()
    };
    rule.prop_map(move |text| (effect, text)).boxed()
}

fn an_effect() -> impl Strategy<Value = Verdict> {
    select(vec![
        Verdict::Allow,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
    ])
}

fn any_rule() -> impl Strategy<Value = (Verdict, String)> {
    an_effect().prop_flat_map(a_rule)
}

fn some_rules() -> impl Strategy<Value = Vec<(Verdict, String)>> {
    prop::collection::vec(any_rule(), 0..6)
}

fn a_command() -> impl Strategy<Value = String> {
    select(vec![
        "npm test",
        "npm run build",
        "npm",
        "npm test x",
        "curl -V",
        "curl",
        "echo hi",
        "echo npm",
    ])
    .prop_map(str::to_owned)
}

fn a_call() -> BoxedStrategy<Call> {
    let tool = select(vec!["Read", "Grep", "Ls", "Edit", "Write", "NotebookEdit"]);
    prop_oneof![
        4 => (tool, a_path()).prop_map(|(tool, path)| Call::Path { tool, path }),
        3 => prop::collection::vec(a_command(), 1..4).prop_map(Call::Bash),
        1 => select(vec!["example.com", "a.example.com", "evilexample.com", "b.test"]).prop_map(|host| Call::Web(host.to_owned())),
        1 => select(vec![("gh", "list"), ("gh", "delete"), ("ghx", "list")]).prop_map(|(server, tool)| Call::Mcp(server, tool)),
    ]
    .boxed()
}

fn a_mode() -> impl Strategy<Value = Mode> {
    select(Mode::ALL.to_vec())
}

fn with(rules: &[(Verdict, String)], rule: (Verdict, String)) -> Vec<(Verdict, String)> {
    rules.iter().cloned().chain([rule]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_fast_evaluator_agrees_with_the_naive_one(rules in some_rules(), call in a_call(), mode in a_mode()) {
        prop_assert_eq!(decided(&rules, &call, mode), naive::verdict(&rules, &call, mode));
    }

    /// I2: an allow rule never loosens what a deny or ask rule decided; I4: taking one away
    /// never loosens.
    #[test]
    fn an_allow_rule_beats_no_other(rules in some_rules(), rule in a_rule(Verdict::Allow), call in a_call(), mode in a_mode()) {
        let before = decided(&rules, &call, mode);
        let after = decided(&with(&rules, rule), &call, mode);
        prop_assert!(after <= before, "an allow rule made it stricter");
        let firm: Vec<_> = rules.iter().filter(|(effect, _)| *effect != Verdict::Allow).cloned().collect();
        let naked = firm.iter().filter(|(effect, text)| {
            decided(&[(*effect, text.clone())], &call, Mode::Bypass) == *effect
        }).map(|(effect, _)| *effect).max();
        if let Some(ruled) = naked {
            prop_assert!(after >= ruled, "an allow rule loosened a deny or an ask");
        }
    }

    /// I3: a deny or ask rule never loosens anything.
    #[test]
    fn a_deny_or_ask_rule_only_tightens(
        rules in some_rules(),
        rule in prop_oneof![a_rule(Verdict::Deny), a_rule(Verdict::Ask)],
        call in a_call(),
        mode in a_mode(),
    ) {
        prop_assert!(decided(&with(&rules, rule), &call, mode) >= decided(&rules, &call, mode));
    }

    /// I5: order does not matter; I6: neither does saying a thing twice.
    #[test]
    fn order_and_repetition_do_not_matter(rules in some_rules(), call in a_call(), mode in a_mode()) {
        let mut other: Vec<_> = rules.iter().rev().cloned().collect();
        other.extend(rules.iter().cloned());
        prop_assert_eq!(decided(&rules, &call, mode), decided(&other, &call, mode));
    }

    /// I7: a line is at least as strict as each of its commands.
    #[test]
    fn a_line_is_as_strict_as_its_strictest_command(rules in some_rules(), lines in prop::collection::vec(a_command(), 1..4), mode in a_mode()) {
        let whole = decided(&rules, &Call::Bash(lines.clone()), mode);
        for line in lines {
            prop_assert!(whole >= decided(&rules, &Call::Bash(vec![line]), mode));
        }
    }

    /// I8: what a command is wrapped in, and how it is quoted, takes no deny and no ask away.
    #[test]
    fn wrapping_takes_no_deny_away(
        rules in some_rules(),
        command in a_command(),
        wrap in select(vec![
            "env -i {}", "timeout 5 {}", "nice -n1 {}", "command {}", "( {} )", "{ {}; }", "A=1 {}", "/usr/bin/{}",
            "echo $({})", "bash -c '{}'", "eval {}", "if true; then {}; fi", "'{}'", "\\{}", "nohup {}",
        ]),
        mode in a_mode(),
    ) {
        let firm: Vec<_> = rules.into_iter().filter(|(effect, _)| *effect != Verdict::Allow).collect();
        let wrapped = if wrap == "'{}'" {
            let (program, rest) = command.split_once(' ').unwrap_or((&command, ""));
            format!("'{program}' {rest}")
        } else {
            wrap.replace("{}", &command)
        };
        let plain = decided(&firm, &Call::Bash(vec![command]), mode);
        prop_assert!(decided(&firm, &Call::Bash(vec![wrapped]), mode) >= plain);
    }

    /// I9: what a stricter mode allows, a looser one allows.
    #[test]
    fn modes_nest(rules in some_rules(), call in a_call()) {
        let allows = |mode| decided(&rules, &call, mode) == Verdict::Allow;
        prop_assert!(!allows(Mode::Plan) || allows(Mode::Default));
        prop_assert_eq!(allows(Mode::Default), allows(Mode::DontAsk));
        prop_assert!(!allows(Mode::Default) || allows(Mode::AcceptEdits));
        prop_assert!(!allows(Mode::AcceptEdits) || allows(Mode::Bypass));
    }

    /// I10 and I12: a deny holds in every mode, and nobody is asked where nobody is to be asked.
    #[test]
    fn a_deny_holds_in_every_mode(rules in some_rules(), call in a_call(), mode in a_mode()) {
        let denies: Vec<_> = rules.iter().filter(|(effect, _)| *effect == Verdict::Deny).cloned().collect();
        if decided(&denies, &call, Mode::Bypass) == Verdict::Deny {
            prop_assert_eq!(decided(&rules, &call, mode), Verdict::Deny);
        }
        prop_assert_ne!(decided(&rules, &call, Mode::DontAsk), Verdict::Ask);
    }

    /// Settings that did not load, and a hook that broke, are no consent to anything.
    #[test]
    fn a_load_error_or_a_broken_hook_is_no_consent(rules in some_rules(), call in a_call(), mode in a_mode()) {
        let errors = ["user: broken".to_owned()];
        let hooks = [HookAnswer::Allow, HookAnswer::Error];
        prop_assert!(decided_with(&rules, &call, mode, &errors, &[HookAnswer::Allow]) >= Verdict::Ask);
        prop_assert!(decided_with(&rules, &call, mode, &[], &hooks) >= Verdict::Ask);
    }

    /// A hook's consent lifts only what no rule decided.
    #[test]
    fn a_hook_beats_no_rule(rules in some_rules(), call in a_call(), mode in a_mode()) {
        let firm: Vec<_> = rules.iter().filter(|(effect, _)| *effect != Verdict::Allow).cloned().collect();
        let ruled = decided(&firm, &call, Mode::Bypass);
        prop_assert!(decided_with(&rules, &call, mode, &[], &[HookAnswer::Allow]) >= ruled);
    }

    /// I13: a path is judged alike however it is spelled.
    #[test]
    fn spelling_does_not_matter(rules in some_rules(), path in a_path(), tool in select(vec!["Read", "Write"]), mode in a_mode()) {
        let plain = decided(&rules, &Call::Path { tool, path: path.clone() }, mode);
        for other in [path.replace('/', "//"), path.replace('/', "/./"), format!("{path}/x/.."), path.replacen('/', "/q/../", 1)] {
            prop_assert_eq!(decided(&rules, &Call::Path { tool, path: other }, mode), plain);
        }
    }
}
