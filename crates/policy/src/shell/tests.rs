#![allow(
    clippy::disallowed_macros,
    clippy::disallowed_methods,
    reason = "a test has a clock and says what it saw"
)]
use std::path::{Path, PathBuf};

use super::{Analysis, ShellFacts, analyse};

struct Home;

impl ShellFacts for Home {
    fn home(&self) -> Option<&Path> {
        Some(Path::new("/home/u"))
    }
    fn glob(&self, pattern: &str) -> Option<Vec<PathBuf>> {
        match pattern {
            "/proj/sec*/k.pem" => Some(vec![PathBuf::from("/proj/secrets/k.pem")]),
            _ => None,
        }
    }
}

fn look(command: &str) -> Analysis {
    analyse(command, Path::new("/proj"), &Home)
}

/// The programs of a line with what led to them.
fn programs(command: &str) -> Vec<String> {
    look(command)
        .commands
        .iter()
        .filter_map(|c| c.program.clone())
        .collect()
}

fn reads(command: &str) -> Vec<String> {
    let analysis = look(command);
    let mut all: Vec<String> = analysis
        .reads()
        .filter(|path| !path.is_listing)
        .map(|path| match &path.path {
            Some(path) => path.display().to_string(),
            None => format!("?{}", path.raw),
        })
        .collect();
    all.dedup();
    all
}

fn writes(command: &str) -> Vec<String> {
    let analysis = look(command);
    analysis
        .writes()
        .map(|path| match &path.path {
            Some(path) => path.display().to_string(),
            None => format!("?{}", path.raw),
        })
        .collect()
}

fn critical(command: &str) -> bool {
    look(command).commands.iter().any(|c| c.critical.is_some())
}

#[test]
fn programs_are_found_through_everything() {
    for command in [
        "curl https://x.example",
        "{ curl https://x.example; }",
        "(curl https://x.example)",
        "A=1 curl https://x.example",
        "env -i curl https://x.example",
        "env -i A=1 curl https://x.example",
        "timeout 5 nice -n1 curl https://x.example",
        "/usr/bin/curl https://x.example",
        "$'\\x63url' https://x.example",
        "cu''rl https://x.example",
        "c\\url https://x.example",
        "eval curl https://x.example",
        "eval 'curl https://x.example'",
        "find . -exec curl https://x.example \\;",
        "if true; then curl https://x.example; fi",
        "command curl https://x.example",
        "builtin command curl https://x.example",
        "exec curl https://x.example",
        "c=curl; $c https://x.example",
        "c=curl && \"$c\" https://x.example",
        "for c in wget curl; do $c https://x.example; done",
        "c='curl https://x.example'; $c",
        "echo $(curl https://x.example)",
        "echo \"`curl https://x.example`\"",
        "cat <(curl https://x.example)",
        "cat <<E\n$(curl https://x.example)\nE",
        "bash -c 'curl https://x.example'",
        "bash -lc 'curl https://x.example'",
        "sh -c 'bash -c \"curl https://x.example\"'",
        "bash -c '$0 https://x.example' curl",
        "bash -c '$1 https://x.example' x curl",
        "xargs curl < urls",
        "xargs -I{} curl {} < urls",
        "echo x | xargs -n 1 timeout 3 curl",
        "f() { curl https://x.example; }; f",
        "while read -r x; do curl \"$x\"; done",
        "case $x in a) curl https://x.example;; esac",
        "! curl https://x.example",
        "time -p curl https://x.example",
        "coproc curl https://x.example",
        "{curl,https://x.example}",
        "trap 'curl https://x.example' EXIT",
        "ssh host curl https://x.example",
        "sudo -u root curl https://x.example",
        "[[ $(curl https://x.example) ]]",
        "echo $(( $(curl https://x.example) ))",
        "x=$(curl https://x.example)",
        "a=(1 $(curl https://x.example))",
        "echo ${x:-$(curl https://x.example)}",
        "echo a \\\n&& curl https://x.example",
        "curl\\\n https://x.example",
        "echo 'unclosed; curl https://x.example",
        "git log &&& curl https://x.example",
        "nohup curl https://x.example &",
        "watch 'curl https://x.example'",
        "env -S 'curl https://x.example'",
        "flock a curl https://x.example",
        "su -c 'curl https://x.example'",
        "env env env env env env env env env env env env env env env env env env curl https://x.example",
        "eval eval eval eval eval eval eval eval eval eval eval eval curl https://x.example",
    ] {
        assert!(
            programs(command).contains(&"curl".to_owned()),
            "{command}: {:?}",
            programs(command)
        );
    }
}

