//! Numbers for the places of a program, such as the ops at which an object began and ended, or a value became undefined.

use cleave_program::code::{FuncId, Pc, Program};

/// An op, as one number; 0 is none.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub(crate) struct OpPlace(u32);

impl OpPlace {
    pub(crate) fn to_raw(self) -> u32 {
        self.0
    }

    pub(crate) fn from_raw(raw: u32) -> OpPlace {
        OpPlace(raw)
    }
}

/// The numbers of the ops of a program, in the order of its functions.
pub(crate) struct Places {
    /// The number of the first op of each function.
    first: Vec<u32>,
}

impl Places {
    pub(crate) fn new(program: &Program) -> Places {
        let mut next = 1u32;
        let number = |f: &cleave_program::code::Function| {
            let first = next;
            next = next.saturating_add(f.code.len() as u32);
            first
        };
        Places { first: program.functions.iter().map(number).collect() }
    }

    pub(crate) fn of(&self, func: FuncId, pc: Pc) -> OpPlace {
        OpPlace(self.first.get(func as usize).map_or(0, |first| first.saturating_add(pc)))
    }

    pub(crate) fn op(&self, place: OpPlace) -> Option<(FuncId, Pc)> {
        let func = self.first.partition_point(|&first| first <= place.0).checked_sub(1)?;
        Some((func as FuncId, place.0 - self.first[func]))
    }
}
