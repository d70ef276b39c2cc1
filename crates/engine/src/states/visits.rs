//! Counts of jumps, calls and returns to each place of a program, by all states, for search strategies that look for new code.
//! They change no path.

use cleave_memory::AddressSpace;
use cleave_program::code::{FuncId, Function, Operand, Pc, Program};

use crate::memory::access_marks::AccessMarks;
use crate::memory::guards::Guards;

/// Counts of visits. They cost a little at each jump, so an engine counts only if it is given them.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// The index of each function's first count.
    base: Vec<u32>,
    counts: Vec<u32>,
    order: Vec<(FuncId, Pc)>,
    /// Marks of accesses, if a strategy looks for them.
    accesses: Option<AccessMarks>,
    /// Branches with a side that nobody has taken, if a strategy looks for them.
    guards: Option<Guards>,
}

impl Visits {
    /// No visits to any place of `program`.
    pub fn new(program: &Program) -> Visits {
        let mut total = 0;
        let base = program.functions.iter().map(|f| {
            total += f.code.len() as u32;
            total - f.code.len() as u32
        });
        let base = base.collect();
        Visits { base, counts: vec![0; total as usize], order: Vec::new(), accesses: None, guards: None }
    }

    /// Looks at accesses, too, from now on.
    pub fn mark_accesses(&mut self) {
        let ops = self.counts.len();
        self.accesses.get_or_insert_with(|| AccessMarks::new(ops));
    }

    /// Looks at branches by known values, too, from now on.
    pub fn watch_guards(&mut self) {
        let ops = self.counts.len();
        self.guards.get_or_insert_with(|| Guards::new(ops));
    }

    /// A branch of `function`, number `func`, was decided by known values for the side that is not `target`. `get` gives the value of
    /// an operand, if it is known.
    #[inline(always)]
    pub(crate) fn decided(
        &mut self,
        function: &Function,
        func: FuncId,
        [pc, target]: [Pc; 2],
        get: impl Fn(Operand) -> Option<u64>,
    ) {
        let Some(guards) = &mut self.guards else { return };
        let ops = [pc, target].map(|pc| self.base[func as usize] + pc);
        if self.counts[ops[1] as usize] == 0 {
            guards.decided(function, (pc, (func, target)), ops, get, &self.counts);
        }
    }

    /// The sides that nobody has taken for which a state with this memory has a value that was not tried.
    pub(crate) fn fitting(&self, memory: &AddressSpace) -> Vec<(FuncId, Pc)> {
        self.guards.as_ref().map_or_else(Vec::new, |guards| guards.fitting(memory, &self.counts))
    }

    /// Number of marks of accesses so far: see [`crate::memory::access_marks`]. 0 where nobody looks at accesses.
    pub fn access_marks(&self) -> u64 {
        self.accesses.as_ref().map_or(0, AccessMarks::found)
    }

    /// The marks of accesses, with the number of the op at a place; `None` where nobody looks at them.
    #[inline(always)]
    pub(crate) fn accesses(&mut self, func: FuncId, pc: Pc) -> Option<(&mut AccessMarks, u32)> {
        let op = self.base[func as usize] + pc;
        self.accesses.as_mut().map(|marks| (marks, op))
    }

    /// Number of visits to a place, up to `u32::MAX`. Only starts of functions and blocks and places behind calls are counted
    /// fully.
    pub fn count(&self, func: FuncId, pc: Pc) -> u32 {
        let base = self.base.get(func as usize).copied().unwrap_or(0);
        self.counts.get((base + pc) as usize).copied().unwrap_or(0)
    }

    /// The places that were visited, in the order of their first visits.
    pub fn order(&self) -> &[(FuncId, Pc)] {
        &self.order
    }

    /// Shows the number of each op that was visited and its count, in the order of first visits, and begins to count anew. Marks of
    /// accesses stay.
    pub fn drain(&mut self, mut see: impl FnMut(u32, u32)) {
        for (func, pc) in self.order.drain(..) {
            let op = self.base[func as usize] + pc;
            see(op, std::mem::take(&mut self.counts[op as usize]));
        }
    }

    /// Number of ops.
    pub fn ops(&self) -> usize {
        self.counts.len()
    }

    /// The number of a function's first op.
    #[cfg(feature = "jit")]
    pub(crate) fn first(&self, func: FuncId) -> u32 {
        self.base[func as usize]
    }

    /// Accesses are marked.
    #[cfg(feature = "jit")]
    pub(crate) fn marks_accesses(&self) -> bool {
        self.accesses.is_some()
    }

    /// The counts and marks, for compiled code that runs after `depth` decisions.
    #[cfg(feature = "jit")]
    pub(crate) fn counts(&mut self, depth: u32) -> cleave_jit::Counts<'_> {
        let marks = self.accesses.as_mut().map(|marks| marks as &mut dyn cleave_jit::AccessMarks);
        cleave_jit::Counts { visits: &mut self.counts, order: &mut self.order, marks, depth }
    }

    /// One more visit to a place.
    #[inline(always)]
    pub(crate) fn add(&mut self, func: FuncId, pc: Pc) {
        let count = &mut self.counts[(self.base[func as usize] + pc) as usize];
        if *count == 0 {
            self.order.push((func, pc));
        }
        *count = count.saturating_add(1);
    }
}