#[test]
fn quoted_text_is_no_program() {
    for command in [
        "echo 'curl is nice'",
        "git commit -m '$(curl x)'",
        "echo \\$(curl x",
    ] {
        let found = look(command)
            .commands
            .iter()
            .any(|c| c.program.as_deref() == Some("curl") && c.kind != super::Kind::Salvaged);
        assert!(!found, "{command}");
    }
}

#[test]
fn a_name_that_is_not_known_has_no_program() {
    for command in [
        "$x a",
        "$(echo curl) a",
        "c=$x; $c a",
        "\"$@\"",
        "`echo ls`",
        "${x:-ls}",
    ] {
        let analysis = look(command);
        assert!(
            analysis.commands.iter().any(|c| c.program.is_none()),
            "{command}"
        );
        assert!(!analysis.is_read_only(), "{command}");
    }
}

#[test]
fn a_pattern_is_a_look_into_folders() {
    let listings = |command: &str| -> Vec<String> {
        let analysis = look(command);
        let listings = analysis
            .reads()
            .filter(|path| path.is_listing || path.path.is_none());
        let shown = listings.map(|path| match &path.path {
            Some(path) => path.display().to_string(),
            None => format!("?{}", path.raw),
        });
        shown.collect()
    };
    assert_eq!(listings("echo /etc/h*"), ["/etc", "?/etc/h*"]);
    assert_eq!(listings("echo sec*/k.pem"), ["/proj", "/proj/secrets"]);
    assert_eq!(
        listings("for f in sec*/k.pem; do :; done"),
        ["/proj", "/proj/secrets"]
    );
    assert_eq!(listings("a=(sec*/k.pem)"), ["/proj", "/proj/secrets"]);
    assert_eq!(
        listings("a='sec*/k.pem'; echo $a"),
        ["/proj", "/proj/secrets"]
    );
    assert_eq!(listings("echo $nobody/*"), ["?$nobody/*"]);
    assert_eq!(listings("echo ~nobody/*"), ["?~nobody/*"]);
    assert_eq!(listings("echo 'sec*' \"sec*\" sec\\*"), [""; 0]);
    assert_eq!(
        listings("case a in sec*) ;; esac; [[ a == sec* ]]"),
        [""; 0]
    );
}

#[test]
fn what_no_argument_names_is_not_known() {
    for command in [
        "grep -R x d",
        "grep -nR x d",
        "grep --dereference-rec x d",
        "find -L d",
        "find d -follow",
        "find -files0-from l",
        "ls -lL d",
        "du --files0-from=l",
        "wc --files0=l",
        "sort --files0-from=-",
        "md5sum -c l",
        "sha256sum --check l",
        "diff -r a b",
        "tree -l",
        "rg -L x",
        "fd --follow x",
    ] {
        let analysis = look(command);
        assert!(
            analysis.reads().any(|path| path.path.is_none()),
            "{command}"
        );
        assert!(!analysis.is_fully_known(), "{command}");
    }
    for command in [
        "grep -rn x d",
        "find d",
        "ls -l d",
        "md5sum a",
        "[ a -nt b ]",
    ] {
        assert!(look(command).is_fully_known(), "{command}");
    }
    assert_eq!(reads("[ a -nt b ]"), ["/proj/a", "/proj/b"]);
}

