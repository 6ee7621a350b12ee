use std::sync::Mutex;

use schemars::JsonSchema;
use serde::Deserialize;
use toolpost_core::{Check, Context, Decided, RawCall, ReadOptions, Subject, ToolBuilder, Toolbox};
use toolpost_policy::{RulePolicy, ToldDisk};

use super::*;

#[derive(Deserialize, JsonSchema)]
struct Line {
    /// A command line.
    command: String,
}

/// A prompt whose answers are given before it asks, and all that it says.
struct Scene {
    prompt: Prompt,
    said: Arc<Mutex<String>>,
    lines: mpsc::UnboundedSender<String>,
    _folder: tempfile::TempDir,
}

fn scene() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let said = Arc::new(Mutex::new(String::new()));
    let (lines, receiver) = mpsc::unbounded_channel();
    let heard = Arc::clone(&said);
    let console = Console {
        say: Box::new(move |text| heard.lock().unwrap().push_str(text)),
        lines: receiver,
    };
    let policy = RulePolicy::builder(&root, Arc::new(ToldDisk::new())).build();
    let policy = LivePolicy::new(Arc::new(policy));
    let rules = RuleFile::of(&root);
    let allowed = Allowed::new(Arc::new(Toolbox::new()));
    let prompt = Prompt::new(console, policy, Some(rules), allowed);
    prompt.begin(Facts::new(&root));
    Scene {
        prompt,
        said,
        lines,
        _folder: folder,
    }
}

impl Scene {
    fn facts(&self) -> &Facts {
        self.prompt.facts.get().unwrap()
    }

    fn asked(&self, command: &str) -> AskedCall {
        self.asked_by(command, Check::Defer)
    }

    /// The same, with what a hook says.
    fn asked_by(&self, command: &str, hook: Check) -> AskedCall {
        let bash = ToolBuilder::<Line>::new("Bash", "Run a command.")
            .subjects(|input, _| vec![Subject::Command(input.command.clone())])
            .describe(|input| format!("Run {}", input.command))
            .call(|input, _: Context| async move { Ok(input.command) });
        let mut toolbox = Toolbox::new();
        toolbox.add(bash).unwrap();
        let input = serde_json::json!({ "command": command }).to_string();
        let facts = self.facts();
        let call = toolbox
            .validate(
                RawCall::new("c1", "Bash", input),
                facts,
                &ReadOptions::default(),
            )
            .unwrap();
        match call.decide_with(&self.prompt.policy, facts, [hook]) {
            Decided::Asked(asked) => asked,
            other => panic!("{other:?}"),
        }
    }

    /// The answer when these lines are typed once the question is there.
    async fn answer(&self, asked: &AskedCall, typed: &[&str]) -> Answer {
        let typing = async {
            // The question is put before anything is typed.
            tokio::task::yield_now().await;
            for line in typed {
                self.lines.send((*line).to_owned()).unwrap();
            }
        };
        tokio::join!(self.prompt.ask(asked), typing).0
    }

    fn file(&self) -> String {
        let file = self.facts().root().join(".toolpost/local.toml");
        std::fs::read_to_string(file).unwrap_or_default()
    }

    fn said(&self) -> String {
        std::mem::take(&mut self.said.lock().unwrap())
    }
}

