//! Models and cores of recent questions. The layers `models` and `cores` try them; layers and back ends add to them.

use std::collections::VecDeque;

use cleave_expr::{Term, Terms, Witness};

use crate::backend::Conflict;
use crate::path::PathCondition;
use crate::policy::recent;
use crate::slice::Slice;

/// A conflict with a filter of its conditions.
struct KeptCore {
    conflict: Conflict,
    filter: u64,
}

/// The models and cores found last, newest first.
#[derive(Default)]
pub(crate) struct Recent {
    models: VecDeque<Witness>,
    cores: VecDeque<KeptCore>,
}

fn filter_of(t: Term) -> u64 {
    1 << (t.index() as u64 % 64)
}

impl Recent {
    pub(crate) fn keep_model(&mut self, w: &Witness) {
        if self.models.len() == recent::MODELS {
            self.models.pop_back();
        }
        self.models.push_front(w.clone());
    }

    pub(crate) fn keep_core(&mut self, conflict: &Conflict) {
        if self.cores.len() == recent::CORES {
            self.cores.pop_back();
        }
        let filter = conflict.conditions.iter().fold(0, |f, &t| f | filter_of(t));
        self.cores.push_front(KeptCore { conflict: conflict.clone(), filter });
    }

    /// `near` with the slice's bytes as in a model that satisfies the slice and the question.
    pub(crate) fn model(
        &self,
        terms: &mut Terms,
        pc: &PathCondition,
        slice: &Slice,
        near: &Witness,
    ) -> Option<Witness> {
        for model in &self.models {
            let fits = slice.asked.iter().all(|r| terms.holds(r.term, model))
                && slice.narrowed.iter().all(|(id, set)| set.contains(model.get(*id)))
                && slice.bytes.iter().all(|&id| pc.domain(id).contains(model.get(id)))
                && slice.relations.iter().all(|r| terms.holds(r.term, model));
            if fits {
                return Some(terms.patched(near, slice.bytes.iter().map(|&id| (id, model.get(id)))));
            }
        }
        None
    }

    /// A core that the question and its slice contain.
    pub(crate) fn core(&self, pc: &PathCondition, slice: &Slice) -> Option<&Conflict> {
        if self.cores.is_empty() {
            return None;
        }
        let mine = || slice.asked.iter().chain(&slice.relations).map(|r| r.term);
        let filter = mine().fold(0, |f, t| f | filter_of(t));
        let contained = |core: &&KeptCore| {
            core.filter & !filter == 0
                && core.conflict.domains.iter().all(|(id, set)| {
                    let left = slice.domain(pc, *id);
                    left.intersect(set) == left
                })
                && core.conflict.conditions.iter().all(|&t| mine().any(|m| m == t))
        };
        self.cores.iter().find(contained).map(|c| &c.conflict)
    }
}
