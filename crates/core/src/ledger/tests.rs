use super::Ledger;
use crate::definition::FailureReach;
use crate::footprint::{Footprint, Scope};

fn read(path: &'static str) -> Footprint {
    Footprint::nothing().reading(Scope::node(path))
}

fn write(path: &'static str) -> Footprint {
    Footprint::nothing().writing(Scope::node(path))
}

#[test]
fn readers_start_together_and_a_writer_waits_for_them() {
    let mut ledger = Ledger::new(10);
    let [a, b] = [
        ledger.admit(read("fs/a"), None),
        ledger.admit(read("fs/a"), None),
    ];
    let w = ledger.admit(write("fs/a"), None);
    for place in [a, b, w] {
        ledger.permit(place);
    }
    assert_eq!(ledger.start(), [a, b]);
    assert_eq!(ledger.waits_for(w), [a, b]);
    ledger.end(a);
    assert!(ledger.start().is_empty());
    ledger.end(b);
    assert_eq!(ledger.start(), [w]);
}

#[test]
fn a_later_call_never_overtakes_a_conflicting_one_that_is_not_decided() {
    let mut ledger = Ledger::new(10);
    let w = ledger.admit(write("fs/a"), None);
    let r = ledger.admit(read("fs/a"), None);
    let other = ledger.admit(read("fs/b"), None);
    ledger.permit(r);
    ledger.permit(other);
    assert_eq!(ledger.start(), [other]);
    ledger.permit(w);
    assert_eq!(ledger.start(), [w]);
}

#[test]
fn a_void_call_keeps_order_until_its_turn() {
    let mut ledger = Ledger::new(10);
    let first = ledger.admit(write("fs/a"), None);
    let void = ledger.admit(write("fs/a").reading(Scope::node("fs/b")), None);
    let last = ledger.admit(write("fs/b"), None);
    ledger.permit(first);
    ledger.permit(last);
    ledger.void(void);
    assert_eq!(ledger.start(), [first]);
    assert_eq!(ledger.waits_for(last), [void]);
    ledger.end(first);
    assert_eq!(ledger.start(), [last]);
}

#[test]
fn the_earliest_ready_call_takes_the_free_slot() {
    let mut ledger = Ledger::new(1);
    let places: Vec<_> = (0..3).map(|_| ledger.admit(read("fs/a"), None)).collect();
    for place in places.iter().rev() {
        ledger.permit(*place);
    }
    for place in places {
        assert_eq!(ledger.start(), [place]);
        assert!(ledger.start().is_empty());
        ledger.end(place);
    }
}

#[test]
fn a_call_behind_everything_is_looked_at_again_before_it_or_a_later_one_starts() {
    let mut ledger = Ledger::new(10);
    let shell = ledger.admit(Footprint::Everything, None);
    let first = ledger.admit(read("fs/link"), None);
    let second = ledger.admit(write("fs/target"), None);
    for place in [shell, first, second] {
        ledger.permit(place);
    }
    assert_eq!(ledger.start(), [shell]);
    assert_eq!(ledger.dim(), None, "the shell has not ended");
    ledger.end(shell);
    assert!(ledger.start().is_empty(), "nobody has looked");
    assert_eq!(ledger.dim(), Some(first));
    // The shell made a link: what the first reads is what the second writes.
    ledger.revise(first, read("fs/target"));
    assert_eq!(ledger.dim(), Some(second));
    ledger.revise(second, write("fs/target"));
    assert_eq!(ledger.dim(), None);
    assert_eq!(ledger.start(), [first]);
    ledger.end(first);
    assert_eq!(ledger.start(), [second]);
}

