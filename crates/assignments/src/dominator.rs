//! Dominator terms: a term below a condition through which the condition depends on all its bytes. The solver enumerates the
//! dominator's values instead of the bytes'.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::policy::sweep;
use cleave_expr::{LANES, Node, Support, Term, Terms};

/// The dominator of `cond`: a term on several bytes on which alone `cond` depends. If there are several, the one with the
/// fewest values.
pub fn pivot(terms: &Terms, cond: Term) -> Option<Term> {
    // Operands are older than the terms made of them: if only one term is open, every path to a byte goes through it.
    let mut open: BTreeSet<Term> = BTreeSet::from([cond]);
    let mut best: Option<(u64, Term)> = None;
    for _ in 0..sweep::ABOVE_DOMINATOR {
        let Some(top) = open.pop_last() else { break };
        if open.is_empty() && top != cond && terms.width(top) <= 64 && terms.support(top) == Support::Many {
            let (lo, hi) = terms.range(top);
            if best.is_none_or(|(fewest, _)| hi - lo <= fewest) {
                best = Some((hi - lo, top));
            }
        }
        if matches!(terms.node(top), Node::Byte(_)) {
            break;
        }
        open.extend(terms.children(top).filter(|&c| !terms.is_constant(c)));
    }
    best.map(|(_, term)| term)
}

/// For each of these values of its dominator `pivot`: true if `cond` holds. `None` if `cond` depends on other terms, too.
pub fn holds_for(terms: &Terms, cond: Term, pivot: Term, values: &[u64]) -> Option<Vec<bool>> {
    let mut order = vec![cond];
    let mut place: FxHashMap<Term, usize> = FxHashMap::from_iter([(cond, 0)]);
    let mut next = 0;
    while let Some(&node) = order.get(next) {
        next += 1;
        if node == pivot {
            continue;
        }
        if order.len() > 4 * sweep::ABOVE_DOMINATOR
            || terms.width(node) > 64
            || matches!(terms.node(node), Node::Byte(_))
        {
            return None;
        }
        for child in terms.children(node) {
            if place.insert(child, 0).is_none() {
                order.push(child);
            }
        }
    }
    order.sort_unstable();
    for (i, node) in order.iter().enumerate() {
        place.insert(*node, i);
    }
    let mut columns = vec![[0u64; LANES]; order.len()];
    let mut holds = Vec::with_capacity(values.len());
    for block in values.chunks(LANES) {
        for (i, &node) in order.iter().enumerate() {
            let (before, rest) = columns.split_at_mut(i);
            let Some(out) = rest.first_mut() else { break };
            if node == pivot {
                out.iter_mut().zip(block).for_each(|(o, v)| *o = *v);
                continue;
            }
            let mut operands = [&[0; LANES]; 3];
            for (operand, child) in operands.iter_mut().zip(terms.children(node)) {
                *operand = before.get(place[&child])?;
            }
            terms.eval_columns(node, 0, operands, out);
        }
        let last = columns.get(place[&cond])?;
        holds.extend(last.iter().take(block.len()).map(|&v| v != 0));
    }
    Some(holds)
}
