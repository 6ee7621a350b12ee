use std::path::Path;

use crate::shell::{NoShellFacts, analyse};

fn is_read_only(command: &str) -> bool {
    analyse(command, Path::new("/proj"), &NoShellFacts).is_read_only()
}

#[test]
fn sed_scripts() {
    for script in [
        "p",
        "1p",
        "$p",
        "1,3p",
        "/a/p",
        "/a/,/b/d",
        "1~2d",
        "1!d",
        "/a/I!s/x/y/g",
        "s,a,b,",
        "s/a\\/b/c/",
        "s/[^/a]*$//2",
        "{p;p}",
        "/a/{s/b/c/\nd\n}",
        "a hello",
        "i\\\nhello",
        "y/a/b/",
        ":x;s/a/b/;tx",
        "q5",
        "s/\\(a\\)/\\1/",
        "=",
        "n;d",
        "$!N",
        "s/a/b/;s/c/d/",
        "s/a/b/ # why",
        "l 5",
        "\\,a,p",
    ] {
        let script = script.replace("\\n", "\n").replace("\\\\", "\\");
        let ok = is_read_only(&format!("sed -n '{script}' a"));
        let is_bracket = script.contains("[^/");
        assert!(ok != is_bracket, "{script:?}");
    }
    for script in [
        "w x",
        "1w x",
        "/a/w x",
        "1,2w x",
        "1!w x",
        "{w x\n}",
        "p;w x",
        "s/a/b/w x",
        "s/a/b/gw x",
        "s/a/b/e",
        "s/a/b/2e",
        "e",
        "1e touch x",
        "e touch x",
        "W x",
        "s,a,b,w x",
        "y/a/b/;w x",
        ":a;w x",
        "a hi\nw x",
        "s/a",
        "k",
        "1",
        "p p",
        "bx}w x",
        "#c\nw x",
        "}w x",
    ] {
        let script = script.replace("\\n", "\n");
        assert!(!is_read_only(&format!("sed -n '{script}' a")), "{script:?}");
    }
}

#[test]
fn awk_programs() {
    for program in [
        "{print}",
        "$1 > 3",
        "NR>1 && $2<5 {print $1}",
        "{a[$1]++} END {for (k in a) print k, a[k]}",
        "{ if ($1 > 2) { print $2 } }",
        "/a|b/",
        "{gsub(/a/, \"b\"); print}",
        "BEGIN {FS=\",\"} {print $1}",
        "{printf \"%s %d\\n\", $1, $2}",
        "length($0) > 80",
        "{print ($1 > 2)}",
        "{x = $1 > 2}",
    ] {
        let ok = is_read_only(&format!("awk '{program}' a"));
        assert!(ok || program.contains("/a|b/"), "{program}");
    }
    for program in [
        "{print > \"x\"}",
        "{print >> \"x\"}",
        "{print $1, $2 > $3}",
        "{printf \"a\" > \"x\"}",
        "{print | \"sh\"}",
        "{print |& \"sh\"}",
        "BEGIN {system(\"x\")}",
        "{\"x\" | getline}",
        "{getline < \"x\"}",
        "{print(1) > \"x\"}",
        "@load \"x\"",
        "{ print /\"/ > \"x\" #\"\n}",
        "{ if (x) /\"/ ; print > \"x\" #\"\n}",
        "{print\n> \"x\"}",
        "{print a,\nb > \"x\"}",
    ] {
        assert!(!is_read_only(&format!("awk '{program}' a")), "{program}");
    }
}

#[test]
fn words_that_may_become_options() {
    for command in [
        "cat $x",
        "grep x \"$f\"",
        "sort -- \"$x\"",
        "sort ./*",
        "sort src/*.txt",
        "find src/* -name x",
    ] {
        assert!(is_read_only(command), "{command}");
    }
    for command in [
        "sort $x",
        "sort \"$x\"",
        "sort *",
        "sort a$x",
        "find \"$x\"",
        "find *",
        "sed -n p $x",
        "rg \"$x\" .",
        "date $x",
        "sort -t $x a",
    ] {
        assert!(!is_read_only(command), "{command}");
    }
}

#[test]
fn variables_are_followed() {
    for command in [
        "x=a.txt; cat $x",
        "x='-n a'; head $x",
        "for f in a b; do sort $f; done",
        "x=ls; $x",
        "HOME=a true; ls",
    ] {
        assert_eq!(
            is_read_only(command),
            !command.starts_with("HOME"),
            "{command}"
        );
    }
    for command in [
        "x=touch; $x a",
        "x=-ob; sort $x a",
        "x=ls; true && x=touch; $x a",
        "x=ls; for i in a b; do $x; x=touch; done",
        "x=ls; if true; then x=touch; fi; $x a",
        "x=ls; read x < a; $x a",
        "x=ls; f() { x=touch; }; f; $x a",
        "x=ls; : ${y:=touch}; $y a",
        "x=ls; while true; do $x; x=touch; done",
        "x=ls; export x=touch; $x a",
        "x=touch; (x=ls); $x a",
        "x=touch; x=ls | true; $x a",
        "x=touch; x=ls & $x a",
        "x=touch; $(x=ls) $x a",
        "x=touch; local x=ls; $x a",
        "IFS=/; x=a/b; sort $x",
        "x=touch; case a in b) x=ls;; esac; $x a",
        "x=touch; false && x=ls; $x a",
        "unset x; $x a",
        "x=ls; x+=x; $x",
        "x=ls; x[0]=touch; $x a",
    ] {
        assert!(!is_read_only(command), "{command}");
    }
}