#[test]
fn an_edited_call_waits_for_later_ones_that_began_before_the_edit() {
    let mut ledger = Ledger::new(10);
    let asked = ledger.admit(read("fs/a"), None);
    let runs = ledger.admit(write("fs/b"), None);
    let waits = ledger.admit(read("fs/b"), None);
    ledger.permit(runs);
    ledger.permit(waits);
    assert_eq!(ledger.start(), [runs]);
    ledger.revise(asked, write("fs/b"));
    ledger.permit(asked);
    assert!(ledger.start().is_empty());
    ledger.end(runs);
    assert_eq!(ledger.start(), [asked]);
    ledger.end(asked);
    assert_eq!(ledger.start(), [waits]);
}

#[test]
fn a_pool_has_a_cap_of_its_own() {
    let mut ledger = Ledger::new(10);
    ledger.set_pool("net", 1);
    let [a, b] = [0, 1].map(|_| ledger.admit(read("net/x"), Some("net".into())));
    let other = ledger.admit(read("fs/a"), None);
    for place in [a, b, other] {
        ledger.permit(place);
    }
    assert_eq!(ledger.start(), [a, other]);
    ledger.end(a);
    assert_eq!(ledger.start(), [b]);
}

#[test]
fn a_failure_reaches_as_far_as_it_says() {
    let mut ledger = Ledger::new(10);
    let failed = ledger.admit(write("fs/a"), None);
    let reader = ledger.admit(write("fs/b").reading(Scope::node("fs/a")), None);
    let next = ledger.admit(read("fs/b"), None);
    let other = ledger.admit(read("fs/c"), None);
    assert_eq!(ledger.reached(failed, FailureReach::Own), []);
    assert_eq!(
        ledger.reached(failed, FailureReach::Dependents),
        [reader, next]
    );
    assert_eq!(
        ledger.reached(failed, FailureReach::Later),
        [reader, next, other]
    );
}

fn stands_in(folder: &'static str) -> Footprint {
    Footprint::nothing()
        .resting_on(Scope::node("shell/cwd"))
        .reading(Scope::node(folder))
}

#[test]
fn what_a_footprint_rests_on_hides_it_until_it_is_settled() {
    let mut ledger = Ledger::new(10);
    let moves = ledger.admit(stands_in("fs/a").writing(Scope::node("shell/cwd")), None);
    let reads = ledger.admit(stands_in("fs/a/x"), None);
    let writes = ledger.admit(write("fs/b/x"), None);
    for place in [moves, reads, writes] {
        ledger.permit(place);
    }
    assert_eq!(ledger.start(), [moves]);
    assert_eq!(ledger.dim(), None, "it may still move");
    ledger.end(moves);
    assert!(ledger.start().is_empty(), "it must be looked at first");
    assert_eq!(ledger.dim(), Some(reads));
    ledger.revise(reads, stands_in("fs/b/x"));
    assert_eq!(ledger.start(), [reads]);
    ledger.end(reads);
    assert_eq!(ledger.start(), [writes]);
}

#[test]
fn an_edited_call_hides_those_behind_it() {
    let mut ledger = Ledger::new(10);
    let asked = ledger.admit(read("fs/a"), None);
    let later = ledger.admit(read("fs/link"), None);
    ledger.permit(later);
    ledger.revise(asked, Footprint::Everything);
    ledger.permit(asked);
    assert_eq!(ledger.start(), [asked]);
    ledger.end(asked);
    assert!(
        ledger.start().is_empty(),
        "what it reads may be another file now"
    );
    assert_eq!(ledger.dim(), Some(later));
}

#[test]
fn an_abandoned_call_leaves_its_slot_and_keeps_its_claims() {
    let mut ledger = Ledger::new(1);
    let stuck = ledger.admit(write("fs/a"), None);
    let same = ledger.admit(write("fs/a"), None);
    let other = ledger.admit(write("fs/b"), None);
    for place in [stuck, same, other] {
        ledger.permit(place);
    }
    assert_eq!(ledger.start(), [stuck]);
    ledger.abandon(stuck);
    assert_eq!(ledger.start(), [other]);
    ledger.end(other);
    assert!(ledger.start().is_empty());
    ledger.end(stuck);
    assert_eq!(ledger.start(), [same]);
}
