use super::Ledger;
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
    let [a, b] = [ledger.admit(read("fs/a")), ledger.admit(read("fs/a"))];
    let w = ledger.admit(write("fs/a"));
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
    let w = ledger.admit(write("fs/a"));
    let r = ledger.admit(read("fs/a"));
    let other = ledger.admit(read("fs/b"));
    ledger.permit(r);
    ledger.permit(other);
    assert_eq!(ledger.start(), [other]);
    ledger.permit(w);
    assert_eq!(ledger.start(), [w]);
}

#[test]
fn a_void_call_keeps_order_until_its_turn() {
    let mut ledger = Ledger::new(10);
    let first = ledger.admit(write("fs/a"));
    let void = ledger.admit(Footprint::Everything);
    let last = ledger.admit(read("fs/b"));
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
    let places: Vec<_> = (0..3).map(|_| ledger.admit(read("fs/a"))).collect();
    for place in places.iter().rev() {
        ledger.permit(*place);
    }
    for place in places {
        assert_eq!(ledger.start(), [place]);
        assert!(ledger.start().is_empty());
        ledger.end(place);
    }
}
