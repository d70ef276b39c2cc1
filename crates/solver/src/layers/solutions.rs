//! Lists all solutions of the path's conditions over the slice's bytes, if they are few: later questions of the path
//! look them up. The pipeline calls it, and so does the late sweep after a back end has failed.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use cleave_assignments::{KeptModels, solutions};
use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};
use cleave_path::{List, Models, PathCondition, Relation};
use rustc_hash::FxHasher;

use crate::answer::LayerAnswer;
use crate::layers::survivors::key;
use crate::layers::sweeping::limit;
use crate::options::LayerName;
use crate::policy::{enumeration, fuel};
use crate::question::Question;
use crate::solver::Solver;

/// The keys of the prefixes of a path's conditions on these bytes, from the empty one to all conditions.
fn keys(bytes: &[ByteId], path: &[Term]) -> Vec<u64> {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    let mut keys = vec![hasher.finish()];
    for t in path {
        t.hash(&mut hasher);
        keys.push(hasher.finish());
    }
    keys
}

/// A list without the elements pushed last, so that `count` are left.
fn first_of(list: &List<Relation>, count: usize) -> Option<&List<Relation>> {
    let more = list.iter().count().checked_sub(count)?;
    (0..more).try_fold(list, |list, _| list.rest())
}

impl Solver {
    pub(crate) fn by_listed_solutions(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        let most = self.budget.solutions();
        self.by_solutions(q.terms, q.pc, q.near, most)
    }

    /// An answer by all solutions of the path's conditions, which are listed once, with at most `most` work.
    pub(crate) fn by_solutions(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
        most: usize,
    ) -> Option<LayerAnswer> {
        let on = [LayerName::Sweeping, LayerName::Trying, LayerName::Slices]
            .into_iter()
            .all(|layer| self.on(layer));
        let (bytes, relations) = (&self.slice.bytes, &self.slice.relations);
        if !on
            || most == 0
            || relations.len() < enumeration::LEAST_CONDITIONS
            || bytes.len() > enumeration::MOST_BYTES
        {
            return None;
        }
        let (bytes, lists) = (bytes.clone(), self.slice.lists(pc));
        let (list, others) = lists.split_first()?;
        // From the first assumed condition to the last. Those of the other lists come before, and all of them stay.
        let mut path: Vec<Term> = relations.iter().rev().map(|r| r.term).collect();
        let of_others = others.iter().map(|list| list.iter().count()).sum();
        let mut keys = keys(&bytes, &path);
        let keys = keys.split_off(of_others);
        let count = self.survivors.worth_listing(&keys)?;
        let list = first_of(list, count)?;
        let place = key(&bytes, list, others);
        // The solutions are listed already and gave no answer.
        if self.survivors.get(place).is_some_and(|kept| kept.listed && kept.is_of(list, others)) {
            return None;
        }
        path.truncate(of_others + count);
        let domains: Rc<[(ByteId, ByteSet)]> = bytes.iter().map(|&id| (id, pc.domain(id))).collect();
        let forms: Vec<Term> = path.iter().map(|&t| terms.rewritten(t)).collect();
        let found = solutions(
            terms,
            &forms,
            &domains,
            near,
            (limit(most, &self.options.stop), enumeration::MOST_MODELS),
        );
        if found.is_err() && self.is_stopped() {
            return None;
        }
        self.budget.looked_for_solutions(found.is_ok());
        let mut table = match found {
            Ok(table) => table,
            Err(times) => {
                if times > 0 || most == fuel::MOST {
                    self.survivors.not_listed(keys[count], times / enumeration::MOST_MODELS as u64);
                }
                return None;
            }
        };
        table.count_rows();
        let models = Models::whole(terms, table);
        let lists = std::iter::once(list).chain(others).cloned().collect();
        self.survivors.keep(terms, place, KeptModels { lists, count, domains, models, listed: true });
        self.by_survivors(terms, pc, near, true)
    }
}

#[cfg(test)]
mod tests {
    use cleave_expr::BinaryOp;

    use super::*;
    use crate::answer::Answer;
    use crate::options::SolverOptions;

