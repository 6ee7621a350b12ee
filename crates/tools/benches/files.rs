//! The file and search tools beside the commands that people use for the same.
//!
//! `cargo bench -p toolpost-tools --bench files` makes a tree of 24,000 files and a file of 500 MiB
//! in the folder for temporary files, and takes them away again. Each row is the middle of several
//! runs, ours and the yardstick's in turn, everything in the page cache. `rg`, `sed` and `cp` must
//! be there. A word on the command line chooses the rows that have it in their name.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a benchmark prints and may stop where it stands"
)]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use toolpost_core::{
    Decided, Facts, RawCall, ReadOptions, SimplePolicy, State, Surroundings, Toolbox,
};
use toolpost_tools::{DiskLinks, FileState, add_builtins};

const FOLDERS: usize = 400;
const FILES: usize = 60;
const MIB: usize = 1 << 20;

struct Bench {
    root: PathBuf,
    toolbox: Toolbox,
    facts: Facts,
    runtime: Runtime,
    wanted: String,
}

impl Bench {
    fn new(root: &Path) -> Self {
        let mut state = State::new();
        state.insert(FileState::new());
        let mut toolbox = Toolbox::new();
        add_builtins(&mut toolbox).unwrap();
        Self {
            root: root.to_path_buf(),
            toolbox,
            facts: Facts::new(root)
                .with_state(state)
                .with_links(Arc::new(DiskLinks)),
            runtime: tokio::runtime::Builder::new_multi_thread().build().unwrap(),
            wanted: std::env::args()
                .skip(1)
                .find(|word| !word.starts_with('-'))
                .unwrap_or_default(),
        }
    }

    /// One call that must be done, from its text to its outcome; its structured output.
    fn call(&self, name: &str, input: &Value) -> Value {
        let raw = RawCall::new("1", name, input.to_string());
        let call = self
            .toolbox
            .validate(raw, &self.facts, &ReadOptions::default())
            .unwrap();
        let Decided::Permitted(call) = call.decide(&SimplePolicy::new().bypass(), &self.facts)
        else {
            panic!("not permitted")
        };
        let outcome = self
            .runtime
            .block_on(call.run(Surroundings::new(self.facts.clone())));
        assert!(outcome.is_done(), "{}", outcome.model_text());
        outcome.structured.unwrap()
    }

    fn command(&self, program: &str, arguments: &[&str]) {
        let status = Command::new(program)
            .args(arguments)
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.code().is_some_and(|code| code < 2), "{program}");
    }

    /// Both in turn, so that what else the machine does meets both.
    fn beside(
        &self,
        name: &str,
        most: f64,
        runs: usize,
        mut ours: impl FnMut(),
        mut theirs: impl FnMut(),
    ) {
        if !name.contains(&self.wanted) {
            return;
        }
        let (mut mine, mut their) = (Vec::new(), Vec::new());
        ours();
        theirs();
        for _ in 0..runs {
            mine.push(time(&mut ours));
            their.push(time(&mut theirs));
        }
        let (mine, their) = (middle(mine), middle(their));
        let ratio = mine / their;
        let verdict = if ratio <= most { "" } else { "  OVER" };
        println!("{name:44} {mine:9.2} ms  {their:9.2} ms  {ratio:5.2} (at most {most}){verdict}");
    }

    fn alone(&self, name: &str, most_ms: f64, mut ours: impl FnMut()) {
        if !name.contains(&self.wanted) {
            return;
        }
        ours();
        let times: Vec<f64> = (0..200).map(|_| time(&mut ours)).collect();
        let mine = middle(times);
        let verdict = if mine <= most_ms { "" } else { "  OVER" };
        println!(
            "{name:44} {mine:9.3} ms{:15}(at most {most_ms} ms){verdict}",
            ""
        );
    }
}

