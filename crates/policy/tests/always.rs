//! What "always" stores: the narrowest rules, and for some calls none.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a test or a measurement may stop where it stands, and looks at the machine"
)]

use std::path::PathBuf;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{
    Access, Context, Facts, Policy, RawCall, ReadOptions, Subject, ToolBuilder, Toolbox,
    ValidatedCall, Verdict,
};
use toolpost_policy::{Layer, Mode, Rule, RulePolicy, Source, ToldDisk};

#[derive(Deserialize, JsonSchema)]
struct Line {
    /// A command line.
    command: String,
}

#[derive(Deserialize, JsonSchema)]
struct File {
    /// A path.
    path: PathBuf,
}

fn facts() -> Facts {
    Facts::new("/proj")
}

fn call(name: &str, text: &str) -> ValidatedCall {
    let mut toolbox = Toolbox::new();
    let bash = ToolBuilder::<Line>::new("Bash", "Run a command.")
        .subjects(|input, _| vec![Subject::Command(input.command.clone())])
        .call(|input, _: Context| async move { Ok(input.command) });
    let write = ToolBuilder::<File>::new("Write", "Write a file.")
        .subjects(|input, _| {
            let path = input.path.clone();
            vec![Subject::Path {
                path,
                access: Access::Write,
            }]
        })
        .call(|_, _: Context| async move { Ok(()) });
    let send = ToolBuilder::<Line>::new("send", "Send a word.")
        .call(|input, _: Context| async move { Ok(input.command) });
    toolbox
        .add(bash)
        .unwrap()
        .add(write)
        .unwrap()
        .add(send)
        .unwrap();
    let field = if name == "Write" { "path" } else { "command" };
    let input = serde_json::json!({ field: text }).to_string();
    let raw = RawCall::new("c1", name, input);
    toolbox
        .validate(raw, &facts(), &ReadOptions::default())
        .unwrap()
}

fn policy(rules: &[(&str, Verdict)], mode: Mode) -> RulePolicy {
    let disk = Arc::new(ToldDisk::new().with_home("/home/u"));
    let builder = RulePolicy::builder("/proj", disk).mode(Some(mode));
    let rules = rules.iter().map(|(text, effect)| {
        Rule::parse(text, *effect, Source::new(Layer::User, "user", 1)).unwrap()
    });
    rules
        .fold(builder, |builder, rule| builder.rule(rule))
        .build()
}

fn stored(name: &str, text: &str) -> Result<Vec<String>, String> {
    let always = policy(&[], Mode::Default).always(&call(name, text), &facts())?;
    assert_eq!(always.rules.len(), always.covers.len());
    Ok(always.rules)
}

#[test]
fn one_rule_for_each_command_that_needs_one() {
    assert_eq!(
        stored("Bash", "cargo publish").unwrap(),
        ["Bash(cargo publish)"]
    );
    assert_eq!(
        stored(
            "Bash",
            "ls src && cargo publish --dry-run > out.txt; git push"
        )
        .unwrap(),
        [
            "Bash(cargo publish --dry-run)",
            "Bash(git push)",
            "Edit(./out.txt)"
        ]
    );
    // Quotes keep what would mean something else later.
    assert_eq!(
        stored("Bash", "git commit -m 'why? [x]'").unwrap(),
        ["Bash(git commit -m 'why? [x]')"]
    );
    // What only looks may be fed: it needs no rule.
    assert_eq!(
        stored("Bash", "cargo publish | grep x").unwrap(),
        ["Bash(cargo publish)"]
    );
    assert_eq!(stored("Write", "src/a.rs").unwrap(), ["Edit(./src/a.rs)"]);
    assert_eq!(stored("Write", "/etc/hosts").unwrap(), ["Edit(/etc/hosts)"]);
}

#[test]
fn what_people_run_every_day_is_offered() {
    for command in [
        "cargo test",
        "cargo run -- --config x.toml",
        "npm test",
        "npm run build",
        "npm install exec",
        "make",
        "make test -j4",
        "make \"test\"",
        "go test ./...",
        "pytest -q tests",
        "pytest \"tests/x.py\"",
        "docker build -t run .",
        "docker build --build-arg run=1 .",
        "docker compose up -d",
        "git switch -c x",
        "git stash apply",
        "git cherry-pick -x abc",
        "git commit -c HEAD",
        "git commit -m apply",
        "git commit -m 'fix: x'",
        "git add apply",
        "git push -u origin main",
        "git clean -n",
        "mkdir \"x\"",
        "kubectl get pods",
    ] {
        assert!(
            stored("Bash", command).is_ok(),
            "{command}: {:?}",
            stored("Bash", command)
        );
    }
}

#[test]
fn what_is_stored_allows_this_call_and_no_other() {
    let policy = policy(&[], Mode::Default);
    let now = call("Bash", "cargo publish");
    let always = policy.always(&now, &facts()).unwrap();
    let source = || Source::new(Layer::Local, "local", 1);
    let rules = always
        .rules
        .iter()
        .map(|text| Rule::parse(text, Verdict::Allow, source()).unwrap());
    let later = policy.with_rules(rules);
    let verdict = |call: &ValidatedCall| later.decide(call, &facts()).effect;
    assert_eq!(verdict(&now), Verdict::Allow);
    for other in [
        "cargo publish --token x",
        "cargo",
        "cargo publish; rm a",
        "cargo publish > a",
    ] {
        assert_eq!(verdict(&call("Bash", other)), Verdict::Ask, "{other}");
    }
}