    /// Random numbers, the same every time.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, n: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % n
        }
    }

    /// A condition, mostly on sums and products of the low bits of two bytes, sometimes on one byte alone; if `whole`,
    /// on all bits of a byte.
    fn condition(terms: &mut Terms, dice: &mut Dice, whole: bool) -> Term {
        let bytes = [0, 1].map(|i| terms.byte(0, i));
        if !whole && dice.below(8) == 0 {
            let byte = bytes[dice.below(2)];
            let (low, width) = [(0, 8), (6, 2), (5, 3), (0, 3)][dice.below(4)];
            let part = terms.extract(byte, low, width);
            let limit = terms.constant_of(width, dice.below(1 << width) as u128);
            let cond = terms.binary(BinaryOp::Eq, part, limit);
            return terms.not(cond);
        }
        let wide = if whole { 8 } else { 3 };
        let (low, other) = (dice.below(2) as u32 * 3, dice.below(2) as u32 * 3);
        let low = if wide == 8 { 0 } else { low };
        let (a, b) = (terms.extract(bytes[0], low, wide), terms.extract(bytes[1], other, 3));
        let (a, b) = (terms.zext(a, 16), terms.zext(b, 16));
        let factor = terms.constant_of(16, 1 + dice.below(9) as u128);
        let a = terms.binary(BinaryOp::Mul, a, factor);
        let sum = terms.binary([BinaryOp::Add, BinaryOp::Xor][dice.below(2)], a, b);
        let modulus = terms.constant_of(16, 3 + dice.below(if whole { 200 } else { 20 }) as u128);
        let sum = terms.binary(BinaryOp::URem, sum, modulus);
        let limit = terms.constant_of(16, dice.below(12) as u128);
        let cond = match dice.below(4) {
            _ if whole => terms.binary(BinaryOp::Eq, sum, limit),
            0 => terms.binary(BinaryOp::Eq, sum, limit),
            _ => terms.binary(BinaryOp::Ult, limit, sum),
        };
        if !whole && dice.below(2) == 0 { terms.not(cond) } else { cond }
    }

    #[derive(Clone)]
    struct Path {
        pc: PathCondition,
        near: Witness,
        conditions: Vec<Term>,
        /// The inputs that satisfy all of these.
        left: Vec<u32>,
    }

    /// Numbers of answers found in lists, of paths that can go on, of paths that cannot, and of questions that no list
    /// answered.
    fn round(seed: u64) -> [u64; 4] {
        let mut dice = Dice(seed);
        let (mut terms, mut solver) = (Terms::new(), Solver::new(SolverOptions::default()).unwrap());
        let near = terms.witness(&[0, 0]);
        let inputs: Vec<Witness> =
            (0..1u32 << 16).map(|i| terms.witness(&[i as u8, (i >> 8) as u8])).collect();
        let left = (0..1 << 16).collect();
        let mut paths = vec![Path { pc: PathCondition::default(), near, conditions: Vec::new(), left }];
        let mut counts = [0; 4];
        for step in 0..60 {
            let at = dice.below(paths.len());
            let mut path = paths[at].clone();
            let whole = dice.below(3) == 0;
            let cond = condition(&mut terms, &mut dice, whole);
            let holds: Vec<u32> =
                path.left.iter().copied().filter(|&i| terms.holds(cond, &inputs[i as usize])).collect();
            solver.slice.begin(&mut terms, &path.pc, &[cond]);
            solver.slice.link(&mut terms, &path.pc);
            solver.slice.gather(&path.pc, false);
            let long = path.conditions.len() >= 2 * enumeration::LEAST_CONDITIONS && !solver.slice.impossible;
            match long.then(|| solver.by_solutions(&mut terms, &path.pc, &path.near, 1 << 20)).flatten() {
                Some(LayerAnswer::Sat(w)) => {
                    assert!(
                        path.conditions.iter().chain([&cond]).all(|&c| terms.holds(c, &w)),
                        "{seed} {step}"
                    );
                    counts[0] += 1;
                }
                Some(LayerAnswer::Unsat(_)) => {
                    assert!(holds.is_empty(), "{seed} {step}");
                    counts[0] += 1;
                }
                _ => counts[3] += u64::from(long),
            }
            match solver.ask(&mut terms, &path.pc, cond, &path.near) {
                Answer::Sat(w) => {
                    assert!(
                        path.conditions.iter().chain([&cond]).all(|&c| terms.holds(c, &w)),
                        "{seed} {step}"
                    );
                    counts[1] += 1;
                    // A condition on all bits is mostly not assumed: a path that assumes it omits no bit.
                    if whole && dice.below(8) != 0 {
                        continue;
                    }
                    solver.assume(&mut terms, &mut path.pc, cond);
                    path.conditions.push(cond);
                    (path.near, path.left) = (w, holds);
                    match dice.below(4) {
                        0 if paths.len() < 4 => paths.push(path),
                        _ => paths[at] = path,
                    }
                }
                Answer::Unsat(_) => {
                    assert!(holds.is_empty(), "{seed} {step}");
                    counts[2] += 1;
                }
                Answer::Unknown(why) => panic!("{why}"),
            }
        }
        counts
    }

    #[test]
    fn lists_of_solutions_answer_as_all_inputs_do() {
        let mut all = [0; 4];
        for seed in 1..=6 {
            round(seed).iter().zip(&mut all).for_each(|(n, all)| *all += n);
        }
        // Each comes often.
        assert!(all.iter().all(|n| *n > 10), "{all:?}");
    }
}
