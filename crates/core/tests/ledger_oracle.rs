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

const NODES: [&str; 8] = [
    "fs", "fs/a", "fs/a/x", "fs/a/y", "fs/b", "fs/b/x", "net/h", CWD,
];
/// The folder that the shell stands in: one of two, by a bit of the value.
const CWD: &str = "shell/cwd";

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
    let reading = Claim::read(Scope::node(node.to_owned()));
    Claim::write(claim.scope.clone()).conflicts_with(&reading)
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

/// What a call touches: always the same, or taken from the folder that the shell stands in.
enum Touches {
    This(Footprint),
    /// The file `x` of the folder that the shell stands in; and whether the shell moves on.
    Below {
        access: Access,
        moves: bool,
    },
}

struct Call {
    touches: Touches,
    is_denied: bool,
    /// What it touches when run one by one.
    truth: Footprint,
}

impl Call {
    fn new(random: &mut Random) -> Self {
        let touches = if random.one_in(3) {
            Touches::Below {
                access: [Access::Read, Access::Write][random.below(2)],
                moves: random.one_in(3),
            }
        } else {
            Touches::This(footprint(random))
        };
        Self {
            touches,
            is_denied: random.one_in(6),
            truth: Footprint::Everything,
        }
    }

    fn footprint(&self, world: &World) -> Footprint {
        match &self.touches {
            Touches::This(footprint) => footprint.clone(),
            Touches::Below { access, moves } => {
                let folder = ["fs/a/x", "fs/b/x"][(world[CWD] >> 2) as usize % 2];
                let rests = Footprint::nothing().resting_on(Scope::node(CWD));
                let touches = match access {
                    Access::Read => rests.reading(Scope::node(folder)),
                    Access::Write => rests.writing(Scope::node(folder)),
                };
                if *moves {
                    touches.writing(Scope::node(CWD))
                } else {
                    touches
                }
            }
        }
    }
}

/// Runs the calls one by one, and notes what each touches then.
fn one_by_one(calls: &mut [Call]) -> (Vec<Option<u64>>, World) {
    let mut world = world();
    let mut results = Vec::new();
    for call in calls {
        call.truth = call.footprint(&world);
        results.push((!call.is_denied).then(|| {
            let result = look(&world, &call.truth);
            change(&mut world, &call.truth, result);
            result
        }));
    }
    (results, world)
}

/// What a wrong ledger would be told.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Told {
    TheTruth,
    NoReads,
    NoDepth,
    NoBasis,
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
                scope,
                ..claim.clone()
            })
        }
        Told::NoBasis => Some(Claim {
            is_basis: false,
            ..claim.clone()
        }),
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
                places.push(ledger.admit(told(&calls[index].footprint(&world), how), None));
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
                    let footprint = calls[index].footprint(&world);
                    change(&mut world, &footprint, result);
                    ledger.end(places[index]);
                    running.swap_remove(at);
                    ended.insert(index);
                    turned.insert(index);
                } else {
                    results[index] = Some(look(&world, &calls[index].footprint(&world)));
                    running[at].1 = true;
                }
            }
            _ => {}
        }
        if let Some(place) = ledger.dim().filter(|_| random.one_in(2)) {
            let index = number(&places, &place);
            ledger.revise(place, told(&calls[index].footprint(&world), how));
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
        let free = (0..at)
            .all(|earlier| had_turn[earlier] || !calls[earlier].truth.conflicts_with(&call.truth));
        had_turn.push(if call.is_denied {
            free
        } else {
            turned.contains(&at)
        });
    }
    let early = (0..index)
        .find(|at| !had_turn[*at] && calls[*at].truth.conflicts_with(&calls[index].truth));
    early.map_or(Ok(()), |at| {
        Err(format!("call {index} began before the turn of call {at}"))
    })
}

/// The first history that is not as if one had run by one.
fn first_wrong(histories: u64, how: Told) -> Option<String> {
    for seed in 1..=histories {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut calls: Vec<Call> = (0..1 + random.below(9))
            .map(|_| Call::new(&mut random))
            .collect();
        let wanted = one_by_one(&mut calls);
        match history(&calls, &mut random, how) {
            Err(error) => return Some(format!("seed {seed}: {error}")),
            Ok(got) if got != wanted => {
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
    for how in [
        Told::NoReads,
        Told::NoDepth,
        Told::NoBasis,
        Told::VoidEndsEarly,
    ] {
        assert!(first_wrong(2_000, how).is_some(), "{how:?} was not found");
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
        while let Some(place) = ledger.dim() {
            let looked = places.iter().position(|p| *p == place).unwrap();
            ledger.revise(place, calls[looked].clone());
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
