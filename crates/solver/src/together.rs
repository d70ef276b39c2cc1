//! Questions about a conjunction of conditions, such as the unchecked branches of a path. The engine calls
//! [`Solver::ask_together`].

use cleave_expr::{Term, Terms, Witness};
use cleave_path::{Part, PathCondition, conjuncts};
use rustc_hash::FxHashMap;

use crate::answer::{LayerAnswer, Together};
use crate::backends::backend::{Conflict, Query};
use crate::options::LayerName;
use crate::question::{Cost, Mode, Question};
use crate::record::Kind;
use crate::solver::Solver;

impl Solver {
    /// Asks if all of `conds` (one or more) can hold together with `pc`. `near` satisfies `pc`. This counts as one
    /// question. If they cannot, the answer has the number of first conditions that an unsatisfiable core reaches.
    pub fn ask_together(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Together {
        let start = self.begins(terms);
        let by_rows = self.on(LayerName::Trying).then(|| self.by_live_rows(terms, pc, conds, near)).flatten();
        let at_once = by_rows.map(|(within, found)| (within, LayerName::Trying, found));
        if let Some((within, layer, found)) = at_once.or_else(|| self.refuted_in_turn(terms, pc, conds, near))
        {
            if self.options.self_check {
                self.check(terms, pc, &conds[..within], near, layer, &found);
            }
            self.count(layer, &found);
            self.ends(terms, start, (Kind::Together, pc, conds, near), &found);
            return match found {
                LayerAnswer::Sat(w) => Together::Sat(w),
                _ => Together::Unsat { within },
            };
        }
        let (layer, found) = self.found(&mut Question::new(terms, pc, conds, near), Mode::Model);
        let within = match &found {
            LayerAnswer::Unsat(conflict) => {
                let within = self.reach_of(terms, pc, conds, conflict);
                self.trimmed(terms, pc, conds, near, within)
            }
            _ => conds.len(),
        };
        if self.options.self_check {
            self.check(terms, pc, &conds[..within], near, layer, &found);
        }
        self.count(layer, &found);
        self.ends(terms, start, (Kind::Together, pc, conds, near), &found);
        match found {
            LayerAnswer::Sat(w) => Together::Sat(w),
            LayerAnswer::Unsat(_) => Together::Unsat { within },
            LayerAnswer::Unknown(why) => Together::Unknown(why),
        }
    }

    /// The number of first conditions that a layer refutes without a back end, as they are added one by one; with the
    /// layer and the conflict.
    fn refuted_in_turn(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Option<(usize, LayerName, LayerAnswer)> {
        use LayerName::{ByteSets, Constants, Cores, Slices, Words};
        if ![Constants, ByteSets, Slices, Words, Cores]
            .iter()
            .any(|&layer| self.is_asked(layer, Mode::Refutation))
        {
            return None;
        }
        let mut path = pc.clone();
        for (i, &cond) in conds.iter().enumerate() {
            let mut q = Question::new(terms, &path, std::slice::from_ref(&cond), near);
            if let Some((layer, LayerAnswer::Unsat(conflict))) =
                self.walk(&mut q, Mode::Refutation, Cost::Cheap)
            {
                // The conflict without conditions of the question: the path here contains those before this one.
                let of_path = self.slice.blamed(&path, &[cond], &conflict);
                let of_path = of_path.into_iter().filter(|t| !conds[..i].contains(t)).collect();
                self.slice.begin(terms, pc, &conds[..=i]);
                return Some((
                    i + 1,
                    layer,
                    LayerAnswer::Unsat(Conflict { conditions: of_path, domains: Vec::new() }),
                ));
            }
            path.assume(terms, cond);
        }
        None
    }

    /// Feeds the first `within` conditions, which cannot hold together, once more: with its learnt clauses a back end
    /// may see sooner that they contradict each other. Does nothing unless conditions are as they were given.
    fn trimmed(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
        mut within: usize,
    ) -> usize {
        if !self.options.feeding || self.on(LayerName::ByteSets) {
            return within;
        }
        while within > 1 {
            let conditions = &self.conditions[..self.of_path + within - 1];
            let query = Query { conditions, domains: &[], near };
            let Some(conflict) = self.chain.feed(terms, &query) else { break };
            within = self.reach_of(terms, pc, &conds[..within - 1], &conflict);
        }
        within
    }

    /// The number of first conditions that a conflict of the last query reaches.
    fn reach_of(&self, terms: &mut Terms, pc: &PathCondition, conds: &[Term], conflict: &Conflict) -> usize {
        let mut first: FxHashMap<Term, usize> = FxHashMap::default();
        let mut domains: Vec<_> =
            conflict.domains.iter().map(|&(id, set)| (id, set, pc.domain(id), 0)).collect();
        for (i, &cond) in conds.iter().enumerate() {
            first.entry(cond).or_insert(i + 1);
            conjuncts(terms, cond, |_, part| match part {
                Part::Relation(t) => {
                    first.entry(t).or_insert(i + 1);
                }
                Part::Byte(id, set, _) => {
                    for (_, wanted, left, at) in domains.iter_mut().filter(|d| d.0 == id) {
                        if left.intersect(wanted) != *left {
                            *left = left.intersect(&set);
                            *at = i + 1;
                        }
                    }
                }
                Part::False => {}
            });
        }
        let of_path = &self.conditions[..self.of_path];
        let asked = conflict.conditions.iter().filter(|t| !of_path.contains(t));
        let asked = asked.filter_map(|t| first.get(t).copied());
        let within = asked.chain(domains.iter().map(|d| d.3)).max().unwrap_or(0);
        // The path itself is no contradiction: a core without any of the conditions says nothing.
        if within == 0 { conds.len() } else { within }
    }
}
