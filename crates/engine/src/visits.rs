//! Counts of jumps, calls and returns to each place of a program, by all states, for search strategies that look for new code.
//! They change no path.

use cleave_program::code::{FuncId, Pc, Program};

/// Counts of visits. They cost a little at each jump, so an engine counts only if it is given them.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// The index of each function's first count.
    base: Vec<u32>,
    counts: Vec<u32>,
    order: Vec<(FuncId, Pc)>,
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
        Visits { base, counts: vec![0; total as usize], order: Vec::new() }
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