#[tokio::test]
async fn a_question_shows_what_will_run_and_what_always_would_store() {
    let scene = scene();
    let asked = scene.asked("cargo publish # \u{202e}\u{200b}\u{1b}[2K");
    assert_eq!(scene.answer(&asked, &["y"]).await, Answer::Yes);
    insta::assert_snapshot!(scene.said(), @r#"
    ── Bash asks: Run cargo publish # \u{202e}\u{200b}\u{1b}[2K
       input   {"command":"cargo publish # \u{202e}\u{200b}\u001b[2K"}
       because it cannot be told what it does: it holds U+202E, which is not shown as what it is
       careful it may reach beyond this machine
       always  not offered: what the line does is not decidable
    [y]es, [s]ession, [a]lways, [n]o, [e]dit, [v]iew all, [?] >
    "#);
}

#[tokio::test]
async fn only_whole_words_are_answers() {
    let scene = scene();
    let asked = scene.asked("cargo publish");
    let typed = ["", "yy", "y please", "maybe", "n try a dry run first"];
    let no = Answer::No(Some("try a dry run first".to_owned()));
    assert_eq!(scene.answer(&asked, &typed).await, no);
    let said = scene.said();
    assert_eq!(said.matches(words::ASK).count(), 5);
    assert_eq!(said.matches(words::HELP).count(), 4);
}

#[tokio::test]
async fn what_was_typed_before_the_question_answers_nothing() {
    let scene = scene();
    scene.lines.send("y".to_owned()).unwrap();
    let asked = scene.asked("cargo publish");
    assert_eq!(scene.answer(&asked, &["n"]).await, Answer::No(None));
}

#[tokio::test]
async fn the_end_of_the_input_is_nobody() {
    let scene = scene();
    let asked = scene.asked("cargo publish");
    let Scene { prompt, lines, .. } = scene;
    drop(lines);
    assert_eq!(prompt.ask(&asked).await, Answer::Nobody);
}

#[tokio::test]
async fn yes_for_the_session_is_for_this_very_call() {
    let scene = scene();
    let asked = scene.asked("cargo publish");
    assert_eq!(scene.answer(&asked, &["s"]).await, Answer::Yes);
    scene.said();
    assert_eq!(
        scene.answer(&scene.asked("cargo publish"), &[]).await,
        Answer::Yes
    );
    assert_eq!(scene.said(), "");
    assert_eq!(
        scene.answer(&scene.asked("cargo publish -v"), &["n"]).await,
        Answer::No(None)
    );
}

#[tokio::test]
async fn always_is_stored_once_and_holds_from_now_on() {
    let scene = scene();
    std::fs::create_dir(scene.facts().root().join(".toolpost")).unwrap();
    let file = scene.facts().root().join(".toolpost/local.toml");
    std::fs::write(
        file,
        "# mine\n[permissions]\ndeny = [\"Read(*.key)\"] # keys\n",
    )
    .unwrap();
    let (first, same) = (scene.asked("cargo publish"), scene.asked("cargo publish"));
    assert_eq!(scene.answer(&first, &["a"]).await, Answer::Yes);
    scene.said();
    assert_eq!(scene.answer(&same, &[]).await, Answer::Yes);
    assert_eq!(
        scene.said(),
        "",
        "the rule has settled the question that waited"
    );
    insta::assert_snapshot!(scene.file(), @r#"
    # mine
    [permissions]
    deny = ["Read(*.key)"] # keys
    allow = ["Bash(cargo publish)"]
    "#);
}

#[tokio::test]
async fn always_is_not_offered_for_what_runs_anything() {
    let scene = scene();
    let asked = scene.asked("python3 a.py");
    assert_eq!(scene.answer(&asked, &["a", "n"]).await, Answer::No(None));
    assert!(
        scene
            .said()
            .contains("not for always: `python3` runs whatever it is told to")
    );
    assert_eq!(scene.file(), "");
}

#[tokio::test]
async fn a_file_that_is_no_toml_is_left_alone() {
    let scene = scene();
    let folder = scene.facts().root().join(".toolpost");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("local.toml"), "not = [toml").unwrap();
    let asked = scene.asked("cargo publish");
    assert_eq!(scene.answer(&asked, &["a", "y"]).await, Answer::Yes);
    assert!(scene.said().contains("nothing was stored"));
    assert_eq!(scene.file(), "not = [toml");
    let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
    assert_eq!(left.len(), 1);
}

#[tokio::test]
async fn an_edit_is_json_or_nothing() {
    let scene = scene();
    let asked = scene.asked("cargo publish");
    let typed = [
        "e",
        "cargo test",
        "e",
        "",
        "e",
        r#"{"command":"cargo test"}"#,
    ];
    let edit = Answer::Edit(r#"{"command":"cargo test"}"#.to_owned());
    assert_eq!(scene.answer(&asked, &typed).await, edit);
}

#[tokio::test]
async fn what_a_hook_asks_no_rule_answers() {
    let scene = scene();
    let hook = || Check::Ask("look twice".to_owned());
    // The policy itself allows the one, and has been told to allow the other.
    let only_looks = scene.asked_by("ls", hook());
    assert_eq!(scene.answer(&only_looks, &["n"]).await, Answer::No(None));
    let publish = scene.asked("cargo publish");
    let asked_twice = scene.asked_by("cargo publish", hook());
    assert_eq!(scene.answer(&publish, &["a"]).await, Answer::Yes);
    scene.said();
    assert_eq!(
        scene.answer(&asked_twice, &["a", "n"]).await,
        Answer::No(None)
    );
    let said = scene.said();
    assert!(
        said.contains("not for always: a hook asks about it in any case"),
        "{said}"
    );
    // Nor does the word for a session that was given when no hook asked.
    let push = scene.asked("git push");
    assert_eq!(scene.answer(&push, &["s"]).await, Answer::Yes);
    let asked_twice = scene.asked_by("git push", hook());
    assert_eq!(scene.answer(&asked_twice, &["n"]).await, Answer::No(None));
}

#[test]
fn a_long_input_says_what_it_leaves_out() {
    let scene = scene();
    let asked = scene.asked(&format!(
        "cargo publish {}x{}",
        "a".repeat(9_000),
        "b".repeat(9_000)
    ));
    let always = Err("no".to_owned());
    let short = words::question(&asked, scene.facts(), &always, words::MOST_SHOWN);
    assert!(short.contains("more characters, `v` shows all"));
    assert!(!short.contains("axb"));
    assert!(words::question(&asked, scene.facts(), &always, usize::MAX).contains("axb"));
}

#[test]
fn rules_are_put_into_the_workspaces_own_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = RuleFile::of(folder.path());
    let rules = ["Bash(cargo publish)".to_owned(), "Edit(./a\"b)".to_owned()];
    assert_eq!(file.add(&rules).unwrap().len(), 2);
    file.add(&rules).unwrap();
    let text = std::fs::read_to_string(folder.path().join(".toolpost/local.toml")).unwrap();
    assert_eq!(text.matches("cargo publish").count(), 1, "{text}");
}
