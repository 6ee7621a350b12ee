//! Whatever runs together gives what running one by one gives.
//!
//! The world is a small tree of values. A call reads what it claims to read and writes what it
//! claims to write; what it writes depends on what it read. Random batches are run through the
//! ledger in random interleavings, with random caps, decisions and late looks, and held against the
//! run in program order. That the suite can fail is shown by giving the ledger wrong footprints.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it stands"
)]

use std::collections::{BTreeMap, HashSet};

use toolpost_core::{Access, Claim, Footprint, Ledger, Place, Scope};

/// A small generator of numbers that only a seed decides.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

const NODES: [&str; 6] = ["fs", "fs/a", "fs/a/x", "fs/a/y", "fs/b", "net/h"];

fn scope(random: &mut Random) -> Scope {
    let node = NODES[random.below(NODES.len())];
    if random.one_in(3) {
        Scope::deep(node)
    } else {
        Scope::node(node)
    }
}

fn footprint(random: &mut Random) -> Footprint {
    if random.one_in(8) {
        return Footprint::Everything;
    }
    (0..random.below(3)).fold(Footprint::nothing(), |footprint, _| {
        let scope = scope(random);
        if random.one_in(2) {
            footprint.reading(scope)
        } else {
            footprint.writing(scope)
        }
    })
}

fn covers(claim: &Claim, node: &str) -> bool {
    let reading = Claim {
        access: Access::Read,
        scope: Scope::node(node.to_owned()),
    };
    let writing = Claim {
        access: Access::Write,
        scope: claim.scope.clone(),
    };
    writing.conflicts_with(&reading)
}

type World = BTreeMap<&'static str, u64>;

fn world() -> World {
    NODES.iter().map(|node| (*node, 0)).collect()
}

/// What a call reads; a writer reads what it is about to change, as an edit does.
fn look(world: &World, footprint: &Footprint) -> u64 {
    let claims = footprint.claims();
    let seen = world
        .iter()
        .filter(|(node, _)| claims.iter().any(|claim| covers(claim, node)));
    seen.fold(7, |sum, (_, value)| {
        sum.wrapping_mul(31).wrapping_add(*value)
    })
}

fn change(world: &mut World, footprint: &Footprint, result: u64) {
    let claims = footprint.claims();
    for (node, value) in world.iter_mut() {
        if claims
            .iter()
            .any(|claim| claim.access == Access::Write && covers(claim, node))
        {
            *value = value.wrapping_add(result).wrapping_add(1);
        }
    }
}

struct Call {
    footprint: Footprint,
    is_denied: bool,
}

fn one_by_one(calls: &[Call]) -> (Vec<Option<u64>>, World) {
    let mut world = world();
    let run = |call: &Call| {
        (!call.is_denied).then(|| {
            let result = look(&world, &call.footprint);
            change(&mut world, &call.footprint, result);
            result
        })
    };
    let results = calls.iter().map(run).collect();
    (results, world)
}

/// What a wrong ledger would be told.
#[derive(Clone, Copy, PartialEq)]
enum Told {
    TheTruth,
    NoReads,
    NoDepth,
    VoidEndsEarly,
}

fn told(footprint: &Footprint, told: Told) -> Footprint {
    let Footprint::Claims(claims) = footprint else {
        return footprint.clone();
    };
    let claims = claims.iter().filter_map(|claim| match told {
        Told::NoReads => (claim.access == Access::Write).then(|| claim.clone()),
        Told::NoDepth => {
            let scope = Scope::node(claim.scope.path().to_owned());
            Some(Claim {
                access: claim.access,
                scope,
            })
        }
        _ => Some(claim.clone()),
    });
    Footprint::Claims(claims.collect())
}

/// One history. Gives what each call saw and the world at the end; an error when order was broken.
fn history(
    calls: &[Call],
    random: &mut Random,
    how: Told,
) -> Result<(Vec<Option<u64>>, World), String> {
    let mut ledger = Ledger::new(1 + random.below(5));
    let mut world = world();
    let mut results = vec![None; calls.len()];
    let mut places: Vec<Place> = Vec::new();
    let mut undecided: Vec<usize> = Vec::new();
    // Calls that run, and whether they have looked yet.
    let mut running: Vec<(usize, bool)> = Vec::new();
    let mut ended: HashSet<usize> = HashSet::new();
    let mut turned: HashSet<usize> = HashSet::new();
    let number = |places: &[Place], place: &Place| places.iter().position(|p| p == place).unwrap();
    for _ in 0..100_000 {
        if ended.len() == calls.len() {
            return Ok((results, world));
        }
        match random.below(4) {
            0 if places.len() < calls.len() => {
                let index = places.len();
                places.push(ledger.admit(told(&calls[index].footprint, how), None));
                undecided.push(index);
            }
            1 if !undecided.is_empty() => {
                let index = undecided.swap_remove(random.below(undecided.len()));
                if !calls[index].is_denied {
                    ledger.permit(places[index]);
                } else if how == Told::VoidEndsEarly {
                    ledger.end(places[index]);
                    ended.insert(index);
                } else {
                    ledger.void(places[index]);
                    ended.insert(index);
                }
            }
            2 if !running.is_empty() => {
                let at = random.below(running.len());
                let (index, has_looked) = running[at];
                if has_looked {
                    let result = results[index].unwrap();
                    change(&mut world, &calls[index].footprint, result);
                    ledger.end(places[index]);
                    running.swap_remove(at);
                    ended.insert(index);
                    turned.insert(index);
                } else {
                    results[index] = Some(look(&world, &calls[index].footprint));
                    running[at].1 = true;
                }
            }
            _ => {}
        }
        for place in ledger.dim() {
            if random.one_in(2) {
                let index = number(&places, &place);
                ledger.revise(place, told(&calls[index].footprint, how));
            }
        }
        for place in ledger.start() {
            let index = number(&places, &place);
            running.push((index, false));
            in_order(calls, index, &turned)?;
        }
    }
    Err("it stands still".to_owned())
}

