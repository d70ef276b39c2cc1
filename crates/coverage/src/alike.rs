//! Parts of a function that two versions of it have in common, as pairs of marks. `cleave run --since` keeps paths that pass such parts
//! alone.
//!
//! From a mark on, control goes on in one way up to the next one. Two marks are alike if the ops on this way are, one by one: the same
//! but for the numbers of registers, which are paired once for the whole function. A path whose marks in the function are all like marks of
//! the other version therefore has the same values in paired registers there, and goes the same way.

use std::collections::{BTreeMap, BTreeSet};

use cleave_program::code::{FuncId, Function, Op, Pc, Program, Reg};

use crate::marks::MarkId;
use crate::sites::{Sites, Way, may_not_return};

/// A version of a function.
#[derive(Clone, Copy)]
pub struct Version<'p> {
    /// Its program.
    pub program: &'p Program,
    /// The marks of the program.
    pub sites: &'p Sites,
    /// Its number.
    pub func: FuncId,
}

impl<'p> Version<'p> {
    fn function(&self) -> Option<&'p Function> {
        self.program.functions.get(self.func as usize)
    }

    /// The marks of the function, by way and by the op at which control goes on.
    fn marks(&self) -> BTreeMap<(Arrival, Pc), MarkId> {
        let marks = (0..).zip(self.sites.marks()).filter(|(_, mark)| mark.func == self.func);
        marks.map(|(id, mark)| ((Arrival::of(mark.way), mark.to), id)).collect()
    }
}

/// [`Way`], in an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Arrival {
    Entry,
    Behind,
    Landing,
    Side(Pc),
}

impl Arrival {
    fn of(way: Way) -> Arrival {
        match way {
            Way::Entry => Arrival::Entry,
            Way::Behind => Arrival::Behind,
            Way::Landing => Arrival::Landing,
            Way::Side { at } => Arrival::Side(at),
        }
    }
}

/// The marks of two versions of a function that are alike, each with its partner. The functions have the same parameters and results.
pub fn alike(old: Version<'_>, new: Version<'_>) -> Vec<(MarkId, MarkId)> {
    let (Some(before), Some(after)) = (old.function(), new.function()) else { return Vec::new() };
    if before.params != after.params || before.code.is_empty() || after.code.is_empty() {
        return Vec::new();
    }
    let mut pairing = Pairing {
        versions: [(old.program, before), (new.program, after)],
        marks: [old.marks(), new.marks()],
        registers: (0..before.params).map(|r| (r, r)).collect(),
        taken: (0..before.params).collect(),
        partners: BTreeMap::new(),
        partners_taken: BTreeSet::new(),
        todo: Vec::new(),
    };
    pairing.pair([Arrival::Entry; 2], [0; 2]).and_then(|()| pairing.all()).unwrap_or_default()
}

struct Pairing<'p> {
    /// The old function and the new one.
    versions: [(&'p Program, &'p Function); 2],
    marks: [BTreeMap<(Arrival, Pc), MarkId>; 2],
    /// The new register of each old one, and all of these.
    registers: BTreeMap<Reg, Reg>,
    taken: BTreeSet<Reg>,
    /// The same of marks.
    partners: BTreeMap<MarkId, MarkId>,
    partners_taken: BTreeSet<MarkId>,
    /// Marks, and the ops behind them, that are to be compared.
    todo: Vec<([MarkId; 2], [Pc; 2])>,
}

impl Pairing<'_> {
    /// All pairs; `None` if two ways to a mark lead to different ones in the other version.
    fn all(&mut self) -> Option<Vec<(MarkId, MarkId)>> {
        let mut all = Vec::new();
        while let Some((marks, from)) = self.todo.pop() {
            if self.part(from)? {
                all.push((marks[0], marks[1]));
            }
        }
        Some(all)
    }

    /// Pairs two marks, to be compared; `None` if one of them has another partner.
    fn pair(&mut self, arrivals: [Arrival; 2], to: [Pc; 2]) -> Option<()> {
        let of = |n: usize| self.marks[n].get(&(arrivals[n], to[n])).copied();
        let (Some(old), Some(new)) = (of(0), of(1)) else { return None };
        match self.partners.get(&old) {
            Some(partner) => (*partner == new).then_some(()),
            None => {
                self.partners.insert(old, new);
                self.todo.push(([old, new], to));
                self.partners_taken.insert(new).then_some(())
            }
        }
    }

    /// Compares the ops from two marks on, and pairs the marks behind them. True if they are alike.
    fn part(&mut self, from: [Pc; 2]) -> Option<bool> {
        let mut at = from;
        let [(_, old), (_, new)] = self.versions;
        // Without a mark on it, a way is no longer than the function, unless it is a loop.
        for _ in 0..=old.code.len() {
            let (Some(a), Some(b)) = (old.code.get(at[0] as usize), new.code.get(at[1] as usize)) else {
                return Some(false);
            };
            if !self.ops(a, b) {
                return Some(false);
            }
            match (a, b) {
                (Op::Jump { to, .. }, Op::Jump { to: other, .. }) => at = [*to, *other],
                (Op::Lands { to, pad, .. }, Op::Lands { to: other_to, pad: other_pad, .. }) => {
                    self.pair([Arrival::Landing; 2], [*pad, *other_pad])?;
                    at = [*to, *other_to];
                }
                _ if a.is_terminator() => {
                    let targets = [old.targets(a), new.targets(b)];
                    if targets[0].len() != targets[1].len() {
                        return Some(false);
                    }
                    for (to, other) in targets[0].iter().zip(&targets[1]) {
                        self.pair(at.map(Arrival::Side), [*to, *other])?;
                    }
                    return Some(true);
                }
                _ => {
                    at = at.map(|pc| pc + 1);
                    let goes_on = (at[0] as usize) < old.code.len() && (at[1] as usize) < new.code.len();
                    if may_not_return(a) && goes_on {
                        self.pair([Arrival::Behind; 2], at)?;
                        return Some(true);
                    }
                }
            }
        }
        Some(true)
    }

    /// Compares two ops, and pairs the registers that they write.
    fn ops(&mut self, a: &Op, b: &Op) -> bool {
        let [(old, before), (new, after)] = self.versions;
        let (Some(a), Some(b)) = (old.form(before, a), new.form(after, b)) else { return false };
        a.text == b.text
            && a.reads.len() == b.reads.len()
            && a.writes.len() == b.writes.len()
            && a.reads.iter().zip(&b.reads).all(|(r, other)| self.registers.get(r) == Some(other))
            && a.writes.iter().zip(&b.writes).all(|(r, other)| match self.registers.get(r) {
                Some(partner) => partner == other,
                None => {
                    let is_free = self.taken.insert(*other);
                    if is_free {
                        self.registers.insert(*r, *other);
                    }
                    is_free
                }
            })
    }
}
