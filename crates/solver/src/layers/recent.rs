//! Unsatisfiable cores of recent questions. The layer `cores` tries them; layers and back ends add to them.

use std::collections::VecDeque;

use cleave_expr::Term;
use cleave_path::PathCondition;

use crate::backends::backend::Conflict;
use crate::layers::slice::Slice;
use crate::policy::recent;

/// A conflict with a filter of its conditions.
struct KeptCore {
    conflict: Conflict,
    filter: u64,
}

/// The cores found last, newest first.
#[derive(Default)]
pub(crate) struct Recent {
    cores: VecDeque<KeptCore>,
}

fn filter_of(t: Term) -> u64 {
    1 << (t.index() as u64 % 64)
}

impl Recent {
    pub(crate) fn keep_core(&mut self, conflict: &Conflict) {
        if self.cores.len() == recent::CORES {
            self.cores.pop_back();
        }
        let filter = conflict.conditions.iter().fold(0, |f, &t| f | filter_of(t));
        self.cores.push_front(KeptCore { conflict: conflict.clone(), filter });
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
