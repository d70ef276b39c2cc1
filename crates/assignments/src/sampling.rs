//! Random sampling of inputs. The solver calls it for conditions on hashes and checksums.

use rustc_hash::FxHashSet;

use cleave_expr::{ByteId, ByteSet, LANES, Limit, Node, Term, Terms, Witness, holding};

use crate::diagram::narrow;

/// Values of `bytes` with which all of `conds` hold, found by random sampling: for conditions on hashes or checksums of the
/// input, which no reasoning inverts. Half of the bytes are as in `near`, if their sets allow that. The number of samples is
/// 64 times the fuel `most` divided by the number of terms.
pub fn sample<'a>(
    terms: &Terms,
    conds: &[Term],
    bytes: &[(ByteId, ByteSet)],
    near: &Witness,
    most: impl Into<Limit<'a>>,
) -> Option<Vec<(ByteId, u8)>> {
    let limit = most.into();
    let below = narrow(terms, conds, limit.most)?;
    let conds: FxHashSet<Term> = conds.iter().copied().collect();
    let asked: Vec<bool> = below.iter().map(|(node, _)| conds.contains(node)).collect();
    let sets: Vec<Vec<u8>> = bytes.iter().map(|(_, set)| set.iter().collect()).collect();
    if sets.iter().any(Vec::is_empty) {
        return None;
    }
    let place_of = |id: ByteId| below.iter().position(|(node, _)| terms.node(*node) == Node::Byte(id));
    let places: Vec<Option<usize>> = bytes.iter().map(|(id, _)| place_of(*id)).collect();
    let mut columns = vec![[0u64; LANES]; below.len()];
    let mut chance = 0x9E37_79B9_7F4A_7C15u64;
    let mut values = vec![[0u8; LANES]; bytes.len()];
    for _ in 0..limit.most / below.len().max(1) {
        if limit.is_over() {
            return None;
        }
        for (((id, set), place), (choices, lanes)) in
            bytes.iter().zip(&places).zip(sets.iter().zip(&mut values))
        {
            let now = near.get(*id);
            for lane in lanes.iter_mut() {
                chance ^= chance << 13;
                chance ^= chance >> 7;
                chance ^= chance << 17;
                let stays = chance >> 60 & 1 != 0 && set.contains(now);
                *lane = if stays { now } else { choices[(chance >> 20) as usize % choices.len()] };
            }
            if let Some(column) = place.and_then(|place| columns.get_mut(place)) {
                column.iter_mut().zip(lanes).for_each(|(c, v)| *c = (*v).into());
            }
        }
        let mut alive = u64::MAX;
        for (place, (node, operands)) in below.iter().enumerate() {
            let (before, rest) = columns.split_at_mut(place);
            let Some(out) = rest.first_mut() else { break };
            if !matches!(terms.node(*node), Node::Byte(_)) {
                let operand = |i: u32| before.get(i as usize).unwrap_or(&[0; LANES]);
                terms.eval_columns(*node, 0, operands.map(operand), out);
            }
            if asked[place] {
                alive &= holding(out);
                if alive == 0 {
                    break;
                }
            }
        }
        if alive != 0 {
            let lane = alive.trailing_zeros() as usize;
            return Some(bytes.iter().zip(&values).map(|((id, _), lanes)| (*id, lanes[lane])).collect());
        }
    }
    None
}
