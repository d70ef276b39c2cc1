//! A read through a pointer that was taken out of a table of pointers: the values at its addresses, chosen as the pointer is,
//! instead of a path for each object.

use std::collections::{BTreeMap, BTreeSet};

use cleave_expr::{Node, Term};
use cleave_memory::{Fault, Kind};

use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::Stop;

/// Maximum number of addresses of a pointer if known bytes lie at all of them ...
const MOST_KNOWN: usize = 64;
/// ... and if not.
const MOST_OTHERS: usize = 8;
/// Maximum number of entries of a table that it is taken out of.
const MOST_ENTRIES: usize = 256;
/// Maximum number of choices that make a pointer.
const MOST_CHOICES: usize = 16;

impl Engine {
    /// The value at `addr + off`, if that is one of few addresses in several objects, and all values there that can be read are
    /// set. A decision tells if the pointer is one of those that can be read. `None` if it is not, or if there is nothing to
    /// choose from.
    pub(crate) fn load_of_several(
        &mut self,
        state: &State,
        addr: Reg,
        off: i32,
        w: u8,
    ) -> Result<Option<Term>, Stop> {
        let n = w.div_ceil(8) as u64;
        let Some(t) = addr.term() else { return Ok(None) };
        if n > 8 || addr.base().is_some() || !self.is_choice(t) || self.looks_for_races(state) {
            return Ok(None);
        }
        self.used(state, addr, "an address")?;
        let k = self.terms.constant_of(64, off as i64 as u64 as u128);
        let pointer = self.terms.add(t, k);
        let pointer = self.value(state, pointer);
        let mut addresses = BTreeSet::new();
        if !self.addresses(pointer, 0, &mut addresses, &mut 0) {
            return Ok(None);
        }
        let Some(values) = self.values_at(state, &addresses, n) else { return Ok(None) };
        if values.len() < addresses.len() {
            let readable = |engine: &mut Engine, address| {
                engine.terms.constant_of(8, values.contains_key(&address).into())
            };
            let readable = self.chosen_as(pointer, 0, 8, &readable)?;
            let none = self.terms.constant_of(8, 0);
            let some = self.terms.ne(readable, none);
            if !self.decide(state, some)? {
                return Ok(None);
            }
        }
        let value = |engine: &mut Engine, address| {
            let other = || engine.terms.constant_of(8 * n as u8, 0);
            values.get(&address).copied().unwrap_or_else(other)
        };
        let t = self.chosen_as(pointer, 0, 8 * n as u8, &value)?;
        Ok(Some(self.terms.extract(t, 0, w)))
    }

    /// True if a term may be one of several addresses, at first sight: an index chooses it. A choice by conditions was a branch
    /// in the source, and is decided while its condition is simple: later conditions would have all choices before them in
    /// them.
    pub(crate) fn is_choice(&self, mut t: Term) -> bool {
        while let Some((moved, _)) = self.moved_by(t) {
            t = moved;
        }
        matches!(self.terms.node(t), Node::Table(..)) && self.terms.width(t) == 64
    }

    /// All values of `t + k`, if these are few: it is made of choices between constants.
    fn addresses(&self, t: Term, k: u64, out: &mut BTreeSet<u64>, choices: &mut usize) -> bool {
        *choices += 1;
        let all = *choices <= MOST_CHOICES
            && match self.terms.node(t) {
                Node::Const(v) => {
                    out.insert(v.wrapping_add(k));
                    true
                }
                Node::Ite(_, a, b) => {
                    self.addresses(a, k, out, choices) && self.addresses(b, k, out, choices)
                }
                Node::Table(id, index) if self.terms.width(index) <= 64 => {
                    let entries = self.terms.table_entries(id);
                    if entries.len() > MOST_ENTRIES {
                        return false;
                    }
                    let (least, most) = self.terms.range(index);
                    let within = entries.iter().zip(0..).filter(|(_, at)| (least..=most).contains(at));
                    out.extend(within.map(|(v, _)| v.wrapping_add(k)));
                    // The entry behind the last.
                    out.extend((most >= entries.len() as u64).then_some(k));
                    true
                }
                _ => self
                    .moved_by(t)
                    .is_some_and(|(t, by)| self.addresses(t, k.wrapping_add(by), out, choices)),
            };
        all && out.len() <= MOST_KNOWN
    }

    /// The values at those of these addresses that can be read; `None` unless they are few, in several objects, and all set.
    fn values_at(&mut self, state: &State, addresses: &BTreeSet<u64>, n: u64) -> Option<BTreeMap<u64, Term>> {
        let (mut objects, mut values) = (BTreeSet::new(), BTreeMap::new());
        for &address in addresses {
            match state.memory.resolve(address, n) {
                Ok((object, at)) => {
                    if object.kind == Kind::Variable || !object.is_defined(at, n) {
                        return None;
                    }
                    objects.insert(object.base);
                    values.insert(address, self.value_at(object, at, n));
                }
                Err(Fault::Uncertain { .. }) => return None,
                Err(_) => {}
            }
        }
        let known = values.values().all(|t| self.terms.constant64(*t).is_some());
        (objects.len() > 1 && (known || values.len() <= MOST_OTHERS)).then_some(values)
    }

    /// A term of `w` bits that is `of(a)` when `t + k` is `a`; `t` is made of choices, as for [`Engine::addresses`].
    fn chosen_as(
        &mut self,
        t: Term,
        k: u64,
        w: u8,
        of: &impl Fn(&mut Engine, u64) -> Term,
    ) -> Result<Term, Stop> {
        Ok(match self.terms.node(t) {
            Node::Const(v) => of(self, v.wrapping_add(k)),
            Node::Ite(c, a, b) => {
                let (a, b) = (self.chosen_as(a, k, w, of)?, self.chosen_as(b, k, w, of)?);
                self.terms.ite(c, a, b)
            }
            Node::Table(id, index) => {
                let entries = self.terms.table_entries(id);
                let values: Vec<Term> = entries.iter().map(|v| of(self, v.wrapping_add(k))).collect();
                let known: Option<Vec<u64>> = values.iter().map(|t| self.terms.constant64(*t)).collect();
                match known {
                    Some(known) => {
                        let table = self.terms.intern_table(w, &known);
                        self.terms.table(table, index)
                    }
                    None => {
                        let index = self.terms.zext(index, 64);
                        self.terms.selected(index, 0, 1, values)
                    }
                }
            }
            _ => match self.moved_by(t) {
                Some((t, by)) => self.chosen_as(t, k.wrapping_add(by), w, of)?,
                None => return Err(Stop::impossible("a term among choices that is none")),
            },
        })
    }
}
