//! All values of the slice's bytes with which the path's conditions hold, where these are few: whatever is asked on the path from
//! then on is looked up among them.

use std::rc::Rc;

use cleave_expr::{ByteId, ByteSet, Term, Terms, Witness};

use crate::answer::LayerAnswer;
use crate::kept::Kept;
use crate::options::LayerName;
use crate::path::PathCondition;
use crate::solver::Solver;
use crate::survivors::{FEWEST, keys};

/// More solutions than this are not listed.
const MOST: usize = 1 << 17;

impl Solver {
    /// An answer by all solutions of the path's conditions, found once, with so much work.
    pub(crate) fn by_solutions(
        &mut self,
        terms: &mut Terms,
        pc: &PathCondition,
        near: &Witness,
        most: usize,
    ) -> Option<LayerAnswer> {
        let on = self.on(LayerName::Sweeping) && self.on(LayerName::Trying);
        if !on || most == 0 || self.slice.relations.len() < FEWEST {
            return None;
        }
        let bytes = self.slice.bytes.clone();
        let path: Vec<Term> = self.slice.relations.iter().rev().map(|r| r.term).collect();
        let keys = keys(&bytes, &path);
        let first = self.survivors.worth_listing(&keys)?;
        let (key, path) = (keys[first], path[..first].to_vec());
        let domains: Rc<[(ByteId, ByteSet)]> = bytes.iter().map(|&id| (id, pc.domain(id))).collect();
        let forms: Vec<Term> = path.iter().map(|&t| terms.rewritten(t)).collect();
        let found = terms.solutions(&forms, &domains, near, (most, MOST));
        self.budget.looked_for_solutions(found.is_ok());
        let table = match found {
            Ok(table) => table,
            Err(count) => {
                if count > 0 || most == crate::budget::MOST {
                    self.survivors.not_listed(key, count / MOST as u64);
                }
                return None;
            }
        };
        let kept = Kept { path: path.into(), ..Kept::all(domains, table) };
        self.survivors.keep(key, kept);
        self.by_survivors(terms, pc, near)
    }
}
