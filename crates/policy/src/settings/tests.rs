use super::*;

fn parse(text: &str) -> Settings {
    Settings::parse(text, "toolpost.toml", Layer::Project)
}

fn errors(text: &str) -> Vec<String> {
    parse(text).errors.iter().map(ToString::to_string).collect()
}

const WHOLE: &str = r#"
[permissions]
mode = "accept-edits"
allow = ["Bash(cargo test:*)"]
ask = []
deny = [
  "Read(./secrets/**)",
]
protected = ["infra/**"]
roots = ["../shared"]

[[permissions.test]]
call = { name = "Bash", arguments = { command = "cargo test && git push" } }
expect = "ask"

[limits]
max_parallel = 4
timeout = "30s"

[journal]
mask = ["(?i)api[_-]?key\\S*"]
max_age = "30d"
max_bytes = 1000000
questions_last = "1d"

[[hooks.before]]
tools = ["Bash"]
command = ["./check.sh"]

[servers.github]
command = ["github-mcp"]
trust_annotations = false

[[tool]]
name = "count_words"
"#;

#[test]
fn a_whole_file_is_read_and_every_rule_knows_its_line() {
    let settings = parse(WHOLE);
    assert_eq!(settings.errors, []);
    let rules: Vec<String> = settings
        .permissions
        .rules
        .iter()
        .map(|rule| format!("{} {rule}", rule.source()))
        .collect();
    assert_eq!(
        rules,
        [
            "toolpost.toml:4 Bash(cargo test:*)",
            "toolpost.toml:7 Read(./secrets/**)"
        ]
    );
    assert_eq!(
        settings.permissions.mode.as_ref().map(|(mode, _)| *mode),
        Some(Mode::AcceptEdits)
    );
    assert_eq!(settings.permissions.tests.len(), 1);
    assert_eq!(settings.limits.max_parallel, Some(4));
    assert_eq!(settings.journal.max_age.as_deref(), Some("30d"));
    assert_eq!(settings.journal.max_bytes, Some(1_000_000));
    assert_eq!(settings.journal.questions_last.as_deref(), Some("1d"));
    assert_eq!(settings.servers.len(), 1);
    assert_eq!(settings.hooks.before.len(), 1);
    assert_eq!(settings.tools.len(), 1);
}

#[test]
fn mistakes_are_all_told_with_their_lines() {
    let text = "[permissons]\nallow = []\n[permissions]\nalow = []\ndeny = [1, \"Read(\", \"Bash(rm:*)\"]\nmode = \"yolo\"\n";
    insta::assert_snapshot!(errors(text).join("\n"), @r#"
    toolpost.toml:1: unknown key `permissons`; did you mean `permissions`?
    toolpost.toml:4: unknown key `permissions.alow`; did you mean `allow`?
    toolpost.toml:6: `yolo` is no mode; use default, accept-edits, plan, dont-ask or bypass
    toolpost.toml:5: `permissions.deny` is a list of texts, and this is integer; put it in quotes
    toolpost.toml:5: rule `Read(`: the bracket is not closed at the end; write `Read(pattern)`
    "#);
}

#[test]
fn what_can_be_read_beside_a_mistake_still_counts() {
    let settings = parse("[permissions]\ndeny = [1, \"Bash(rm:*)\"]\n");
    assert_eq!(settings.errors.len(), 1);
    assert_eq!(settings.permissions.rules.len(), 1);
}

#[test]
fn a_file_that_is_no_toml_says_where() {
    insta::assert_snapshot!(errors("[permissions]\ndeny = [\"a\"\nmode = ").join("\n"), @r#"
    toolpost.toml:3: this is no TOML: missing comma between array elements, expected `,`
    toolpost.toml:3: this is no TOML: unexpected `=` in array, expected value, `]`
    toolpost.toml:3: this is no TOML: unclosed array, expected `]`
    toolpost.toml:3: this is no TOML: string values must be quoted, expected literal string
    "#);
}

#[test]
fn a_star_in_a_tools_name_may_only_deny_or_ask() {
    insta::assert_snapshot!(errors("[permissions]\ndeny = [\"mcp__*\"]\nallow = [\"mcp__*\"]\n").join("\n"), @r#"toolpost.toml:3: rule `mcp__*`: `*` in a tool's name may only deny or ask; name each tool that is allowed"#);
}

#[test]
fn mistakes_in_the_journal_section_are_told() {
    insta::assert_snapshot!(errors("[journal]\nmax_ages = 1\nmax_age = 3\nmax_bytes = \"1 MB\"\n").join("\n"), @r#"
    toolpost.toml:2: unknown key `journal.max_ages`; did you mean `max_age`?
    toolpost.toml:3: `journal.max_age` is a text, and this is integer; put it in quotes
    toolpost.toml:4: `journal.max_bytes` is a whole number from 1 on
    "#);
}
