//! How often each place of a program was jumped to, entered or returned to, by all states: what search strategies
//! that look for new code go by. It changes no path.

use cleave_program::code::{FuncId, Op, Pc, Program};
use cleave_program::{call_ops, float_ops, other_ops, plain_ops, wide_ops};

use crate::engine::Engine;
use crate::state::{Reply, State};

/// Counts of visits. They cost a little at each jump, so an engine counts only where it is given them.
#[derive(Clone, Debug, Default)]
pub struct Visits {
    /// Where the counts of a function begin.
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

    /// How often a place was visited, up to `u32::MAX`. Only starts of functions and blocks and places behind
    /// calls are counted fully.
    pub fn count(&self, func: FuncId, pc: Pc) -> u32 {
        let base = self.base.get(func as usize).copied().unwrap_or(0);
        self.counts.get((base + pc) as usize).copied().unwrap_or(0)
    }

    /// The places that were visited, in the order of their first visits.
    pub fn order(&self) -> &[(FuncId, Pc)] {
        &self.order
    }

    #[inline(always)]
    fn add(&mut self, func: FuncId, pc: Pc) {
        let count = &mut self.counts[(self.base[func as usize] + pc) as usize];
        if *count == 0 {
            self.order.push((func, pc));
        }
        *count = count.saturating_add(1);
    }
}

impl Engine {
    /// Where a state goes on that stands at a branch and was told its side, or is told `side` as the next answer. `None`
    /// where the op at hand is no branch, or is not decided by that.
    pub fn target(&self, state: &State, side: Option<bool>) -> Option<Pc> {
        let function = self.program.functions.get(state.frame.func as usize)?;
        let told = state.answers.iter().filter_map(|reply| match reply {
            Reply::Side(side) => Some(*side),
            Reply::Value(_) => None,
        });
        let mut sides = told.chain(side);
        match *function.code.get(state.frame.pc as usize)? {
            Op::Branch { then, other, .. } | Op::CmpBranch { then, other, .. } => {
                sides.last().map(|side| if side { then } else { other })
            }
            Op::Switch { table, .. } => {
                let mut targets = function.switches.get(table as usize)?.targets();
                loop {
                    match (targets.next(), sides.next()) {
                        (target, Some(true)) => return target,
                        (None, _) => return Some(function.switches.get(table as usize)?.default),
                        (Some(_), Some(false)) => {}
                        (Some(_), None) => return None,
                    }
                }
            }
            Op::Jump { .. } => None,
            plain_ops!() | other_ops!() | wide_ops!() | float_ops!() | call_ops!() => None,
        }
    }

    /// Counts visits from now on, on top of `visits`.
    pub fn count_visits(&mut self, visits: Visits) {
        self.visits = Some(visits);
    }

    /// The visits, where they are counted.
    pub fn visits(&self) -> Option<&Visits> {
        self.visits.as_ref()
    }

    /// Takes the visits away; they are not counted any more.
    pub fn take_visits(&mut self) -> Option<Visits> {
        self.visits.take()
    }

    #[inline(always)]
    pub(crate) fn visit(&mut self, func: FuncId, pc: Pc) {
        if let Some(visits) = &mut self.visits {
            visits.add(func, pc);
        }
    }
}