/// A call may start when every earlier one that it conflicts with has had its turn: it has ended,
/// or it was denied and every earlier one that it conflicts with has had its own.
fn in_order(calls: &[Call], index: usize, turned: &HashSet<usize>) -> Result<(), String> {
    let mut had_turn: Vec<bool> = Vec::new();
    for (at, call) in calls[..index].iter().enumerate() {
        let free = (0..at).all(|earlier| {
            had_turn[earlier] || !calls[earlier].footprint.conflicts_with(&call.footprint)
        });
        had_turn.push(if call.is_denied {
            free
        } else {
            turned.contains(&at)
        });
    }
    let early = (0..index)
        .find(|at| !had_turn[*at] && calls[*at].footprint.conflicts_with(&calls[index].footprint));
    early.map_or(Ok(()), |at| {
        Err(format!("call {index} began before the turn of call {at}"))
    })
}

/// The first history that is not as if one had run by one.
fn first_wrong(histories: u64, how: Told) -> Option<String> {
    for seed in 1..=histories {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let calls: Vec<Call> = (0..1 + random.below(9))
            .map(|_| Call {
                footprint: footprint(&mut random),
                is_denied: random.one_in(6),
            })
            .collect();
        match history(&calls, &mut random, how) {
            Err(error) => return Some(format!("seed {seed}: {error}")),
            Ok(got) if got != one_by_one(&calls) => {
                return Some(format!("seed {seed}: another result"));
            }
            Ok(_) => {}
        }
    }
    None
}

#[test]
fn every_history_is_as_if_one_had_run_by_one() {
    assert_eq!(first_wrong(20_000, Told::TheTruth), None);
}

#[test]
fn the_oracle_finds_each_wrong_ledger() {
    for how in [Told::NoReads, Told::NoDepth, Told::VoidEndsEarly] {
        assert!(first_wrong(2_000, how).is_some());
    }
}

/// All footprints of at most one claim over a tree of three nodes.
fn small_footprints() -> Vec<Footprint> {
    let mut all = vec![Footprint::nothing(), Footprint::Everything];
    for node in ["fs", "fs/a", "fs/a/x"] {
        for scope in [Scope::node(node), Scope::deep(node)] {
            all.push(Footprint::nothing().reading(scope.clone()));
            all.push(Footprint::nothing().writing(scope));
        }
    }
    all
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum At {
    Undecided,
    Waiting,
    Running,
    Ended,
}

/// Walks every state that decisions and ends in any order can lead to.
fn walk(
    calls: &[&Footprint],
    ledger: &Ledger,
    places: &[Place],
    at: &[At],
    seen: &mut HashSet<Vec<At>>,
) {
    if !seen.insert(at.to_vec()) {
        return;
    }
    let stuck = at
        .iter()
        .all(|state| matches!(state, At::Waiting | At::Ended))
        && at.contains(&At::Waiting);
    assert!(!stuck, "nothing runs and something waits");
    for index in 0..calls.len() {
        let mut ledger = ledger.clone();
        let mut at = at.to_vec();
        match at[index] {
            At::Undecided => {
                ledger.permit(places[index]);
                at[index] = At::Waiting;
            }
            At::Running => {
                ledger.end(places[index]);
                at[index] = At::Ended;
            }
            _ => continue,
        }
        loop {
            let dim = ledger.dim();
            let Some(place) = dim.first() else { break };
            let looked = places.iter().position(|p| p == place).unwrap();
            ledger.revise(*place, calls[looked].clone());
        }
        for place in ledger.start() {
            let started = places.iter().position(|p| *p == place).unwrap();
            for earlier in 0..started {
                let conflict = calls[earlier].conflicts_with(calls[started]);
                assert!(
                    !conflict || at[earlier] == At::Ended,
                    "{calls:?} {started} {earlier}"
                );
            }
            at[started] = At::Running;
        }
        walk(calls, &ledger, places, &at, seen);
    }
}

#[test]
fn all_footprints_of_up_to_four_calls_in_all_interleavings() {
    let all = small_footprints();
    let count = all.len();
    for calls in 1..=4_u32 {
        for batch in 0..count.pow(calls) {
            let pick = |digit: u32| &all[batch / count.pow(digit) % count];
            let calls: Vec<&Footprint> = (0..calls).map(pick).collect();
            let mut ledger = Ledger::new(10);
            let admit = |footprint: &&Footprint| ledger.admit((*footprint).clone(), None);
            let places: Vec<Place> = calls.iter().map(admit).collect();
            let at = vec![At::Undecided; calls.len()];
            walk(&calls, &ledger, &places, &at, &mut HashSet::new());
        }
    }
}
