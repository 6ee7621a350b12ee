use std::path::Path;

use super::*;
use crate::layer::Layer;

fn warnings(rules: &[(Verdict, &str)]) -> String {
    let parsed = rules.iter().enumerate().map(|(at, (effect, text))| {
        Rule::parse(text, *effect, Source::new(Layer::User, "s.toml", at + 1)).unwrap()
    });
    let rules = Rules::new(parsed, Path::new("/proj"), Some(Path::new("/home/u")));
    let found = check(
        &rules,
        &["Read", "Bash", "Edit", "WebFetch", "TodoWrite"],
        &["github"],
    );
    found
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

use Verdict::{Allow, Ask, Deny};

#[test]
fn good_rules_are_left_alone() {
    let rules = [
        (Allow, "Bash(cargo test:*)"),
        (Ask, "Bash(cargo:*)"),
        (Deny, "Read(./secrets/**)"),
        (Allow, "Read(./secretsx/**)"),
        (Allow, "mcp__github__list"),
    ];
    assert_eq!(warnings(&rules[2..]), "");
}

#[test]
fn rules_that_never_match() {
    insta::assert_snapshot!(warnings(&[
        (Allow, "Bash(cd x && make)"),
        (Deny, "Read(./{a,b}/**)"),
        (Allow, "TodoWrite(x/y)"),
    ]), @r#"
    s.toml:1: rule `Bash(cd x && make)`: it never matches, since commands are matched one by one; write a rule for each side of `&&`
    s.toml:2: rule `Read(./{a,b}/**)`: `{` means itself here; only `*` and `**` stand for something else
    s.toml:3: rule `TodoWrite(x/y)`: it never matches, since calls of `TodoWrite` name no path; write `TodoWrite`
    "#);
}

#[test]
fn rules_that_name_nobody() {
    insta::assert_snapshot!(warnings(&[
        (Deny, "bash(rm:*)"),
        (Deny, "Raed(./x)"),
        (Allow, "mcp__git_hub__list"),
        (Deny, "mcp__other"),
    ]), @r#"
    s.toml:1: rule `bash(rm:*)`: there is no tool `bash`; did you mean `Bash`?
    s.toml:2: rule `Raed(./x)`: there is no tool `Raed`; did you mean `Read`?
    s.toml:3: rule `mcp__git_hub__list`: there is no server `git_hub`; did you mean `github`?
    s.toml:4: rule `mcp__other`: there is no server `other`
    "#);
}

#[test]
fn rules_that_others_decide_for() {
    insta::assert_snapshot!(warnings(&[
        (Allow, "Bash(git push:*)"),
        (Deny, "Bash(git:*)"),
        (Allow, "Read(./secrets/a/**)"),
        (Ask, "Read(./secrets/**)"),
        (Allow, "WebFetch(domain:a.example.com)"),
        (Allow, "WebFetch(domain:*.example.com)"),
        (Allow, "Edit(./a)"),
        (Allow, "Edit(./a)"),
        (Allow, "Bash(npm test)"),
        (Deny, "Bash"),
    ]), @r#"
    s.toml:1: rule `Bash(git push:*)`: it never decides, since `Bash(git:*)` (s.toml:2) denies all that it is about
    s.toml:2: rule `Bash(git:*)`: `Bash` (s.toml:10) covers it already
    s.toml:3: rule `Read(./secrets/a/**)`: it never decides, since `Read(./secrets/**)` (s.toml:4) asks about all that it is about
    s.toml:5: rule `WebFetch(domain:a.example.com)`: `WebFetch(domain:*.example.com)` (s.toml:6) covers it already
    s.toml:8: rule `Edit(./a)`: `Edit(./a)` (s.toml:7) covers it already
    s.toml:9: rule `Bash(npm test)`: it never decides, since `Bash` (s.toml:10) denies all that it is about
    "#);
}