#[test]
fn paths_are_taken_from_the_tracked_folder() {
    assert_eq!(reads("cat secrets/k.pem"), ["/proj/secrets/k.pem"]);
    assert_eq!(reads("cat < secrets/k.pem"), ["/proj/secrets/k.pem"]);
    assert_eq!(reads("cat sec*/k.pem"), ["/proj/secrets/k.pem"]);
    assert_eq!(reads("cat s/*.x"), ["?s/*.x"]);
    assert_eq!(reads("cat ~/a $HOME/b"), ["/home/u/a", "/home/u/b"]);
    assert_eq!(
        reads("grep --file=s/k x a.txt"),
        ["/proj/s/k", "/proj/x", "/proj/a.txt"]
    );
    assert_eq!(
        reads("grep x -rf s/k a.txt"),
        ["/proj/s/k", "/proj/x", "/proj/a.txt"]
    );
    assert!(reads("cd secrets && cat k.pem").contains(&"/proj/secrets/k.pem".to_owned()));
    assert!(reads("cd secrets; cat k.pem").contains(&"/proj/secrets/k.pem".to_owned()));
    assert!(reads("cd secrets; cat k.pem").contains(&"/proj/k.pem".to_owned()));
    assert!(reads("(cd secrets; ls); cat k").contains(&"/proj/k".to_owned()));
    assert!(!reads("(cd secrets && ls); cat k").contains(&"/proj/secrets/k".to_owned()));
    assert!(reads("cd a && cd - && cat k").contains(&"/proj/k".to_owned()));
    assert!(reads("cd $x && cat k").contains(&"?k".to_owned()));
    assert!(reads("pushd a && cat k").contains(&"/proj/a/k".to_owned()));
    assert!(reads("cd a || cat k").contains(&"/proj/k".to_owned()));
    assert!(reads("bash -c 'cd a && cat k'").contains(&"/proj/a/k".to_owned()));
    assert!(reads("for d in a b; do cd $d; cat k; done").contains(&"?k".to_owned()));
    assert_eq!(reads("find src -exec cat {} +"), ["/proj/src"]);
    assert_eq!(reads("cp secrets/k.pem /tmp/k"), ["/proj/secrets/k.pem"]);
    assert_eq!(reads("mytool --in=a/b c"), ["/proj/a/b", "/proj/c"]);
    assert_eq!(
        reads("for f in a b; do cat \"$f\"; done"),
        ["/proj/a", "/proj/b"]
    );
}

#[test]
fn writes_are_found() {
    assert_eq!(writes("echo x >> a"), ["/proj/a"]);
    assert_eq!(writes("echo x &> a"), ["/proj/a"]);
    assert_eq!(writes("echo x >| a 2>&1"), ["/proj/a"]);
    assert_eq!(writes("echo x 3<>a"), ["/proj/a"]);
    assert_eq!(writes("echo x >& a"), ["/proj/a"]);
    assert_eq!(writes("echo x > /dev/null 2>&1"), [""; 0]);
    assert_eq!(writes("echo x > $y"), ["?$y"]);
    assert_eq!(writes("cp a b"), ["/proj/b"]);
    assert_eq!(writes("sort -uob a"), ["/proj/b"]);
    assert_eq!(writes("uniq a b"), ["/proj/b"]);
    assert_eq!(writes("dd if=a of=b"), ["/proj/b"]);
    assert_eq!(writes("tee a b"), ["/proj/a", "/proj/b"]);
    assert_eq!(writes("mv a b"), ["/proj/a", "/proj/b"]);
    assert_eq!(writes("(ls) > a"), ["/proj/a"]);
    assert_eq!(writes("f() { ls; } > a"), ["?a"]);
    assert_eq!(writes("curl -o a https://x"), ["/proj/a"]);
    assert_eq!(writes("sed -i s/a/b/ f"), ["/proj/f"]);
    assert_eq!(writes("find src -delete"), ["/proj/src"]);
}

#[test]
fn critical_removals() {
    for command in [
        "rm -rf /",
        "rm -rf \"$X/\"",
        "rm -r ~",
        "rm -rf $HOME",
        "rm -fr ~/",
        "rm --recursive /",
        "sudo rm -rf /",
        "rm -rf /*",
        "rm -rf ~/*",
        "rm -rf $x",
        "xargs rm -rf",
        "rm -rf ../..",
        "find / -delete",
        "bash -c 'rm -rf /'",
        "cd / && rm -rf *",
        "rm -rf /home",
        "rm --rec ~",
        "rm -rf -- /",
        "cd $x; rm -rf y",
    ] {
        assert!(critical(command), "{command}");
    }
    for command in [
        "rm -rf target",
        "rm a",
        "rm -rf ./*",
        "rm -f $x",
        "find . -delete",
    ] {
        assert!(!critical(command), "{command}");
    }
}

