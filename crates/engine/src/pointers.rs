//! From a pointer to the object it points into. A symbolic pointer is decided object by object, by address.

use cleave_expr::{Node, Term};
use cleave_memory::{Fault, Kind};
use cleave_program::code::Program;
use cleave_program::layout::SLOT_SIZE;

use crate::engine::Engine;
use crate::state::{Reg, State};
use crate::stop::{BugKind, Stop};

/// More objects than this as leaves of one pointer are not looked for one by one.
const MOST_LEAVES: usize = 64;
/// Behind the known objects: whichever other one the pointer points into.
const UNKNOWN: u64 = u64::MAX;

/// A choice between at most this many addresses is decided as the branches that it came from.
const MOST_BRANCHES: usize = 4;

/// Where an access goes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// To one address.
    At(u64),
    /// Into the object at `base`, at a symbolic offset that keeps the access in bounds.
    Within { base: u64, size: u64, offset: Term },
}

impl Engine {
    /// Where an access of `n` bytes at `addr + off` goes; every way in which it can be wrong is a decision.
    pub(crate) fn place(&mut self, state: &State, addr: Reg, off: i32, n: u64) -> Result<Place, Stop> {
        let off = off as i64 as u64;
        let Some(t) = addr.term else { return Ok(Place::At(addr.value.wrapping_add(off))) };
        let k = self.terms.constant_of(64, off as u128);
        let pointer = self.terms.add(t, k);
        let mut pointer = self.value(state, pointer);
        // A choice between few addresses was a branch in the source: it is one again, and the address is known.
        while let Node::Ite(c, a, b) = self.terms.node(pointer)
            && self.few_values(pointer).is_some_and(|leaves| leaves.len() <= MOST_BRANCHES)
        {
            pointer = if self.decide(state, c)? { a } else { b };
        }
        if let Some(v) = self.terms.constant64(pointer) {
            return Ok(Place::At(v));
        }
        let mut bases = Vec::new();
        let mut steps = 0;
        let all = self.leaves(state, pointer, &mut bases, &mut steps);
        bases.sort_unstable();
        bases.dedup();
        if bases.is_empty() || bases.len() > MOST_LEAVES {
            bases = vec![self.nearest_object(state, pointer)?];
        } else if !all {
            bases.push(UNKNOWN);
        }
        for &base in &bases {
            let base = if base == UNKNOWN { self.nearest_object(state, pointer)? } else { base };
            let Some(object) = state.memory.object(base) else { continue };
            let (base, size) = (object.base, object.size);
            if size < n {
                continue;
            }
            let b = self.terms.constant_of(64, base as u128);
            let offset = self.terms.sub(pointer, b);
            let last = self.terms.constant_of(64, (size - n) as u128);
            let inside = self.terms.ule(offset, last);
            if self.decide(state, inside)? {
                return Ok(match self.terms.constant64(offset) {
                    Some(o) => Place::At(base.wrapping_add(o)),
                    None => Place::Within { base, size, offset },
                });
            }
        }
        let known = bases.iter().any(|&b| state.memory.object(b).is_some());
        let kind = if known { BugKind::OutOfBounds } else { BugKind::WildPointer };
        Err(Stop::bug(kind, self.outside_message(state, &bases)))
    }

    /// The address of `n` bytes, one path for each object and place in it that the pointer can have.
    pub(crate) fn address(&mut self, state: &State, pointer: Reg, n: u64) -> Result<u64, Stop> {
        match self.place(state, pointer, 0, n)? {
            Place::At(address) => Ok(address),
            Place::Within { base, size, offset } => {
                let (lo, hi) = self.terms.range(offset);
                let hi = hi.min(size.saturating_sub(n));
                Ok(base + self.concrete_within(state, offset, lo.min(hi), hi)?)
            }
        }
    }

