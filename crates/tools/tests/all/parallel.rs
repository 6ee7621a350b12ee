//! Calls on real files together, held against the same calls one by one.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use toolpost_core::{Outcome, RawCall, SimplePolicy, Toolbox};
use toolpost_run::Session;
use toolpost_tools::{DiskLinks, FileState, add_builtins};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n as u64) as usize
    }
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }
}

const FILES: [&str; 6] = [
    "a.txt",
    "b.txt",
    "in/c.txt",
    "in/deep/d.txt",
    "link.txt",
    "new/e.txt",
];
const WORDS: [&str; 4] = ["one", "two", "three", "four"];

fn call(random: &mut Random) -> (&'static str, Value) {
    let file = random.pick(&FILES);
    match random.below(11) {
        0 | 1 => ("Read", json!({ "file_path": file })),
        2 => (
            "Write",
            json!({ "file_path": file, "content": format!("{}\n{}\n", random.pick(&WORDS), random.pick(&WORDS)) }),
        ),
        3 | 4 => (
            "Edit",
            json!({ "file_path": file, "old_string": random.pick(&WORDS), "new_string": random.pick(&WORDS), "replace_all": true }),
        ),
        5 => (
            "Grep",
            json!({ "pattern": random.pick(&WORDS), "path": random.pick(&[".", "in", "a.txt"]), "output_mode": "content" }),
        ),
        6 => (
            "Glob",
            json!({ "pattern": "**/*.txt", "path": random.pick(&[".", "in"]) }),
        ),
        _ => ("Bash", json!({ "command": command(random) })),
    }
}

/// Commands that look, that change what they name, that change what nobody can tell, and that move.
fn command(random: &mut Random) -> String {
    let file = random.pick(&FILES);
    let word = random.pick(&WORDS);
    match random.below(10) {
        0 => format!("cat {file}"),
        1 => "cat *.txt | sort".to_owned(),
        2 => format!("grep -rn {word} . | sort"),
        3 => "pwd; ls".to_owned(),
        4 => format!("echo {word} >> {file}"),
        5 => format!("printf '%s\\n' {word} two > {file}"),
        6 => format!("sed -i s/{word}/two/ {file}"),
        7 => format!(
            "cd {} && pwd",
            random.pick(&["in", "in/deep", "..", "nowhere"])
        ),
        8 => format!("mv {file} {}", random.pick(&["b.txt", "in/c.txt"])),
        _ => format!("ln -sf {file} linked.txt; eval 'cd in'; wc -l {file}"),
    }
}

fn lay(root: &Path) {
    std::fs::create_dir_all(root.join("in/deep")).unwrap();
    for (number, file) in FILES.iter().take(4).enumerate() {
        std::fs::write(root.join(file), format!("{}\ntwo\n", WORDS[number])).unwrap();
    }
    std::os::unix::fs::symlink("in/c.txt", root.join("link.txt")).unwrap();
}

fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().display().to_string();
            if path.is_symlink() {
                found.insert(name, format!("-> {}", path.read_link().unwrap().display()));
            } else if path.is_dir() {
                open.push(path);
            } else {
                found.insert(name, std::fs::read_to_string(path).unwrap());
            }
        }
    }
    found
}

/// What must be equal: all but times, and the order of what is listed newest first, since two files
/// written together have no order.
fn seen(outcome: &Outcome, root: &Path) -> (String, Vec<String>) {
    let text = outcome
        .model_text()
        .replace(&root.display().to_string(), "ROOT");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if matches!(outcome.name.as_deref(), Some("Glob" | "Grep")) {
        lines.sort();
    }
    (format!("{:?}", outcome.status), lines)
}

async fn run(
    calls: &[(&'static str, Value)],
    together: bool,
) -> (Vec<(String, Vec<String>)>, BTreeMap<String, String>) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    lay(&root);
    let mut toolbox = Toolbox::new();
    add_builtins(&mut toolbox).unwrap();
    let session = Session::builder(toolbox, &root)
        .links(DiskLinks)
        .state(FileState::new())
        .policy(SimplePolicy::new().bypass())
        .build()
        .unwrap();
    let raw = |(n, (name, input)): (usize, &(&'static str, Value))| {
        RawCall::new(n.to_string(), *name, input.to_string())
    };
    let raws = calls.iter().enumerate().map(raw);
    let outcomes = if together {
        session.run(raws).await
    } else {
        let mut outcomes = Vec::new();
        for raw in raws {
            outcomes.push(session.call(raw).await);
        }
        outcomes
    };
    (
        outcomes
            .iter()
            .map(|outcome| seen(outcome, &root))
            .collect(),
        tree(&root),
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn together_is_as_one_by_one() {
    for seed in 1..=120_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let calls: Vec<_> = (0..14).map(|_| call(&mut random)).collect();
        let together = run(&calls, true).await;
        let one_by_one = run(&calls, false).await;
        assert_eq!(together, one_by_one, "seed {seed}: {calls:#?}");
    }
}
