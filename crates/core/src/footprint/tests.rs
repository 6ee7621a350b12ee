use super::{Footprint, Scope};

fn reads(scope: Scope) -> Footprint {
    Footprint::nothing().reading(scope)
}

fn writes(scope: Scope) -> Footprint {
    Footprint::nothing().writing(scope)
}

#[test]
fn readers_never_conflict() {
    assert!(!reads(Scope::node("fs/a")).conflicts_with(&reads(Scope::node("fs/a"))));
    assert!(!reads(Scope::deep("")).conflicts_with(&reads(Scope::node("fs/a"))));
}

#[test]
fn a_writer_conflicts_with_whoever_touches_its_node() {
    assert!(writes(Scope::node("fs/a")).conflicts_with(&reads(Scope::node("fs/a"))));
    assert!(reads(Scope::node("fs/a")).conflicts_with(&writes(Scope::node("fs/a"))));
    assert!(writes(Scope::node("fs/a")).conflicts_with(&writes(Scope::node("fs/a"))));
    assert!(!writes(Scope::node("fs/a")).conflicts_with(&writes(Scope::node("fs/b"))));
}

#[test]
fn depth_counts_by_whole_segments() {
    assert!(writes(Scope::node("fs/a/b/c")).conflicts_with(&reads(Scope::deep("fs/a"))));
    assert!(writes(Scope::node("fs/a")).conflicts_with(&reads(Scope::deep("fs/a"))));
    assert!(!writes(Scope::node("fs/ab")).conflicts_with(&reads(Scope::deep("fs/a"))));
    assert!(!writes(Scope::node("fs/a/b")).conflicts_with(&reads(Scope::node("fs/a"))));
    assert!(writes(Scope::deep("fs/a")).conflicts_with(&reads(Scope::deep("fs"))));
}

#[test]
fn everything_meets_every_claim_and_nothing_meets_none() {
    assert!(Footprint::Everything.conflicts_with(&reads(Scope::node("net/x"))));
    assert!(Footprint::Everything.conflicts_with(&Footprint::Everything));
    assert!(!Footprint::Everything.conflicts_with(&Footprint::nothing()));
}

#[test]
fn everything_is_written_as_a_deep_write_of_the_root() {
    let text = serde_json::to_string(&Footprint::Everything).unwrap();
    assert_eq!(text, r#"[{"access":"write","scope":"","deep":true}]"#);
}

#[test]
fn files_are_nodes_below_fs() {
    assert_eq!(Scope::file("/home/u/a b".as_ref()).path(), "fs/home/u/a b");
    assert_eq!(Scope::tree("/".as_ref()).path(), "fs");
}
