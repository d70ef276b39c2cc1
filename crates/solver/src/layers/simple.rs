//! Layers that are a function of the slice or of one of its parts: constants, the witness at hand, byte sets, the path's enumerated
//! models, contradictions. The pipeline calls them.

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};
use cleave_path::{PathCondition, Relation};

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::question::Question;
use crate::solver::Solver;

impl Solver {
    pub(crate) fn by_constant(&self, q: &Question) -> Option<LayerAnswer> {
        let [cond] = q.conds else { return None };
        let value = q.terms.constant64(*cond)?;
        Some(match value {
            0 => LayerAnswer::Unsat(Conflict::default()),
            _ => LayerAnswer::Sat(q.near.clone()),
        })
    }

    pub(crate) fn by_witness(&self, q: &mut Question) -> Option<LayerAnswer> {
        let holds = q.conds.iter().all(|&cond| q.terms.holds(cond, q.near));
        holds.then(|| LayerAnswer::Sat(q.near.clone()))
    }

    pub(crate) fn by_path_rows(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.by_live_rows(q.terms, q.pc, q.conds, q.near).map(|(_, found)| found)
    }

    /// An answer by the enumerated models of the path, if it has them for the bytes of the question; with it, the
    /// number of first conditions that contradict the path.
    pub(crate) fn by_live_rows(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        conds: &[Term],
        near: &Witness,
    ) -> Option<(usize, LayerAnswer)> {
        match pc.row_with(terms, conds, near)? {
            Ok(w) => Some((conds.len(), LayerAnswer::Sat(w))),
            Err(within) => {
                self.slice.begin(terms, pc, &conds[..within]);
                self.slice.link(terms, pc);
                self.slice.gather(pc, false);
                let slice = &self.slice;
                let conditions = slice.relations.iter().chain(&slice.asked).map(|r| r.term).collect();
                let domains = slice.bytes.iter().map(|&id| (id, slice.domain(pc, id))).collect();
                Some((within, LayerAnswer::Unsat(Conflict { conditions, domains })))
            }
        }
    }

    pub(crate) fn by_empty_byte(&self) -> Option<LayerAnswer> {
        let empty = *self.slice.narrowed.iter().find(|n| n.1.is_empty())?;
        Some(LayerAnswer::Unsat(Conflict { conditions: Vec::new(), domains: vec![empty] }))
    }

    pub(crate) fn by_free_bytes(&self, q: &mut Question) -> Option<LayerAnswer> {
        let slice = &self.slice;
        let is_free = |(id, set): &(ByteId, ByteSet)| !set.is_empty() && q.pc.component_of(*id).is_none();
        if !slice.asked.is_empty() || !slice.narrowed.iter().all(is_free) {
            return None;
        }
        let patch = slice
            .narrowed
            .iter()
            .map(|(id, set)| (*id, crate::layers::patch::preferred(set, q.near.get(*id))));
        Some(LayerAnswer::Sat(q.terms.patched(q.near, patch)))
    }

    pub(crate) fn by_one_byte(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.patcher.by_values(q.terms, &self.slice, q.near).map(LayerAnswer::Sat)
    }

    pub(crate) fn by_words(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.words.conflict(q.terms, q.pc, &self.slice).map(LayerAnswer::Unsat)
    }

    pub(crate) fn by_recent_core(&self, q: &Question) -> Option<LayerAnswer> {
        self.recent.core(q.pc, &self.slice).cloned().map(LayerAnswer::Unsat)
    }

    pub(crate) fn by_patch(&mut self, q: &mut Question) -> Option<LayerAnswer> {
        self.patcher.patch(q.terms, q.pc, &self.slice, q.near).map(LayerAnswer::Sat)
    }

    /// Rewrites the query's conditions to simpler forms, and answers if these contradict each other.
    pub(crate) fn by_rewriting(&mut self, terms: &mut Terms) -> Option<LayerAnswer> {
        // A cross-check and feeding need the conditions as they are.
        if self.options.cross_check || self.options.feeding {
            return None;
        }
        let conflict = self.rewritten.simplify(terms, &self.conditions)?;
        self.recent.keep_core(&conflict);
        Some(LayerAnswer::Unsat(conflict))
    }

    /// A conflict with a condition of the path that negates the question or one of its conjuncts.
    pub(crate) fn by_contradiction(&mut self, terms: &mut Terms, cond: Term) -> Option<LayerAnswer> {
        if self.slice.relations.is_empty() || self.slice.asked.is_empty() {
            return None;
        }
        let opposite = terms.not(cond);
        for i in 0..self.slice.asked.len() {
            let asked = self.slice.asked[i].term;
            let against = if asked == cond { opposite } else { terms.not(asked) };
            let contradicts = |r: &&Relation| r.term == against || r.term == opposite;
            if let Some(r) = self.slice.relations.iter().find(contradicts) {
                let conditions = vec![r.term, asked];
                return Some(LayerAnswer::Unsat(Conflict { conditions, domains: Vec::new() }));
            }
        }
        None
    }
}
