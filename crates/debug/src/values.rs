//! Variables that live in registers: from where to where their values are still to be found.

use cleave_program::code::{FuncId, Operand, Pc};
use cleave_program::debug::Debuggable;
use rustc_hash::FxHashMap;

/// A stretch of code in which an operand has the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) from: Pc,
    /// The first op behind it.
    pub(crate) to: Pc,
    pub(crate) value: Operand,
}

/// Where the values of variables are held, by function and number of the variable.
#[derive(Default)]
pub(crate) struct Held(FxHashMap<(FuncId, usize), Vec<Stretch>>);

impl Held {
    pub(crate) fn new(_program: &Debuggable) -> Held {
        Held::default()
    }

    /// The stretches of a variable, rising.
    pub(crate) fn of(&self, func: FuncId, number: usize) -> &[Stretch] {
        self.0.get(&(func, number)).map_or(&[], Vec::as_slice)
    }

    /// What has the value of a variable at an op.
    pub(crate) fn at(&self, func: FuncId, number: usize, pc: Pc) -> Option<Operand> {
        self.of(func, number).iter().find(|s| (s.from..s.to).contains(&pc)).map(|s| s.value)
    }
}
