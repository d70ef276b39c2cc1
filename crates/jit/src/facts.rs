//! Facts of a function that are not in its code, of which compiled code is made.

use cleave_program::code::{FuncId, Function, Op, Pc};

use crate::counts::Counting;

/// Bytes of the program's stack that a frame takes beside its variables: return address, saved registers.
pub const FRAME_COST: u64 = 48;

/// Facts of a function and its program.
pub struct Facts<'a> {
    /// All functions of the program.
    pub functions: &'a [Function],
    /// The function.
    pub func: FuncId,
    /// The low bits of an address in a slot.
    pub slot_bits: u32,
    /// The first slot of its coverage marks, if it has some.
    pub first: Option<u32>,
    /// The slot of the mark at the entry of a function, if that has marks.
    pub entry: &'a dyn Fn(FuncId) -> Option<u32>,
    /// The slot of a side of a switch: the switch and the target; [`u32::MAX`] for none.
    pub of_switch: &'a dyn Fn(Pc, Pc) -> u32,
    /// True if the mark of a slot was passed.
    pub is_passed: &'a dyn Fn(u32) -> bool,
    /// The number of its first op, which the others follow.
    pub first_op: u32,
    /// Scopes of variables are looked at.
    pub scopes: bool,
    /// Counts and marks that compiled code keeps, if there are some: the same for all functions of a compiler.
    pub counting: Option<Counting<'a>>,
    /// The bytes of a variable are undefined where its life or its scope begins.
    pub undefined: bool,
}

impl Facts<'_> {
    /// The slot of a side of a branch of two sides, or of the switch, at an op.
    pub(crate) fn slot_of(&self, op: &Op, pc: Pc, to: Pc, side: bool) -> Option<u32> {
        let first = self.first?;
        match op {
            Op::Branch { .. } | Op::CmpBranch { .. } | Op::PtrBranch { .. } => {
                Some(first + 4 * pc + u32::from(side))
            }
            Op::Switch { .. } | Op::IndirectBranch { .. } => {
                Some((self.of_switch)(pc, to)).filter(|&slot| slot != u32::MAX)
            }
            _ => None,
        }
    }

    /// True if control has gone from a jump to one of its targets, as far as marks tell.
    pub(crate) fn has_passed(&self, op: &Op, pc: Pc, to: Pc) -> bool {
        let passed = |side| self.slot_of(op, pc, to, side).is_none_or(self.is_passed);
        match *op {
            Op::Branch { then, other, .. }
            | Op::CmpBranch { then, other, .. }
            | Op::PtrBranch { then, other, .. } => {
                (to == then && passed(true)) || (to == other && passed(false))
            }
            _ => passed(false),
        }
    }

    /// True if control has come behind a call, as far as marks tell.
    pub(crate) fn has_come_behind(&self, pc: Pc) -> bool {
        self.first.is_none_or(|first| (self.is_passed)(first + 4 * (pc + 1) + 2))
    }
}
