//! Changes one after the other against the same changes made on plain bytes.

use proptest::prelude::*;

use super::{Draft, Splice};

/// Splices of some bytes, by two numbers and a text each.
fn splices(length: usize, wanted: &[(usize, usize, Vec<u8>)]) -> Vec<Splice> {
    let mut at = 0;
    let mut splices = Vec::new();
    for (skip, take, with) in wanted {
        let start = (at + skip).min(length);
        let end = (start + take).min(length);
        splices.push(Splice {
            range: start..end,
            with: with.clone(),
        });
        at = end;
    }
    splices
}

fn plain(bytes: &[u8], splices: &[Splice]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for splice in splices.iter().rev() {
        out.splice(splice.range.clone(), splice.with.clone());
    }
    out
}

proptest! {
    #[test]
    fn changes_one_after_the_other_are_one_change(
        bytes in prop::collection::vec(0_u8..4, 0..30),
        rounds in prop::collection::vec(
            prop::collection::vec((0_usize..6, 0_usize..5, prop::collection::vec(4_u8..8, 0..4)), 0..4),
            0..5,
        ),
    ) {
        let mut draft = Draft::new(&bytes);
        let mut wanted = bytes.clone();
        for round in &rounds {
            let splices = splices(wanted.len(), round);
            wanted = plain(&wanted, &splices);
            draft.change(splices);
        }
        let all = draft.splices().to_vec();
        prop_assert_eq!(plain(&bytes, &all), &wanted[..]);
        prop_assert_eq!(draft.bytes(), &wanted[..]);
        if rounds.len() > 1 {
            prop_assert!(all.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start));
        }
        prop_assert_eq!(draft.is_changed(), bytes != wanted);
    }
}
