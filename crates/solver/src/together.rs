//! Several conditions asked for at once: the unchecked end of a path.

use cleave_expr::{Term, Terms, Witness};
use rustc_hash::FxHashMap;

use crate::answer::{LayerAnswer, Together};
use crate::backend::{Conflict, Query};
use crate::options::LayerName;
use crate::path::{Part, PathCondition, conjuncts};
use crate::record::Kind;
use crate::solver::Solver;

impl Solver {
    /// Can all of `conds` (one or more) hold together with `pc`? `near` satisfies `pc`. One question, whatever
    /// their number. Where they cannot, the answer says how many of the first of them an unsatisfiable core reaches.
    pub fn ask_together(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Together {
        let start = self.begins();
        let by_rows = self.by_live_rows(terms, pc, conds, near);
        let at_once = by_rows.map(|(within, found)| (within, LayerName::Trying, found));
        if let Some((within, layer, found)) = at_once.or_else(|| self.refuted(terms, pc, conds)) {
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
        let (layer, found) = match self.found(terms, pc, conds, near) {
            Some((layer, w)) => (layer, LayerAnswer::Sat(w)),
            None => self.hard(terms, pc, conds, near),
        };
        let within = match &found {
            LayerAnswer::Unsat(conflict) => {
                let within = self.within(terms, pc, conds, conflict);
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

    /// How many of the first conditions a layer refutes without a back end, as they are added one by one.
    fn refuted(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
    ) -> Option<(usize, LayerName, LayerAnswer)> {
        if !LayerName::ALL.into_iter().any(|layer| self.refutes(layer)) {
            return None;
        }
        let mut path = pc.clone();
        for (i, &cond) in conds.iter().enumerate() {
            if let Some((layer, conflict)) = self.refuted_one(terms, &path, cond) {
                // In terms of the path that is not in question, and of the question.
                let of_path = self.slice.blamed(&path, &[cond], &conflict);
                let of_path = of_path.into_iter().filter(|t| !conds[..i].contains(t)).collect();
                self.slice.begin(terms, pc, &conds[..=i]);
                return Some((
                    i + 1,
                    layer,
                    LayerAnswer::Unsat(Conflict { conditions: of_path, domains: Vec::new() }),
                ));
            }
            path.assume(terms, cond, 0);
        }
        None
    }

    /// Whether a layer is asked for contradictions between conditions that are added one by one. Feeding is that
    /// for whatever sees them without a search, also where questions are not for the layer to answer.
    fn refutes(&self, layer: LayerName) -> bool {
        use LayerName::{ByteSets, Constants, Cores, Slices, Words};
        match layer {
            Constants | Cores => self.on(layer),
            ByteSets | Slices | Words => self.on(layer) || self.options.feeding,
            _ => false,
        }
    }

    fn refuted_one(
        &mut self,
        terms: &mut Terms,
        path: &PathCondition,
        cond: Term,
    ) -> Option<(LayerName, Conflict)> {
        self.slice.begin(terms, path, &[cond]);
        if self.slice.impossible {
            return Some((LayerName::Constants, Conflict::default()));
        }
        if self.refutes(LayerName::ByteSets)
            && let Some(&empty) = self.slice.narrowed.iter().find(|n| n.1.is_empty())
        {
            return Some((LayerName::ByteSets, Conflict { conditions: Vec::new(), domains: vec![empty] }));
        }
        let whole = !self.refutes(LayerName::Slices);
        self.slice.link(terms, path);
        self.slice.gather(path, whole);
        if !whole && let Some(LayerAnswer::Unsat(conflict)) = self.by_contradiction(terms, cond) {
            return Some((LayerName::Slices, conflict));
        }
        if self.refutes(LayerName::Words)
            && let Some(conflict) = self.words.conflict(terms, path, &self.slice)
        {
            return Some((LayerName::Words, conflict));
        }
        if self.refutes(LayerName::Cores)
            && let Some(conflict) = self.recent.core(path, &self.slice)
        {
            return Some((LayerName::Cores, conflict.clone()));
        }
        None
    }

    /// A witness that a layer finds without a back end. The slice is that of the question afterwards.
    fn found(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Option<(LayerName, Witness)> {
        let whole = !self.on(LayerName::Slices);
        self.slice.begin(terms, pc, conds);
        self.slice.link(terms, pc);
        self.slice.gather(pc, whole);
        if self.on(LayerName::Witness) && conds.iter().all(|&c| terms.holds(c, near)) {
            return Some((LayerName::Witness, near.clone()));
        }
        if self.slice.impossible {
            return None;
        }
        if self.on(LayerName::ByteSets) {
            if let Some(LayerAnswer::Sat(w)) = self.by_byte_sets(terms, pc, near) {
                return Some((LayerName::ByteSets, w));
            }
            if let Some(w) = self.patcher.by_values(terms, &self.slice, near) {
                return Some((LayerName::ByteSets, w));
            }
        }
        if self.on(LayerName::Models)
            && let Some(w) = self.recent.model(terms, pc, &self.slice, near)
        {
            return Some((LayerName::Models, w));
        }
        if self.on(LayerName::Patching)
            && let Some(w) = self.patcher.patch(terms, pc, &self.slice, near)
        {
            return Some((LayerName::Patching, w));
        }
        None
    }

    /// Feeds the first `within` conditions, which cannot hold together, once more: with what the search has learnt a
    /// back end may see sooner that they contradict each other. Only where conditions are as they were given.
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
            within = self.within(terms, pc, &conds[..within - 1], &conflict);
        }
        within
    }

    /// How many of the first conditions a conflict of the last query reaches into.
    fn within(&self, terms: &mut Terms, pc: &PathCondition, conds: &[Term], conflict: &Conflict) -> usize {
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