#[test]
fn the_whole_line_is_undecidable() {
    for command in [
        "echo \"unterminated",
        "git log &&& ls",
        "echo a\u{2028}b",
        "echo \u{202e}gnp",
        "echo $[ x ]",
        "echo $((x))",
        "(( x ))",
        "for ((i=0;i<3;i++)); do ls; done",
        "[[ -v 'a[$(x)]' ]]",
        "test -v 'a[$(x)]'",
        "printf -v 'a[$(x)]' y",
        "read 'a[$(x)]'",
        "declare -i n=1",
        "echo ${p@P}",
        "echo ${!x}",
        "echo ${a[$i]}",
        "unset 'a[$(x)]'",
        "[[ a -eq b ]]",
        "echo ${x:$y}",
        "let x=1",
        "shopt -s extglob",
        "echo \u{200b}a",
        "local -n x=y",
        "echo a\rb",
    ] {
        assert!(!look(command).undecidable.is_empty(), "{command}");
    }
    for command in [
        "ls",
        "echo $((1+2))",
        "[[ a == b ]]",
        "echo ${x:1:2}",
        "echo ${#x}",
        "cat <<'E'\n$((x))\nE",
    ] {
        assert!(
            look(command).undecidable.is_empty(),
            "{command}: {:?}",
            look(command).undecidable
        );
    }
    assert!(look("echo a\0b").invalid.is_some());
}

#[test]
fn a_cd_that_outlives_the_line() {
    for command in [
        "cd a",
        "cd a && ls",
        "pushd a",
        "eval 'cd a'",
        "command cd a",
        "{ cd a; }",
        "source x",
    ] {
        assert!(look(command).changes_folder, "{command}");
    }
    for command in [
        "(cd a)",
        "cd a | cat",
        "echo $(cd a)",
        "bash -c 'cd a'",
        "ls",
        "cd a &",
    ] {
        assert!(!look(command).changes_folder, "{command}");
    }
}

#[test]
fn risks_are_named() {
    let risks = |command: &str| -> Vec<String> {
        look(command)
            .commands
            .iter()
            .flat_map(|c| c.risks.iter().map(|r| r.option.clone()))
            .collect()
    };
    assert_eq!(risks("find . -name x -exec rm {} \\;"), ["-exec"]);
    assert_eq!(risks("rg --pre=./x foo"), ["--pre"]);
    assert_eq!(risks("sort -uo b a"), ["-o"]);
    assert_eq!(risks("sort --outp b a"), ["--output"]);
    assert_eq!(risks("man --html=./x ls"), ["--html"]);
    assert_eq!(risks("man -P./x ls"), ["-P"]);
    assert_eq!(
        risks("git ls-remote --upload-pack=./x ."),
        ["--upload-pack"]
    );
    assert_eq!(risks("git log --output=/x"), ["--output"]);
    assert_eq!(risks("git -c core.sshCommand=./x push main"), ["-c"]);
    assert_eq!(risks("sed -ni p a"), ["-i"]);
    assert_eq!(risks("awk 'BEGIN{system(\"id\")}'").len(), 1);
    assert_eq!(risks("sed 's/x/y/w out' a").len(), 1);
    for command in [
        "git commit -m x",
        "git push",
        "npm run build",
        "npm publish",
        "cargo test",
        "find . -name x",
        "git commit -m \"$(cat <<'E'\nx\nE\n)\"",
    ] {
        assert!(risks(command).is_empty(), "{command}: {:?}", risks(command));
    }
}

