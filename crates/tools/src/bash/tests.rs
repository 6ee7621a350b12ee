use toolpost_core::{Effects, Facts, Footprint, Tool};

use super::{Bash, BashInput, printable};

fn input(command: &str) -> BashInput {
    BashInput {
        command: command.to_owned(),
        timeout: None,
        description: None,
    }
}

#[test]
fn what_is_printed_for_a_terminal_becomes_text() {
    assert_eq!(printable(b"\x1b[31mred\x1b[0m\n"), "red\n");
    assert_eq!(printable(b" 10%\r 50%\r100%\ndone\r\n"), "100%\ndone\n");
    assert_eq!(printable(b"\x1b]0;title\x07text \xff"), "text \u{fffd}");
    assert_eq!(printable(b"\x1b["), "");
}

#[test]
fn effects_and_footprint_follow_the_command() {
    let facts = Facts::new("/proj");
    let effects = |command| Bash.effects(&input(command));
    assert_eq!(effects("cat a | wc -l"), Effects::READ_ONLY);
    assert_eq!(effects("cargo build"), Effects::UNKNOWN.and_destroys());
    assert!(effects("rm -rf target").destructive);
    let footprint = |command| Bash.footprint(&input(command), &facts);
    assert_ne!(footprint("cat a"), Footprint::Everything);
    assert_eq!(footprint("make"), Footprint::Everything);
    assert!(!footprint("cat a").conflicts_with(&footprint("head -n 1 b")));
}
