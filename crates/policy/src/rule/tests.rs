use super::*;
use crate::layer::Layer;
use crate::rule::command::Fit;

fn parse(text: &str, effect: Verdict) -> Result<Rule, RuleError> {
    Rule::parse(text, effect, Source::new(Layer::User, "settings.toml", 7))
}

#[test]
fn every_form_of_a_rule_is_read() {
    for text in [
        "Read",
        "Bash",
        "Bash(*)",
        "Bash(git commit:*)",
        "Bash(npm run *)",
        "Bash(echo 'a b')",
        "Read(./secrets/**)",
        "Edit(~/notes/*.md)",
        "Read(*.env)",
        "WebFetch(domain:*.example.com)",
        "mcp__gh",
        "mcp__gh__list",
        "my-tool.v2",
    ] {
        let rule = parse(text, Verdict::Allow).unwrap();
        assert_eq!(&**rule.text(), text);
    }
}

#[test]
fn a_mistake_says_where_it_is_and_what_would_be_right() {
    let errors: Vec<String> = [
        "",
        " Read",
        "Read(./x",
        "Read()",
        "Ba*h",
        "*",
        "mcp__gh__list(x)",
        "mcp__",
        "WebFetch(example.com)",
        "WebFetch(domain:https://example.com/x)",
        "Read(./a**b)",
        "Re ad",
    ]
    .into_iter()
    .map(|text| parse(text, Verdict::Allow).unwrap_err().to_string())
    .collect();
    insta::assert_snapshot!(errors.join("\n"), @r#"
    settings.toml:7: rule ``: a rule has no blanks around it and is not empty; write `Tool` or `Tool(pattern)`
    settings.toml:7: rule ` Read`: a rule has no blanks around it and is not empty; write `Tool` or `Tool(pattern)`
    settings.toml:7: rule `Read(./x`: the bracket is not closed at the end; write `Read(pattern)`
    settings.toml:7: rule `Read()`: the pattern is empty; write `Read` for all its calls
    settings.toml:7: rule `Ba*h`: `*` in a tool's name may only deny or ask; name each tool that is allowed
    settings.toml:7: rule `*`: `*` in a tool's name may only deny or ask; name each tool that is allowed
    settings.toml:7: rule `mcp__gh__list(x)`: rules of MCP tools take no pattern; write `mcp__gh__list`
    settings.toml:7: rule `mcp__`: names no server; write `mcp__server` or `mcp__server__tool`
    settings.toml:7: rule `WebFetch(example.com)`: patterns of `WebFetch` are domains; write `WebFetch(domain:example.com)`
    settings.toml:7: rule `WebFetch(domain:https://example.com/x)`: `https://example.com/x` is no domain; write `domain:example.com`, or `domain:*.example.com` for what lies below it
    settings.toml:7: rule `Read(./a**b)`: `**` stands alone between slashes; write `./a*b`
    settings.toml:7: rule `Re ad`: `Re ad` is no tool's name; names are made of `A-Z a-z 0-9 _ . -`
    "#);
}

fn narrow(pattern: &str, words: &[&str]) -> bool {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    CommandPattern::parse(pattern)
        .unwrap()
        .unwrap()
        .matches_narrow(&words)
}

#[test]
fn allow_takes_words_as_they_are_typed() {
    assert!(narrow("git commit:*", &["git", "commit"]));
    assert!(narrow("git commit:*", &["git", "commit", "-m", "'x'"]));
    assert!(!narrow("git commit:*", &["git", "commit-tree"]));
    assert!(!narrow("git commit:*", &["git", "\"commit\""]));
    assert!(!narrow("git commit:*", &["./git", "commit"]));
    assert!(narrow("npm run *", &["npm", "run", "build"]));
    assert!(narrow("npm run *", &["npm", "run"]));
    assert!(!narrow("npm run *", &["npm", "runx"]));
    assert!(narrow("git * main", &["git", "push", "main"]));
    assert!(narrow("npm test", &["npm", "test"]));
    assert!(!narrow("npm test", &["npm", "test", "x"]));
}

fn broad(pattern: &str, words: &[Option<&str>]) -> Fit {
    CommandPattern::parse(pattern)
        .unwrap()
        .unwrap()
        .matches_broad(words, false)
}

#[test]
fn deny_sees_through_folders_options_and_bundles() {
    assert_eq!(broad("curl:*", &[Some("/usr/bin/curl")]), Fit::Yes);
    assert_eq!(
        broad(
            "git push:*",
            &[Some("git"), Some("-C"), Some("x"), Some("push")]
        ),
        Fit::Yes
    );
    assert_eq!(
        broad("git push:*", &[Some("git"), Some("commit"), Some("push")]),
        Fit::No
    );
    assert_eq!(
        broad("rm -rf:*", &[Some("rm"), Some("-f"), Some("-r"), Some("x")]),
        Fit::Yes
    );
    assert_eq!(
        broad("rm -rf:*", &[Some("rm"), Some("-f"), Some("x")]),
        Fit::No
    );
    assert_eq!(
        broad(
            "git push --force:*",
            &[Some("git"), Some("push"), Some("x"), Some("--force")]
        ),
        Fit::Yes
    );
    assert_eq!(
        broad("npm publish", &[Some("npm"), Some("publish"), Some("x")]),
        Fit::No
    );
}

#[test]
fn a_word_that_is_not_decided_may_be_the_one() {
    assert_eq!(broad("git push:*", &[Some("git"), None]), Fit::Maybe);
    assert_eq!(broad("npm publish", &[Some("npm"), None]), Fit::Maybe);
    assert_eq!(broad("curl:*", &[None, Some("x")]), Fit::Maybe);
    assert_eq!(broad("curl:*", &[Some("ls"), None]), Fit::No);
}

#[test]
fn a_star_is_any_text() {
    for (pattern, text, expect) in [
        ("a*c", "abc", true),
        ("a*c", "ac", true),
        ("a*c", "ab", false),
        ("*", "", true),
        ("a*b*a", "aba", true),
        ("a*a", "a", false),
        ("ab*bc", "abc", false),
        ("*.env", ".env", true),
    ] {
        assert_eq!(glob::matches(pattern, text), expect, "{pattern} {text}");
    }
}

#[test]
fn no_text_breaks_the_parser() {
    use proptest::prelude::*;
    proptest!(|(text in ".{0,40}", effect in prop::sample::select(vec![Verdict::Allow, Verdict::Deny]))| {
        let _ = parse(&text, effect);
        let _ = parse(&format!("Bash({text})"), effect);
        let _ = parse(&format!("Read({text})"), effect);
        let _ = parse(&format!("WebFetch(domain:{text})"), effect);
    });
}