fn time(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64() * 1_000.0
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Sources that look like sources, the same in each run; about 6 KiB each.
fn lay(root: &Path) {
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let words = [
        "probe", "value", "buffer", "length", "result", "index", "node", "state",
    ];
    for folder in 0..FOLDERS {
        let path = root.join(format!("d{:02}/e{:02}", folder / 20, folder % 20));
        fs::create_dir_all(&path).unwrap();
        for file in 0..FILES {
            let ending = ["rs", "c", "h"][file % 3];
            let mut text = String::new();
            for line in 0..150 {
                let word =
                    |random: &mut dyn FnMut(u64) -> u64| words[usize::try_from(random(8)).unwrap()];
                let (a, b) = (word(&mut random), word(&mut random));
                text.push_str(&format!(
                    "    let {a}_{line} = {b}({});\n",
                    random(1_000_000)
                ));
            }
            if random(40) == 0 {
                text.push_str("static int needle_probe(void)\n");
            }
            fs::write(path.join(format!("f{file:02}.{ending}")), text).unwrap();
        }
    }
}

fn search(bench: &Bench) {
    let grep = |pattern: &str, mode: &str| {
        let input = json!({ "pattern": pattern, "output_mode": mode });
        bench.call("Grep", &input);
    };
    bench.beside(
        "Grep: files with a literal / rg -l",
        1.1,
        9,
        || grep("needle_probe", "files_with_matches"),
        || bench.command("rg", &["--no-config", "-l", "needle_probe", "."]),
    );
    bench.beside(
        "Grep: regex count / rg -c",
        1.1,
        9,
        || grep(r"static\s+int\s+\w+_probe\(", "count"),
        || {
            bench.command(
                "rg",
                &["--no-config", "-c", r"static\s+int\s+\w+_probe\(", "."],
            )
        },
    );
    bench.beside(
        "Grep: content, 3 of 100 lines / rg -n",
        1.1,
        9,
        || grep(r"= probe\(\d{3}\)", "content"),
        || bench.command("rg", &["--no-config", "-n", r"= probe\(\d{3}\)", "."]),
    );
    bench.beside(
        "Grep: no match / rg",
        1.1,
        9,
        || grep("nothing_is_called_so", "content"),
        || bench.command("rg", &["--no-config", "nothing_is_called_so", "."]),
    );
    bench.beside(
        "Glob: newest 100 of *.h / rg --files --sortr",
        1.0,
        9,
        || drop(bench.call("Glob", &json!({ "pattern": "**/*.h" }))),
        || {
            let arguments = ["--no-config", "--files", "-g", "*.h", "--sortr", "modified"];
            bench.command("rg", &arguments);
        },
    );
}

fn large(bench: &Bench) {
    let line = format!("{}\n", "0123456789 the quick brown fox ".repeat(3));
    let path = bench.root.join("big500.txt");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    for number in 0..500 * MIB / (line.len() + 9) {
        write!(file, "{number:08} {line}").unwrap();
    }
    drop(file);
    let page = |offset: u64| {
        let input = json!({ "file_path": "big500.txt", "offset": offset, "limit": 101 });
        bench.call("Read", &input);
    };
    bench.beside(
        "Read: page at line 100,000 / sed -n",
        0.5,
        9,
        || page(100_000),
        || bench.command("sed", &["-n", "100000,100100p;100100q", "big500.txt"]),
    );
    bench.beside(
        "Read: page at line 4,500,000 / wc -l",
        1.2,
        5,
        || page(4_500_000),
        || bench.command("wc", &["-l", "big500.txt"]),
    );
    fs::remove_file(path).unwrap();
}

fn edit(bench: &Bench) {
    let line = format!("{}\n", "abcdefghij ".repeat(9));
    let mut text = line.repeat(50 * MIB / line.len());
    text.insert_str(
        text.len() / 2 / line.len() * line.len(),
        "here is the MARK of it\n",
    );
    for (ending, crlf) in [("", false), (" with CR LF", true)] {
        let text = if crlf {
            text.replace('\n', "\r\n")
        } else {
            text.clone()
        };
        fs::write(bench.root.join("edit50.txt"), text).unwrap();
        bench.call("Read", &json!({ "file_path": "edit50.txt", "limit": 3 }));
        let mut is_new = false;
        for (lines, old, new) in [
            ("a line", "the MARK of", "the SIGN of"),
            ("two lines", "the MARK of it\nabc", "the SIGN of it\nabc"),
        ] {
            bench.beside(
                &format!("Edit: {lines} of 50 MiB{ending} / cp"),
                2.5,
                9,
                || {
                    let (from, to) = if is_new { (new, old) } else { (old, new) };
                    is_new = !is_new;
                    let input =
                        json!({ "file_path": "edit50.txt", "old_string": from, "new_string": to });
                    bench.call("Edit", &input);
                },
                || bench.command("cp", &["edit50.txt", "copy50.txt"]),
            );
        }
    }
    for name in ["edit50.txt", "copy50.txt"] {
        drop(fs::remove_file(bench.root.join(name)));
    }
}

fn small(bench: &Bench) {
    fs::create_dir_all(bench.root.join("small")).unwrap();
    for number in 0..50 {
        let text = "a line of text\n".repeat(100) + "flip\n";
        fs::write(bench.root.join(format!("small/f{number}.txt")), text).unwrap();
    }
    bench.alone("Read: small", 1.0, || {
        bench.call("Read", &json!({ "file_path": "small/f1.txt" }));
    });
    let mut is_new = false;
    bench.alone("Edit: small", 1.0, || {
        let (old, new) = if is_new {
            ("flop", "flip")
        } else {
            ("flip", "flop")
        };
        is_new = !is_new;
        let input = json!({ "file_path": "small/f1.txt", "old_string": old, "new_string": new });
        bench.call("Edit", &input);
    });
    bench.alone("Ls: 50 entries", 1.0, || {
        bench.call("Ls", &json!({ "path": "small" }));
    });
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let tree = root.join("tree");
    lay(&tree);
    println!("{:44} {:>12}  {:>12}  ratio", "", "ours", "theirs");
    search(&Bench::new(&tree));
    let rest = root.join("rest");
    fs::create_dir(&rest).unwrap();
    let bench = Bench::new(&rest);
    large(&bench);
    edit(&bench);
    small(&bench);
}