/// No text, however deeply it nests, exhausts a stack that is half of what a thread has.
#[test]
fn deep_nesting_is_refused() {
    let openers = [
        "{ ",
        "(",
        "((",
        "$(",
        "$((",
        "`",
        "\"$(",
        "${x:-",
        "if ",
        "while ",
        "case x in x) ",
        "f() ",
        "f() { ",
        "[[ ( ",
        "<(",
        "{",
        "{a,",
        "$'",
        "'",
        "\"",
        "! ",
        "coproc ",
        "time ",
        "a=(",
        "$[",
        "cat <<E\n$(",
        "echo ${x:-\"",
        "function f ",
        "for x in a; do ",
        "env ",
        "bash -c '",
        "eval ",
        "command ",
        "xargs ",
        "[[ ! ",
        "x=",
        "> ",
        "{ { ",
        "{1..9}",
        "~/",
    ];
    for opener in openers {
        for count in [70, 1_000, 100_000] {
            let text = opener.repeat(count);
            let short = text
                .get(..9_000.min(text.len()))
                .unwrap_or(&text)
                .to_owned();
            for text in [short, text] {
                let start = std::time::Instant::now();
                let size = text.len();
                std::thread::Builder::new()
                    .stack_size(1 << 20)
                    .spawn(move || look(&text).is_read_only())
                    .expect("a thread")
                    .join()
                    .expect("no panic");
                // Without optimization it is about ten times slower.
                let slack = if cfg!(debug_assertions) { 12 } else { 1 };
                let limit = if size <= 10_000 { 250 } else { 10_000 } * slack;
                let took = start.elapsed().as_millis();
                if took * 4 > limit {
                    eprintln!("{opener} × {count} ({size} bytes) took {took} ms");
                }
                assert!(
                    took < limit,
                    "{opener} × {count} ({size} bytes) took {took} ms"
                );
            }
        }
    }
}

/// Lines that would be long in the doing: each is within the caps, and is answered soon.
#[test]
fn wide_lines_are_answered_soon() {
    let loops =
        |head: &str, depth: usize| format!("{}ls{}", head.repeat(depth), "; done".repeat(depth));
    let lines = [
        loops("for x in 1 2 3 4 5 6 7 8 9 10 11 12; do ", 60),
        loops("while true; do ", 60),
        loops("for x in 1 2; do cd $x; ", 50),
        (0..900).map(|n| format!("a{n}=1 && ")).collect::<String>() + "ls",
        (0..600).map(|n| format!("f{n}() {{ ls; }}; ")).collect(),
        (0..1_500).map(|n| format!("f{n} ")).collect::<String>() + "; ls",
        format!("echo {}", "{a,b}".repeat(500)),
        format!("echo {}", "{1..99}".repeat(500)),
        format!("a=xxxxxxxxxx; {}; echo $a", "a=$a$a; ".repeat(900)),
        format!("a='{}'; {}", "ls ".repeat(600), "echo $a; ".repeat(800)),
        format!("a='{}'; {}", "ls;".repeat(600), "eval \"$a\"; ".repeat(700)),
        "cd a; ".repeat(1_500),
        "cd a || cd b; ".repeat(700),
        "ls | ".repeat(1_900) + "ls",
        "if a; then b; elif c; then d; fi; ".repeat(250),
        "echo \"$(ls)\" `ls` <(ls) ".repeat(300),
        "cat a* b* c* ".repeat(600),
        "find . -exec ls {} + ".repeat(400),
        "xargs ls | ".repeat(800) + "ls",
        "cat <<E\n$(ls)\nE\n".repeat(550),
        format!("sed -n '{}' a", "s/[a]/b/;".repeat(900)),
        format!("sed -n '{}' a", "s/[/".repeat(2_000)),
        format!("awk '{}' a", "{ print (1 > 2) }".repeat(500)),
    ];
    let slack = if cfg!(debug_assertions) { 12 } else { 1 };
    for mut line in lines {
        while line.len() >= 10_000 {
            line.pop();
        }
        let start = std::time::Instant::now();
        look(&line);
        let took = start.elapsed().as_millis();
        let head: String = line.chars().take(60).collect();
        if took * 2 > 250 * slack {
            eprintln!("{head:?} of {} bytes took {took} ms", line.len());
        }
        assert!(took < 250 * slack, "{head:?} took {took} ms");
    }
}
