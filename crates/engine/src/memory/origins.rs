//! The object that a pointer was made from.
//!
//! A pointer belongs to the object whose address its computation began with: `p[i]` outside of it is wrong wherever it lands.
//! The value of a pointer tells its object as long as it lies in that object's slots, so only two kinds of pointers carry a
//! handle (`Shade::is_base`): those of known values that left the slots, and symbolic ones. `Op::Index`, to which pointer
//! arithmetic of the source is translated, makes the handle; copies, calls, stores and loads keep it. Arithmetic on integers
//! drops it: a pointer made of an integer may point anywhere.

use cleave_expr::{Node, Term};

use crate::engine::Engine;
use crate::memory::pointers::MOST_BRANCHES;
use crate::states::state::{Reg, State};

/// Maximum number of entries of a table of pointers that is searched for their objects; as in `several.rs`.
const MOST_ENTRIES: usize = 256;

/// The start of the object in whose slots an address lies; an address in none, alive or dead, stands for itself.
fn start_of(state: &State, address: u64) -> u64 {
    state.memory.object(address).map_or(address, |o| o.base)
}

impl Engine {
    /// A pointer to `to` that was computed from one to `from`, in another slot.
    #[cold]
    #[inline(never)]
    pub(crate) fn moved_far(&mut self, state: &State, from: u64, to: u64) -> Reg {
        match state.memory.object(from).map(|o| o.base) {
            // `realloc` has freed the object: pointers into it are moved by `p += new - old`.
            None => Reg::known(to),
            Some(start) => {
                let base = self.terms.constant_of(64, start.into());
                self.belonging(state, Reg::known(to), base)
            }
        }
    }

    /// The pointer `r` that was made from `base` by adding `index` times a factor.
    pub(crate) fn moved_from(&mut self, state: &State, r: Reg, base: Reg, index: Reg) -> Reg {
        let made_from = match (base.base(), base.term()) {
            (Some(handle), _) => self.shades.base_of(handle),
            (None, None) => {
                let start = state.memory.object(base.value).map(|o| o.base);
                start.map(|start| self.terms.constant_of(64, start.into()))
            }
            // Moved by a known number, it stays a choice between addresses.
            (None, Some(t)) if index.term().is_some() => self.starts(state, t, 0),
            (None, Some(_)) => None,
        };
        made_from.map_or(r, |base| self.belonging(state, r, base))
    }

    /// The pointer `c ? x : y`, where one of them carries a handle.
    pub(crate) fn chosen_base(&mut self, state: &State, r: Reg, cond: Term, sides: [Reg; 2]) -> Reg {
        let [x, y] = sides.map(|side| match (side.base(), side.term()) {
            (Some(handle), _) => self.shades.base_of(handle),
            (None, None) => Some(self.terms.constant_of(64, start_of(state, side.value).into())),
            (None, Some(_)) => None,
        });
        let (Some(x), Some(y)) = (x, y) else { return r };
        let base = self.terms.ite(cond, x, y);
        match self.few_values(base) {
            Some(starts) if starts.len() <= MOST_BRANCHES => self.belonging(state, r, base),
            _ => r,
        }
    }

    /// True if a value is a pointer that belongs to an object, as far as its value or its handle tells.
    pub(crate) fn is_of_object(&self, state: &State, r: Reg) -> bool {
        match r.base() {
            Some(handle) => self.shades.base_of(handle).is_some(),
            None => self.object_start(state, r).is_some(),
        }
    }

    /// The pointer `r` with the object at `base` as the one that it was made from, unless its value tells.
    fn belonging(&mut self, state: &State, r: Reg, base: Term) -> Reg {
        let tells =
            |start| r.term().is_none() && state.memory.object(r.value).is_some_and(|o| o.base == start);
        if self.terms.constant64(base).is_some_and(tells) {
            return r.with_shade(None);
        }
        r.with_shade(Some(self.shades.base(&mut self.terms, base)))
    }

    /// The starts of the objects of the addresses that `t + k` chooses between, chosen in the same way.
    fn starts(&mut self, state: &State, t: Term, k: u64) -> Option<Term> {
        match self.terms.node(t) {
            Node::Const(v) => Some(self.terms.constant_of(64, start_of(state, v.wrapping_add(k)).into())),
            Node::Ite(c, a, b) if self.few_values(t).is_some_and(|all| all.len() <= MOST_BRANCHES) => {
                let (a, b) = (self.starts(state, a, k)?, self.starts(state, b, k)?);
                Some(self.terms.ite(c, a, b))
            }
            Node::Table(id, index) if self.terms.width(t) == 64 => {
                let entries = self.terms.table_entries(id);
                if entries.len() > MOST_ENTRIES {
                    return None;
                }
                let starts: Vec<u64> = entries.iter().map(|v| start_of(state, v.wrapping_add(k))).collect();
                let starts = self.terms.intern_table(64, &starts);
                Some(self.terms.table(starts, index))
            }
            _ => {
                let (moved, by) = self.moved_by(t)?;
                self.starts(state, moved, k.wrapping_add(by))
            }
        }
    }
}