#[test]
fn never_a_whole_tool_a_shell_an_interpreter_or_a_wrapper() {
    for (name, text) in [
        ("send", "hello"),
        ("Bash", "bash -c 'cargo publish'"),
        ("Bash", "sh build.sh"),
        ("Bash", "python3 -m build"),
        ("Bash", "python3.12 setup.py"),
        ("Bash", "node a.js"),
        ("Bash", "npx something"),
        ("Bash", "env A=b cargo publish"),
        ("Bash", "sudo make install"),
        ("Bash", "timeout 5 make"),
        ("Bash", "find . -name a | xargs touch"),
        ("Bash", "eval \"$x\""),
        ("Bash", "$tool publish"),
        ("Bash", "./release.sh"),
        ("Bash", "/usr/bin/make"),
        ("Bash", "touch *"),
        ("Bash", "echo $(cargo publish"),
        ("Bash", "f=a; touch $f"),
        ("Bash", "touch \"${HOME}/a\""),
        ("Bash", "touch \"$1\""),
        ("Bash", "touch a?"),
        ("Bash", "cat \"$x\""),
        ("Bash", "touch [ab]"),
        ("Bash", "touch `hostname`"),
        ("Bash", "make -f -"),
        ("Bash", "make -f- all"),
        ("Bash", "kubectl apply -f -"),
        ("Bash", "crontab -"),
        ("Bash", "at now"),
        ("Bash", "ed a.txt"),
        ("Bash", "patch -p1"),
        ("Bash", "git apply"),
        ("Bash", "git -C sub apply x.patch"),
        ("Bash", "echo x | cargo login"),
        ("Bash", "cargo login <<< x"),
        ("Bash", "cargo login < token.txt"),
        ("Bash", "cargo login <<'END'\nx\nEND"),
        ("Bash", "echo x | { cargo login; }"),
        ("Bash", "{ cargo login; } < a"),
        ("Bash", "echo x | (cd a && cargo login)"),
        ("Bash", "docker exec -i web sh"),
        ("Bash", "docker --context x exec web rm a"),
        ("Bash", "git -c core.pager=x log"),
        ("Bash", "git bisect run make"),
        ("Bash", "git rebase -x make main"),
        ("Bash", "git rebase --exec=make main"),
        ("Bash", "source a.sh"),
        ("Bash", ". a.sh"),
        ("Bash", "npm exec x"),
        ("Bash", "pnpm dlx x"),
        ("Bash", "uv run a.py"),
        ("Bash", "poetry run x"),
        ("Bash", "bundle exec rake"),
        ("Bash", "nix-shell -p x"),
        ("Bash", "conda run x"),
        ("Bash", "fakeroot make install"),
        ("Bash", "tmux new -d x"),
        ("Bash", "tar --checkpoint-action=exec=x -cf a.tar b"),
        ("Bash", "rsync -essh a b:"),
        ("Bash", "ghc -e x"),
        ("Bash", "cmake -P a.cmake"),
        ("Bash", "mysql db"),
        ("Bash", "hash -p ./evil ls"),
        ("Bash", "export PATH=x"),
        ("Bash", "tar cIf x y z"),
        ("Bash", "rsync -ave x a b"),
        ("Bash", "tar --use-compress-prog=x -cf a b"),
        ("Bash", "make --eval=x"),
        ("Bash", "git clone -qu x y"),
        ("Bash", "git fetch ext::x"),
        ("Bash", "git grep -O x"),
        ("Bash", "git -c a=b status"),
        ("Bash", "git submodule foreach ls"),
        ("Bash", "git config alias.x '!id'"),
        ("Bash", "docker compose exec web rm a"),
        ("Bash", "kubectl -n a exec web rm a"),
        ("Bash", "python3-dbg a.py"),
        ("Bash", "python.exe a.py"),
        ("Bash", "run0 rm a"),
        ("Bash", "ld-linux-x86-64.so.2 /bin/x"),
        ("Bash", "make > a*"),
        ("Bash", "toolpost trust"),
        ("Write", "src/*.rs"),
    ] {
        let stored = stored(name, text);
        assert!(stored.is_err(), "{name} {text}: {stored:?}");
    }
}

#[test]
fn nothing_is_stored_that_would_not_help() {
    for (name, text) in [
        ("Bash", "rm -rf /"),
        ("Write", "toolpost.toml"),
        ("Write", ".git/hooks/x"),
    ] {
        let stored = stored(name, text);
        // What is protected may be named, since its own rule names the folder.
        if let Ok(rules) = &stored {
            assert!(
                rules
                    .iter()
                    .all(|rule| rule.contains(".git/") || rule.contains("toolpost.toml")),
                "{rules:?}"
            );
        }
    }
    let asks = policy(&[("Bash(git push:*)", Verdict::Ask)], Mode::Default);
    let push = call("Bash", "git push");
    assert!(asks.always(&push, &facts()).is_err());
    let plan = policy(&[], Mode::Plan);
    assert!(plan.always(&push, &facts()).is_err());
}
