use super::{Body, parse};

/// What is wrong with a text, or nothing.
fn refused(text: &str) -> Option<String> {
    parse(text, 0).refused.map(|(_, refusal)| refusal.reason)
}

#[test]
fn what_bash_accepts_is_read() {
    for text in [
        "ls",
        "ls; pwd",
        "ls;",
        "ls &",
        "ls & pwd",
        "ls && pwd || id",
        "ls |\n wc",
        "ls &&\n\n pwd",
        "# only a comment",
        "ls # a comment",
        "! ls",
        "time -p ls",
        "{ ls; }",
        "{ ls\n}",
        "(ls)",
        "(ls) > a",
        "if a; then b; elif c; then d; else e; fi",
        "for x in a b; do ls; done",
        "for x; do ls; done",
        "for x do ls; done",
        "for x in; do ls; done",
        "while a; do b; done < c",
        "until a\ndo b\ndone",
        "case x in a|b) ls;; (c) ;; *) id; esac",
        "case x in esac",
        "f() { ls; }",
        "f () ( ls )",
        "function f { ls; }",
        "function f() { ls; }",
        "f()\n{\nls\n}",
        "[[ a == b && ( -n c || ! -f d ) ]]",
        "[[ a =~ ^(b|c)+$ ]]",
        "((1+2))",
        "coproc ls",
        "a=1 b=(2 3) ls",
        "a[1]=2",
        "cat <<E\n$x\nE",
        "cat <<-E\n\tx\n\tE\nls",
        "cat <<A <<B\na\nA\nb\nB",
        "cat <<E | wc\nx\nE",
        "echo $(cat <<E\nx\nE\n)",
        "cat <<< x",
        "ls 2>&1 >a <b >>c 3<>d >|e &>f &>>g >&- <&3",
        "echo \"a $(b \"c\") d\"",
        "echo `a \\`b\\``",
        "echo ${a:-b c} ${a##*/} ${a//b/c} ${#a} ${a[0]} ${a[@]}",
        "echo $'a\\'b'",
        "a\\\nb && c &\\\n& d",
        "diff <(a) >(b)",
        "echo a#b",
        "echo if then",
        "echo }",
    ] {
        assert_eq!(refused(text), None, "{text}");
    }
}

#[test]
fn what_bash_refuses_or_this_does_not_know_is_refused() {
    for text in [
        "ls &&",
        "| ls",
        "ls &&& pwd",
        "ls ;; pwd",
        "; ls",
        "(ls",
        "ls)",
        "()",
        "{ }",
        "{ ls }",
        "if a; then b",
        "if a; fi",
        "for x in a; ls",
        "case x in a ls;; esac",
        "f(a) { ls; }",
        "f() ls",
        "echo 'a",
        "echo \"a",
        "echo $(a",
        "echo ${a",
        "echo `a",
        "cat <<E",
        "ls >",
        "[[ a == b",
        "ls (a)",
        "${ ls; }",
        "echo @(a|b)",
        "a[$(b)]=1",
        "echo ${a@P}",
        "echo ${a[$b]}",
        "echo $'\\0a'",
    ] {
        assert!(refused(text).is_some(), "{text}");
    }
}

/// bash reads line by line: what stands before a mistake has run.
#[test]
fn lines_before_a_mistake_are_kept() {
    let parsed = parse("ls\npwd\n)", 0);
    assert_eq!(parsed.script.items.len(), 2);
    assert!(parsed.refused.is_some());
}

#[test]
fn a_continuation_hides_no_operator() {
    let parsed = parse("echo a \\\n&& b", 0);
    assert_eq!(parsed.script.items.len(), 1);
    assert_eq!(parsed.script.items[0].rest.len(), 1);
    let parsed = parse("i\\\nf a; then b; f\\\ni", 0);
    assert!(matches!(
        parsed.script.items[0].first.stages[0].body,
        Body::If { .. }
    ));
}

#[test]
fn what_no_parser_decides_is_noted() {
    for text in [
        "echo $((a))",
        "((a))",
        "echo $[1]",
        "echo ${!a}",
        "echo ${a:b}",
        "for ((;;)); do ls; done",
        "exec {a}> b",
        "echo $\"a\"",
        "cat <<E\na",
    ] {
        assert!(!parse(text, 0).notes.is_empty(), "{text}");
    }
}
