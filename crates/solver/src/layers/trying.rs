//! Exhaustive enumeration of a few bytes: two digits have a hundred values, however large the terms are that the
//! program makes of them. The pipeline calls it.

use cleave_assignments::{Tried, conditions, try_all, try_byte};
use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};
use cleave_path::PathCondition;

use crate::answer::LayerAnswer;
use crate::backends::backend::Conflict;
use crate::budget::ALONE;
use crate::layers::sweeping::limit;
use crate::policy::enumeration;
use crate::solver::Solver;

impl Solver {
    /// Tries all combinations of the slice's bytes if these are few; otherwise each of the question's bytes alone, with
    /// the others as in `near`, which can only find a witness.
    pub(crate) fn by_trying(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
    ) -> Option<LayerAnswer> {
        let slice = &self.slice;
        if slice.bytes.len() > enumeration::MOST_BYTES {
            return None;
        }
        if let Some(found) = self.by_survivors(terms, pc, near, true) {
            return Some(found);
        }
        let slice = &self.slice;
        let conds: Vec<Term> = slice.relations.iter().chain(&slice.asked).map(|r| r.term).collect();
        let all = slice.domains(pc);
        let found = |terms: &mut Terms, values: Vec<(ByteId, u8)>| {
            Some(LayerAnswer::Sat(terms.patched(near, values)))
        };
        let numbers = conds.iter().any(|&c| terms.has_floats(c));
        let most = if self.brief {
            enumeration::SOFT
        } else if numbers {
            enumeration::ALL_FLOATS
        } else {
            enumeration::ALL_BYTES
        };
        match try_all(terms, &conds, &all, near, limit(most, &self.options.stop)) {
            Tried::Holds(values) => return found(terms, values),
            Tried::Never(conditions) => {
                let domains = all.into_iter().filter(|(_, set)| *set != ByteSet::FULL).collect();
                let conflict = Conflict { conditions, domains };
                self.recent.keep_core(&conflict);
                return Some(LayerAnswer::Unsat(conflict));
            }
            Tried::TooMuch => {}
        }
        // If a byte has to change, only that byte is tried.
        let mut must = slice.narrowed.iter().filter(|(id, set)| !set.contains(near.get(*id))).map(|n| n.0);
        let (must, more) = (must.next(), must.next());
        if more.is_some() {
            return None;
        }
        // Less work after failures: the questions of a decoder are about large terms, and no single byte answers them.
        let (some, much) = (
            self.budget.part_of(ALONE, enumeration::ONE_BYTE),
            self.budget.part_or_as_back_ends(ALONE, enumeration::ONE_BYTE_LARGE),
        );
        let (some, much, mut large) =
            if self.brief { (enumeration::SOFT, 0, 0) } else { (some, much, enumeration::LARGE_BYTES) };
        let mut looked = false;
        let Some(conds) = conditions(terms, &conds, some.max(much)) else {
            if !self.brief {
                self.learn(ALONE, false);
            }
            return None;
        };
        for (id, set) in &all {
            let asked = slice.asked.iter().any(|r| terms.bytes_of(r.term).contains(id));
            if !must.map_or(asked, |must| must == *id) {
                continue;
            }
            looked = true;
            let mut tried = try_byte(terms, &conds, (*id, *set), near, limit(some, &self.options.stop));
            if tried == Tried::TooMuch && large > 0 {
                large -= 1;
                tried = try_byte(terms, &conds, (*id, *set), near, limit(much, &self.options.stop));
            }
            if let Tried::Holds(values) = tried {
                if !self.brief {
                    self.learn(ALONE, true);
                }
                return found(terms, values);
            }
        }
        if looked && !self.brief {
            self.learn(ALONE, false);
        }
        None
    }
}