    /// The addresses that `t` is built on: constants that lie in an object. Whether these are all; they are not
    /// where a part of it is a word that came out of memory whole.
    fn leaves(&self, state: &State, t: Term, out: &mut Vec<u64>, steps: &mut usize) -> bool {
        let is_object = |v: u64| v >= SLOT_SIZE && state.memory.object(v).is_some();
        *steps += 1;
        if *steps > 4 * MOST_LEAVES {
            return false;
        }
        match self.terms.node(t) {
            Node::Const(v) => {
                out.extend(is_object(v).then_some(v));
                true
            }
            Node::Ite(_, a, b) => {
                let first = self.leaves(state, a, out, steps);
                self.leaves(state, b, out, steps) && first
            }
            // One of them is the pointer: that with addresses in it.
            Node::Binary(cleave_expr::BinaryOp::Add, a, b) => [a, b].into_iter().fold(false, |any, part| {
                let before = out.len();
                (self.leaves(state, part, out, steps) && out.len() > before) || any
            }),
            Node::Binary(cleave_expr::BinaryOp::Sub, a, _) => self.leaves(state, a, out, steps),
            Node::Table(id, _) => {
                let entries = self.terms.table_entries(id);
                out.extend(entries.iter().copied().filter(|&v| is_object(v)).take(MOST_LEAVES + 1));
                true
            }
            _ => false,
        }
    }

    /// For a pointer that nothing is known of: the object that it could point into, by halving the list of all
    /// objects; each halving is a decision.
    fn nearest_object(&mut self, state: &State, pointer: Term) -> Result<u64, Stop> {
        let (lo, hi) = self.terms.range(pointer);
        let bases: Vec<u64> = state
            .memory
            .objects()
            .filter(|o| o.base <= hi && o.base + o.size >= lo)
            .map(|o| o.base)
            .collect();
        let mut bases = &bases[..];
        while bases.len() > 1 {
            let (left, right) = bases.split_at(bases.len() / 2);
            let k = self.terms.constant_of(64, right[0] as u128);
            let below = self.terms.ult(pointer, k);
            bases = if self.decide(state, below)? { left } else { right };
        }
        Ok(bases.first().copied().unwrap_or(0))
    }

    fn outside_message(&self, state: &State, bases: &[u64]) -> String {
        match bases.iter().find_map(|&b| state.memory.object(b)) {
            Some(o) => format!(
                "an access at a symbolic offset outside of {}",
                object_name(&self.program, o.kind, o.size, o.origin)
            ),
            None => "an access through a symbolic pointer to no object".into(),
        }
    }

    pub(crate) fn pointer_bug(&self, fault: &Fault) -> Stop {
        let kind = match fault {
            Fault::Constant { .. } => BugKind::ReadOnly,
            Fault::Null => BugKind::NullPointer,
            Fault::Wild => BugKind::WildPointer,
            Fault::Dead(_) => BugKind::UseAfterFree,
            Fault::OutOfBounds { .. } => BugKind::OutOfBounds,
        };
        Stop::bug(kind, fault_message(&self.program, fault))
    }
}

fn object_name(program: &Program, kind: Kind, size: u64, origin: u32) -> String {
    match program.globals.get(origin as usize) {
        Some(g) if kind == Kind::Global => format!("the global `{}` of {size} bytes", g.name),
        _ => format!("a {} object of {size} bytes", kind.word()),
    }
}

/// A fault as a sentence without its full stop.
pub(crate) fn fault_message(program: &Program, fault: &Fault) -> String {
    match fault {
        Fault::Null => "an access through a null pointer".into(),
        Fault::Wild => "an access through a pointer to no object".into(),
        Fault::Dead(Kind::Stack) => "an access to a local variable of a function that has returned".into(),
        Fault::Dead(_) => "an access to memory that has been freed".into(),
        Fault::OutOfBounds { kind, size, offset, origin, .. } => {
            format!("an access at offset {offset} of {}", object_name(program, *kind, *size, *origin))
        }
        Fault::Constant { origin } => {
            let name = program.globals.get(*origin as usize).map_or("", |g| g.name.as_str());
            format!("a write to the constant `{name}`")
        }
    }
}
