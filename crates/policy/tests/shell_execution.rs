//! What the classifier calls read-only is really run, and must leave its folder as it was.
//!
//! Run are the commands of the corpus, the examples of the tables, and commands that a generator
//! makes of them. In bubblewrap where it is installed. `TOOLPOST_SHELL_RUNS` says how many of
//! the generator's to run, and `TOOLPOST_SHELL_SEED` with which seed.

#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests may fail"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolpost_policy::shell::{NoShellFacts, analyse};

mod shell_support;

use shell_support::{Dice, commands, examples, mutated};

struct Sandbox {
    folder: tempfile::TempDir,
    has_bubblewrap: bool,
}

impl Sandbox {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let sandbox = Self {
            folder,
            has_bubblewrap: Command::new("bwrap")
                .args(["--unshare-all", "--ro-bind", "/", "/", "true"])
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
        };
        for name in ["work/src", "work/d", "home", "tmp"] {
            std::fs::create_dir_all(sandbox.path(name)).expect("a folder");
        }
        for (name, text) in [
            ("a.txt", "touch pwned\nb.txt\n-delete\n"),
            ("b.txt", "a\nb\n"),
            ("src/main.rs", "fn main() {}\n"),
            ("data.json", "{\"a\":[1,2]}\n"),
            ("p.sed", "w pwned\n"),
            ("p.awk", "BEGIN{system(\"touch pwned\")}\n"),
            ("magic", "0 string x x\n"),
            // Names that are options to what expands them.
            ("-delete", "x\n"),
            ("--output=pwned", "x\n"),
            ("-opwned", "x\n"),
            ("touch", "x\n"),
        ] {
            std::fs::write(sandbox.path("work").join(name), text).expect("a file");
        }
        let program = sandbox.path("work/p.sh");
        std::fs::write(&program, "#!/bin/sh\ntouch pwned\n").expect("a file");
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).expect("a mode");
        std::os::unix::fs::symlink("/etc", sandbox.path("work/out")).expect("a link");
        sandbox
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Everything in the folder: name, size, mode, time of change, content.
    fn tree(&self) -> BTreeMap<PathBuf, (u64, u32, i64, i64, Vec<u8>)> {
        let mut all = BTreeMap::new();
        let mut folders = vec![self.folder.path().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path == self.path("tmp") {
                    // `tac` and `sort` keep what they read there for a moment: the time of the
                    // folder changes, what is in it must not.
                    folders.push(path);
                    continue;
                }
                let about = std::fs::symlink_metadata(&path).expect("an entry");
                let content = if about.is_file() {
                    std::fs::read(&path).expect("a file")
                } else {
                    Vec::new()
                };
                if about.is_dir() {
                    folders.push(path.clone());
                }
                let facts = (
                    about.len(),
                    about.mode(),
                    about.mtime(),
                    about.mtime_nsec(),
                    content,
                );
                all.insert(path, facts);
            }
        }
        all
    }

    fn run(&self, command: &str) {
        let mut runner = Command::new("timeout");
        runner.args(["-k", "1", "4"]);
        if self.has_bubblewrap {
            runner.args([
                "bwrap",
                "--unshare-all",
                "--die-with-parent",
                "--ro-bind",
                "/",
                "/",
            ]);
            runner.args(["--dev", "/dev", "--proc", "/proc", "--bind"]);
            runner.args([self.folder.path(), self.folder.path()]);
        }
        let _ = runner
            .args(["bash", "--norc", "--noprofile", "-c", command])
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            // Values that a word which is only known later could have.
            .env(
                "x",
                "-v a[$(touch${IFS}pwned)] --output=pwned -opwned -delete",
            )
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}

fn is_read_only(command: &str) -> bool {
    // A command that only waits would hold the test up.
    analyse(command, Path::new("/proj"), &NoShellFacts).is_read_only()
        && !["yes", "sleep", "tail -f", "wait"]
            .iter()
            .any(|slow| command.contains(slow))
}

fn check(commands: impl Iterator<Item = String>) {
    let sandbox = Sandbox::new();
    let before = sandbox.tree();
    let mut count = 0;
    for command in commands {
        sandbox.run(&command);
        count += 1;
        let after = sandbox.tree();
        if before != after {
            let changed: Vec<_> = after
                .keys()
                .filter(|path| before.get(*path) != after.get(*path))
                .chain(before.keys().filter(|path| !after.contains_key(*path)))
                .collect();
            panic!("`{command}` was called read-only and changed {changed:?}");
        }
    }
    eprintln!("ran {count}, in bubblewrap: {}", sandbox.has_bubblewrap);
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

#[test]
fn the_corpus_and_the_examples_change_nothing() {
    let mut all = commands();
    all.extend(examples());
    check(all.into_iter().filter(|command| is_read_only(command)));
}

#[test]
fn what_a_generator_makes_changes_nothing() {
    let mut seeds = commands();
    seeds.extend(examples());
    let runs = usize::try_from(number("TOOLPOST_SHELL_RUNS", 150)).expect("a number");
    let mut dice = Dice::new(number("TOOLPOST_SHELL_SEED", 20_240_601));
    let mut seen = BTreeSet::new();
    let made = std::iter::from_fn(|| {
        for _ in 0..100_000 {
            let command = mutated(&seeds, &mut dice);
            if is_read_only(&command) && seen.insert(command.clone()) {
                return Some(command);
            }
        }
        None
    });
    check(made.take(runs));
}
